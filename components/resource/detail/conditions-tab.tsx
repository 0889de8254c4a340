import { EmptyState } from "@/components/layout/states";
import { RelativeTime } from "@/components/layout/time";
import { Badge, type Tone } from "@/components/ui/badge";
import { Cell, Column, Table, TableBody, TableHead, TableRow } from "@/components/ui/table";
import type { ApiObject } from "@/lib/api/contract";
import { REASONS } from "@/lib/errors";
import type { Condition } from "@/lib/resource";

const TONE: Record<Condition["status"], Tone> = { True: "ok", False: "bad", Unknown: "calm" };

/** What the engine and the kind report, the newest change first. */
export function ConditionsTab({ object }: { object: ApiObject }) {
  const conditions = [...(object.status?.conditions ?? [])].sort((a, b) => (a.lastTransitionTime < b.lastTransitionTime ? 1 : -1));
  if (conditions.length === 0) {
    return <EmptyState title="No conditions yet">They appear with the first look at reality.</EmptyState>;
  }
  const known = object.freshness.stale ? "As last reported; nobody has looked for too long." : undefined;
  return (
    <>
      {known ? <p className="mb-2 text-warn">{known}</p> : null}
      <Table caption="Conditions">
        <TableHead>
          <tr>
            <Column>Condition</Column>
            <Column>Status</Column>
            <Column>Reason and message</Column>
            <Column>Since</Column>
            <Column numeric>Generation</Column>
          </tr>
        </TableHead>
        <TableBody>
          {conditions.map((condition) => (
            <ConditionRow key={condition.type} condition={condition} stale={object.freshness.stale} />
          ))}
        </TableBody>
      </Table>
    </>
  );
}

function ConditionRow({ condition, stale }: { condition: Condition; stale: boolean }) {
  const { reason } = condition;
  const advice = condition.status !== "True" && reason in REASONS ? REASONS[reason as keyof typeof REASONS].advice : undefined;
  return (
    <TableRow>
      <Cell className="align-top font-medium">{condition.type}</Cell>
      <Cell className="align-top">
        <Badge tone={stale ? "calm" : TONE[condition.status]}>{condition.status}</Badge>
      </Cell>
      <Cell className="min-w-64 align-top">
        <span className="font-medium">{reason}</span>
        <span className="block break-words text-muted">{condition.message}</span>
        {advice ? <span className="block text-xs">{advice}</span> : null}
      </Cell>
      <Cell className="whitespace-nowrap align-top">
        <RelativeTime at={condition.lastTransitionTime} />
      </Cell>
      <Cell numeric className="align-top">
        {condition.observedGeneration}
      </Cell>
    </TableRow>
  );
}
