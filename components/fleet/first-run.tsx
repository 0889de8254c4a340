import { EmptyState } from "@/components/layout/states";
import { LinkButton } from "@/components/ui/button";
import { Card } from "@/components/ui/card";

/** Nothing exists yet: what to do first. */
export function FirstRun() {
  return (
    <Card>
      <EmptyState
        title="Nothing is declared yet"
        actions={
          <>
            <LinkButton href="/controllers">What runs here</LinkButton>
            <LinkButton href="/resources/new" variant="primary">
              Declare the first resource
            </LinkButton>
          </>
        }
      >
        <ol className="mx-auto mt-2 max-w-md list-decimal space-y-1 pl-5 text-left">
          <li>Declare what should be: processes, a configuration file, a role in PostgreSQL.</li>
          <li>See in the preview what Setpoint would do, then save.</li>
          <li>Watch reality converge. Break it by hand and watch it heal.</li>
        </ol>
      </EmptyState>
    </Card>
  );
}
