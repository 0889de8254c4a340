"use client";

import { useRef, useState } from "react";
import type { ResourceRow } from "@/lib/api/contract";
import { NOTHING, type Selection, selectRange, togglePage, toggleRow } from "./selection";

export interface Selecting {
  selection: Selection;
  toggle(row: ResourceRow, range: boolean): void;
  togglePage(): void;
  selectAll(): void;
  clear(): void;
}

/** The selection belongs to one filter: another filter begins with nothing selected. */
export function useSelection(match: string, rows: readonly ResourceRow[]): Selecting {
  const [kept, keep] = useState<{ match: string; selection: Selection }>({ match, selection: NOTHING });
  const anchor = useRef<string>(undefined);
  const selection = kept.match === match ? kept.selection : NOTHING;
  const set = (next: Selection) => keep({ match, selection: next });
  return {
    selection,
    toggle(row, range) {
      set(range ? selectRange(selection, rows, anchor.current, row.uid) : toggleRow(selection, row, rows));
      anchor.current = row.uid;
    },
    togglePage: () => set(togglePage(selection, rows)),
    selectAll: () => set({ all: true }),
    clear: () => set(NOTHING),
  };
}
