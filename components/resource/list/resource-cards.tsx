"use client";

import Link from "next/link";
import { ModeBadge, StatusBadge } from "@/components/layout/status-badge";
import { Countdown, RelativeTime } from "@/components/layout/time";
import { Checkbox } from "@/components/ui/checkbox";
import { cn } from "@/components/ui/class-names";
import type { ResourceRow } from "@/lib/api/contract";
import { Drift, FLASH, hrefOf, useFlash, WhyNot } from "./row-parts";
import { isSelected, type Selection } from "./selection";

interface ResourceCardsProps {
  rows: readonly ResourceRow[];
  selection: Selection;
  onToggleRow: (row: ResourceRow) => void;
  outdated: boolean;
}

/** The same rows for a phone: what it is and how it is, nothing hidden behind a hover. */
export function ResourceCards({ rows, selection, onToggleRow, outdated }: ResourceCardsProps) {
  return (
    <ul
      aria-label="Resources"
      aria-busy={outdated}
      className={cn("divide-y divide-line border-line border-t md:hidden", outdated && "opacity-60")}
    >
      {rows.map((row) => (
        <ResourceCard key={row.uid} row={row} selected={isSelected(selection, row.uid)} onToggle={() => onToggleRow(row)} />
      ))}
    </ul>
  );
}

function ResourceCard({ row, selected, onToggle }: { row: ResourceRow; selected: boolean; onToggle: () => void }) {
  const flash = useFlash(row);
  return (
    <li className={cn("relative flex gap-2 py-3 pr-4 pl-3", selected && "bg-accent-soft/60")}>
      {flash ? <span key={flash} aria-hidden className={FLASH} /> : null}
      <Checkbox
        className="relative z-10"
        aria-label={`Select ${row.kind} ${row.namespace}/${row.name}`}
        checked={selected}
        onChange={onToggle}
      />
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center justify-between gap-x-2 gap-y-1">
          <Link href={hrefOf(row)} prefetch={false} className="min-w-0 break-words font-medium after:absolute after:inset-0">
            {row.name}
          </Link>
          <StatusBadge state={row.state} mode={row.mode} />
        </div>
        <p className="break-words text-muted text-xs">
          {row.kind} · {row.namespace}
        </p>
        <WhyNot row={row} className="mt-1 line-clamp-3 break-words text-xs" />
        <CardFacts row={row} />
      </div>
    </li>
  );
}

function CardFacts({ row }: { row: ResourceRow }) {
  return (
    <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-muted text-xs">
      {row.mode === "Auto" ? null : <ModeBadge mode={row.mode} />}
      {row.driftCount > 0 ? (
        <span>
          Drift <Drift count={row.driftCount} />
        </span>
      ) : null}
      {row.attempts > 0 ? <span>{row.attempts} failed</span> : null}
      {row.nextAttemptAt ? (
        <span>
          Next <Countdown to={row.nextAttemptAt} />
        </span>
      ) : null}
      <span>
        Converged <RelativeTime at={row.lastConvergedAt} />
      </span>
    </p>
  );
}
