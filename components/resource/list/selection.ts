import type { ResourceRow } from "@/lib/api/contract";

/** What a bulk action will be sent for: the rows picked one by one, or everything that matches the filter. */
export type Selection = { all: false; picked: ReadonlyMap<string, Picked> } | { all: true };
export type Picked = Pick<ResourceRow, "uid" | "kind" | "plural" | "namespace" | "name">;

export const NOTHING: Selection = { all: false, picked: new Map() };

export function isSelected(selection: Selection, uid: string): boolean {
  return selection.all || selection.picked.has(uid);
}

export function countSelected(selection: Selection, total: number): number {
  return selection.all ? total : selection.picked.size;
}

/** Picks or drops one row. Dropping one out of "all matching" leaves the other rows of this page. */
export function toggleRow(selection: Selection, row: ResourceRow, page: readonly ResourceRow[]): Selection {
  const picked = new Map(selection.all ? page.map((other) => [other.uid, pick(other)]) : selection.picked);
  if (!picked.delete(row.uid)) picked.set(row.uid, pick(row));
  return { all: false, picked };
}

/** Picks every row from `anchor` to `row`, both included; without an anchor on this page only the row. */
export function selectRange(selection: Selection, page: readonly ResourceRow[], anchor: string | undefined, uid: string): Selection {
  const to = page.findIndex((row) => row.uid === uid);
  const start = page.findIndex((row) => row.uid === anchor);
  const from = start < 0 ? to : start;
  const range = page.slice(Math.min(from, to), Math.max(from, to) + 1);
  const picked = new Map(selection.all ? [] : selection.picked);
  for (const row of range) picked.set(row.uid, pick(row));
  return { all: false, picked };
}

/** The header's checkbox: all rows of this page, or none of them when all were picked. */
export function togglePage(selection: Selection, page: readonly ResourceRow[]): Selection {
  if (selection.all) return NOTHING;
  const picked = new Map(selection.picked);
  const every = page.every((row) => picked.has(row.uid));
  for (const row of page) {
    if (every) picked.delete(row.uid);
    else picked.set(row.uid, pick(row));
  }
  return { all: false, picked };
}

export function pageState(selection: Selection, page: readonly ResourceRow[]): "none" | "some" | "all" {
  const count = page.filter((row) => isSelected(selection, row.uid)).length;
  if (count === 0) return "none";
  return count === page.length ? "all" : "some";
}

function pick({ uid, kind, plural, namespace, name }: ResourceRow): Picked {
  return { uid, kind, plural, namespace, name };
}
