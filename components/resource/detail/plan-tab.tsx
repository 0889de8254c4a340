"use client";

import { useQuery } from "@tanstack/react-query";
import { Minus, Pencil, Plus } from "lucide-react";
import { ErrorState } from "@/components/layout/states";
import { RelativeTime } from "@/components/layout/time";
import { Badge, type Tone } from "@/components/ui/badge";
import { Callout } from "@/components/ui/callout";
import { CopyButton } from "@/components/ui/copy-button";
import { SkeletonRows } from "@/components/ui/skeleton";
import type { ApiObject, PlanAnswer } from "@/lib/api/contract";
import { type ObjectRef, queries } from "@/lib/client";
import { REASONS } from "@/lib/errors";
import type { PlannedAction } from "@/lib/resource";

const EFFECT: Record<PlannedAction["effect"], { tone: Tone; icon: typeof Plus; word: string }> = {
  create: { tone: "ok", icon: Plus, word: "create" },
  update: { tone: "warn", icon: Pencil, word: "update" },
  delete: { tone: "bad", icon: Minus, word: "delete" },
};

/** Exactly what would be done now, in order. */
export function PlanTab({ of, object }: { of: ObjectRef; object: ApiObject }) {
  const plan = useQuery(queries.plan(of));
  if (plan.isPending) return <SkeletonRows rows={4} />;
  if (plan.isError) return <ErrorState error={plan.error} title="No plan could be made" onRetry={() => void plan.refetch()} />;
  return (
    <section aria-label="Plan" className="flex flex-col gap-3">
      {plan.data.blocked ? <Blocked {...plan.data.blocked} /> : null}
      {plan.data.actions.length > 0 ? <Count planned={plan.data.actions.length} waits={object.view.notActing !== undefined} /> : null}
      {plan.data.actions.length > 0 ? <Actions actions={plan.data.actions} /> : plan.data.blocked ? null : <NothingToDo plan={plan.data} />}
      <PlanFacts plan={plan.data} />
    </section>
  );
}

function Blocked({ reason, message }: { reason: string; message: string }) {
  const advice = reason in REASONS ? REASONS[reason as keyof typeof REASONS].advice : undefined;
  return (
    <Callout tone="bad" title={`Nothing can be done: ${reason}`}>
      <p className="font-mono text-xs whitespace-pre-wrap">{message}</p>
      {advice ? <p className="mt-1">{advice}</p> : null}
    </Callout>
  );
}

/** How many, and whether they are about to be done; why they wait stands in the header. */
function Count({ planned, waits }: { planned: number; waits: boolean }) {
  const actions = planned === 1 ? "1 action" : `${planned} actions`;
  return (
    <p className="text-muted">{waits ? `${actions} ${planned === 1 ? "waits" : "wait"}, in this order` : `${actions}, in this order`}</p>
  );
}

function Actions({ actions }: { actions: readonly PlannedAction[] }) {
  return (
    <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
      {actions.map((action, index) => {
        const { tone, icon: Icon, word } = EFFECT[action.effect];
        return (
          <li key={`${action.type} ${action.target}`} className="flex gap-3 px-3 py-2.5">
            <span className="nums w-5 shrink-0 pt-0.5 text-right text-muted text-xs">{index + 1}</span>
            <div className="min-w-0 flex-1">
              <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
                <Badge tone={tone}>
                  <Icon aria-hidden />
                  {word}
                </Badge>
                <span className="font-medium">{action.type}</span>
                <span className="font-mono text-xs break-all">{action.target}</span>
              </p>
              <p className="mt-0.5 break-words">{action.message}</p>
              <p className="text-muted text-xs">{action.reason}</p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function NothingToDo({ plan }: { plan: PlanAnswer }) {
  const differing = plan.drift.length;
  return (
    <p className="rounded-lg border border-line bg-surface px-4 py-6 text-center">
      <span className="font-medium">
        {differing === 0 ? "Converged – nothing to do" : `${differing} fields differ, no action is planned`}
      </span>
      <span className="text-muted">
        {", checked "}
        <RelativeTime at={plan.observedAt} />
      </span>
    </p>
  );
}

function PlanFacts({ plan }: { plan: PlanAnswer }) {
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-muted text-xs">
      <span>Generation {plan.generation}</span>
      <span>
        Observed <RelativeTime at={plan.observedAt} />
      </span>
      <span className="inline-flex min-w-0 items-center gap-1">
        Hash <code className="truncate font-mono">{plan.hash.slice(0, 16)}</code>
        <CopyButton text={plan.hash} label="Copy the plan's hash" />
      </span>
    </p>
  );
}
