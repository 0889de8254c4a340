"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { StatusBadge } from "@/components/layout/status-badge";
import { RelativeTime } from "@/components/layout/time";
import { Checkbox } from "@/components/ui/checkbox";
import { cn } from "@/components/ui/class-names";
import { Cell } from "@/components/ui/table";
import type { ResourceRow } from "@/lib/api/contract";
import { Drift, FLASH, Generation, hrefOf, ModeCell, NextAttempt, useFlash, WhyNot } from "./row-parts";

interface ResourceTableRowProps {
  row: ResourceRow;
  selected: boolean;
  onToggle: (range: boolean) => void;
}

/** One line. A click anywhere leads to the page of the resource; the link in it is what the keyboard uses. */
export function ResourceTableRow({ row, selected, onToggle }: ResourceTableRowProps) {
  const flash = useFlash(row);
  const router = useRouter();
  return (
    // The click is only a larger target for the mouse: the link inside does the same by keyboard.
    <tr
      onClick={(event) => {
        if (!isControl(event.target) && !window.getSelection()?.toString()) router.push(hrefOf(row));
      }}
      data-row={row.uid}
      aria-selected={selected}
      className={cn(
        "group relative cursor-pointer hover:bg-hover/60 has-[a:focus-visible]:bg-hover/60",
        selected && "bg-accent-soft/60 hover:bg-accent-soft",
      )}
    >
      <Cell className="pr-0">
        <Checkbox
          aria-label={`Select ${row.kind} ${row.namespace}/${row.name}`}
          checked={selected}
          onChange={(event) => onToggle(event.nativeEvent instanceof MouseEvent && event.nativeEvent.shiftKey)}
        />
      </Cell>
      <Cell>
        {flash ? <span key={flash} aria-hidden className={FLASH} /> : null}
        <StatusBadge state={row.state} mode={row.mode} />
        <WhyNot row={row} className="mt-0.5 line-clamp-2 break-words text-muted text-xs" />
      </Cell>
      <Cell>
        <Link href={hrefOf(row)} prefetch={false} data-row-link className="block truncate rounded font-medium group-hover:underline">
          {row.name}
        </Link>
        <span className="block truncate text-muted text-xs">
          {row.kind} · {row.namespace}
        </span>
      </Cell>
      <Cell numeric>
        <Drift count={row.driftCount} />
      </Cell>
      <Cell numeric>
        <Generation row={row} />
      </Cell>
      <Cell className="text-muted">
        <RelativeTime at={row.lastConvergedAt} />
      </Cell>
      <Cell>
        <NextAttempt row={row} />
      </Cell>
      <Cell>
        <ModeCell row={row} />
      </Cell>
    </tr>
  );
}

function isControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button, input, label") !== null;
}
