import { CircleCheck } from "lucide-react";
import Link from "next/link";
import { StatusBadge } from "@/components/layout/status-badge";
import { Countdown, RelativeTime } from "@/components/layout/time";
import { LinkButton } from "@/components/ui/button";
import { Card, CardHeader } from "@/components/ui/card";
import type { ResourceRow } from "@/lib/api/contract";
import { resourceHref, resourcesHref } from "@/lib/client";

/** What is not in order, with its reason and when it is tried next. */
export function AttentionCard({ rows }: { rows: readonly ResourceRow[] }) {
  return (
    <Card aria-labelledby="attention">
      <CardHeader
        id="attention"
        title="Needs attention"
        actions={
          rows.length === 0 ? null : (
            <LinkButton size="sm" href={resourcesHref({ state: ["Failed", "BackingOff", "Blocked", "Drifted", "Stale"] })}>
              Show all
            </LinkButton>
          )
        }
      />
      {rows.length === 0 ? (
        <p className="flex items-center gap-2 px-4 pt-1 pb-4 text-muted">
          <CircleCheck aria-hidden className="size-4 shrink-0" />
          Nothing needs you.
        </p>
      ) : (
        <ul className="divide-y divide-line border-line border-t">
          {rows.map((row) => (
            <AttentionRow key={row.uid} row={row} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function AttentionRow({ row }: { row: ResourceRow }) {
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-4 gap-y-1 px-4 py-2.5 hover:bg-hover/60 sm:grid-cols-[8.5rem_minmax(0,1fr)_auto]">
      <div className="max-sm:order-1">
        <StatusBadge state={row.state} mode={row.mode} />
      </div>
      <div className="min-w-0 max-sm:order-3 max-sm:col-span-2">
        <Link href={resourceHref(row)} className="block truncate rounded font-medium text-fg hover:underline">
          {row.name} <span className="font-normal text-muted">{row.kind}</span>
          {row.namespace === "default" ? null : <span className="font-normal text-muted"> in {row.namespace}</span>}
        </Link>
        <p className="line-clamp-2 break-words text-muted text-xs">
          <span className="font-medium text-fg">{row.reason}</span>: {row.message}
        </p>
      </div>
      <div className="text-right text-muted text-xs max-sm:order-2">
        {row.nextAttemptAt ? (
          <p>
            next attempt <Countdown to={row.nextAttemptAt} before="in " className="font-medium text-fg" />
          </p>
        ) : null}
        {row.attempts > 0 ? (
          <p className="nums">
            {row.attempts} failed {row.attempts === 1 ? "attempt" : "attempts"}
          </p>
        ) : null}
        <p className="max-sm:hidden">
          {row.lastConvergedAt ? "converged " : ""}
          <RelativeTime at={row.lastConvergedAt} never="never converged" />
        </p>
      </div>
    </li>
  );
}
