import type { ControllerRow } from "@/lib/api/contract";

/** A target that does not answer, with all that waits for it. */
export interface SilentTarget {
  target: string;
  message: string;
  /** ISO 8601: since the first kind noticed. */
  since: string;
  /** ISO 8601: when the first kind tries it again. */
  nextAttemptAt: string;
  waiting: { kind: string; objects: number }[];
}

/** Every target once, whichever kinds call it; in the order in which they fell silent. */
export function silentTargets(rows: readonly Pick<ControllerRow, "kind" | "targets">[]): SilentTarget[] {
  const merged = new Map<string, SilentTarget>();
  for (const { kind, targets = [] } of rows)
    for (const { target, message, since, nextAttemptAt, waiting: objects } of targets) {
      const known = merged.get(target);
      merged.set(target, {
        target,
        // The kind that noticed first says why.
        message: known && known.since < since ? known.message : message,
        since: earlier(known?.since, since),
        nextAttemptAt: earlier(known?.nextAttemptAt, nextAttemptAt),
        waiting: [...(known?.waiting ?? []), { kind, objects }],
      });
    }
  return [...merged.values()].sort((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0));
}

/** "3 PostgresRole, 1 PostgresServer"; nothing waits where nobody has asked for it yet. */
export function waitingText(waiting: SilentTarget["waiting"]): string {
  const parts = waiting.filter(({ objects }) => objects > 0).map(({ kind, objects }) => `${objects.toLocaleString("en")} ${kind}`);
  return parts.length === 0 ? "no object waits" : `${parts.join(", ")} ${total(waiting) === 1 ? "waits" : "wait"}`;
}

const total = (waiting: SilentTarget["waiting"]) => waiting.reduce((sum, { objects }) => sum + objects, 0);

/** Times of the API are ISO 8601 in UTC with milliseconds: they sort as text. */
function earlier(known: string | undefined, at: string): string {
  return known !== undefined && known < at ? known : at;
}
