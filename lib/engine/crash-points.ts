import type { Action } from "@/lib/controller";

/**
 * Where a process may die between two effects: every action of every kind passes all of them, in this order. Tests end the process at
 * each; one that is passed and not listed here, or listed and never passed, is a defect.
 */
export const CRASH_POINTS = [
  /** The intent to act is recorded, nothing has happened outside. */
  "before-apply",
  /** It happened outside, nobody has recorded it. */
  "after-apply",
  /** Its outcome is recorded, the report is not written. */
  "after-record",
] as const;

export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Whose action, and which. */
export interface CrashSite {
  kind: string;
  name: string;
  uid: string;
  generation: number;
  action: Pick<Action, "type" | "effect">;
}
