/** A field that goes back and forth because somebody else writes it too. Pure; the facts live in the resource's slot. */
import type { Instant } from "@/lib/clock";
import type { Action, Plan } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { deepEqual, type Json } from "@/lib/resource";

/** What is remembered of one field that we corrected. */
export interface Flip {
  /** The value that somebody else wrote and we replaced. */
  theirs: Json | undefined;
  /** How often it came back after ours had been seen in place. */
  returns: number;
  /** Ours is in place since then; undefined while theirs is. */
  oursSince?: Instant;
}

/** Theirs, ours, theirs, ours, theirs: the second return is enough. */
const ENOUGH_RETURNS = 2;
/** Ours in place for this long, the contest is over. */
const STAYS_MS = 300_000;
/** A contested field is corrected this rarely, to find out whether the contest is over. */
const ASK_AGAIN_SECONDS = 300;

/** Notes what a look found: a field that stays ours is forgotten, one that became theirs again is counted. */
export function noteLook(flips: Map<string, Flip>, plan: Plan, now: Instant): void {
  if (flips.size === 0) return;
  for (const field of plan.fields) {
    const flip = flips.get(field.path);
    if (!flip) continue;
    if (field.same) {
      flip.oursSince ??= now;
      if (now - flip.oursSince >= STAYS_MS) flips.delete(field.path);
    } else if (!deepEqual(field.actual, flip.theirs)) flips.delete(field.path);
    else if (flip.oursSince !== undefined) {
      flip.returns += 1;
      flip.oursSince = undefined;
    }
  }
}

/**
 * Notes what a correction replaced. Only a changed value has another writer behind it: what is missing may have ended by itself, and
 * making it anew is no contest.
 */
export function noteCorrection(flips: Map<string, Flip>, action: Action, plan: Plan): void {
  if (action.effect !== "update") return;
  for (const { same, path, actual } of plan.fields) {
    if (same || actual === undefined) continue;
    const flip = flips.get(path);
    if (!flip) flips.set(path, { theirs: actual, returns: 0 });
  }
}

/** Refuses to go on when a field that the action would correct is contested. */
export function contestOf(flips: ReadonlyMap<string, Flip>, action: Action, plan: Plan): SetpointError | undefined {
  if (action.effect !== "update") return undefined;
  const contested = plan.fields.filter(({ path, same }) => !same && (flips.get(path)?.returns ?? 0) >= ENOUGH_RETURNS);
  if (contested.length === 0) return undefined;
  const paths = contested.map(({ path }) => path).join(", ");
  const other = plan.otherWriter ?? "a writer the target does not name";
  return new SetpointError(
    "Contested",
    `${paths} ${contested.length === 1 ? "goes" : "go"} back and forth between two writers: Setpoint sets what the spec says, and ${other} changes it back. ` +
      "It is left as it is, and corrected rarely to see whether that has ended.",
    { retryAfterSeconds: ASK_AGAIN_SECONDS, wakeOn: "the spec changes, or the other writer stops" },
  );
}
