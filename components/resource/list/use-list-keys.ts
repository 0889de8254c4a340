"use client";

import { useShortcut } from "@/components/layout/shortcuts";
import type { ResourceRow } from "@/lib/api/contract";
import type { BulkAction } from "./resource-list";
import type { Selecting } from "./use-selection";

interface ListKeys {
  rows: readonly ResourceRow[];
  selecting: Selecting;
  onBulk: (action: BulkAction) => void;
}

/** The list by keyboard. The focused link marks the row, so that Enter opens it as everywhere. */
export function useListKeys({ rows, selecting, onBulk }: ListKeys): void {
  const focused = () => {
    const uid = document.activeElement?.closest<HTMLElement>("[data-row]")?.dataset.row;
    return rows.find((row) => row.uid === uid);
  };
  const toggle = (range: boolean) => {
    const row = focused();
    if (row) selecting.toggle(row, range);
  };
  useShortcut({ keys: "j", label: "Next row", run: () => moveFocus(1) });
  useShortcut({ keys: "k", label: "Previous row", run: () => moveFocus(-1) });
  useShortcut({ keys: "x", label: "Select the row", run: () => toggle(false) });
  useShortcut({ keys: "X", label: "Select up to the row", run: () => toggle(true) });
  useShortcut({ keys: "p", label: "Pause what is selected", run: () => onBulk("pause") });
  useShortcut({ keys: "r", label: "Reconcile what is selected", run: () => onBulk("reconcile") });
}

function moveFocus(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>("[data-row-link]")];
  const row = document.activeElement?.closest("[data-row]");
  const at = links.findIndex((link) => row?.contains(link));
  const next = at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step;
  const link = links[Math.min(Math.max(next, 0), links.length - 1)];
  link?.focus();
  link?.scrollIntoView({ block: "nearest" });
}
