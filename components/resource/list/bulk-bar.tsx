"use client";

import { Pause, Play, RefreshCw, X } from "lucide-react";
import { Button, IconButton } from "@/components/ui/button";
import type { BulkAction } from "./resource-list";
import { countSelected } from "./selection";
import type { Selecting } from "./use-selection";

interface BulkBarProps {
  selecting: Selecting;
  total: number;
  refused: string | undefined;
  onAction: (action: BulkAction) => void;
}

const ACTIONS = [
  { action: "pause", label: "Pause…", icon: Pause },
  { action: "resume", label: "Resume…", icon: Play },
  { action: "reconcile", label: "Reconcile…", icon: RefreshCw },
] as const;

/** What can be done with the selection; says exactly how much that is. */
export function BulkBar({ selecting, total, refused, onAction }: BulkBarProps) {
  const { selection } = selecting;
  const count = countSelected(selection, total);
  return (
    <section
      aria-label="Selection"
      className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center gap-2 rounded-xl border border-line-strong bg-raised px-3 py-2 shadow-float max-sm:w-full"
    >
      <p role="status" className="nums font-medium">
        {selection.all ? `All ${total.toLocaleString("en")} matching` : `${count.toLocaleString("en")} selected`}
      </p>
      {selection.all || count >= total ? null : (
        <Button size="sm" variant="ghost" className="text-accent" onClick={selecting.selectAll}>
          Select all {total.toLocaleString("en")} matching
        </Button>
      )}
      <span className="h-5 w-px bg-line max-sm:hidden" />
      {ACTIONS.map(({ action, label, icon: Icon }) => (
        <Button key={action} size="sm" disabled={refused !== undefined} title={refused} onClick={() => onAction(action)}>
          <Icon aria-hidden />
          {label}
        </Button>
      ))}
      <IconButton label="Clear the selection" size="sm" onClick={selecting.clear}>
        <X aria-hidden />
      </IconButton>
    </section>
  );
}
