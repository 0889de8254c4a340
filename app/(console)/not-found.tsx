import { PageBody } from "@/components/layout/page-header";
import { EmptyState } from "@/components/layout/states";
import { LinkButton } from "@/components/ui/button";

export default function ConsoleNotFound() {
  return (
    <PageBody>
      <h1 className="sr-only">Not found</h1>
      <EmptyState title="There is no such page" actions={<LinkButton href="/resources">Show all resources</LinkButton>}>
        The address may be mistyped, or what it named was deleted.
      </EmptyState>
    </PageBody>
  );
}
