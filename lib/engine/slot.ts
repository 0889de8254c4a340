import { type Instant, toIso } from "@/lib/clock";
import { type Action, type AnyController, DEFAULT_RESYNC_MS, type Plan } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { claimsConverged, type Resource } from "@/lib/resource";
import type { PublishedLooks } from "@/lib/store";
import { contestOf, type Flip, noteCorrection, noteLook } from "./oscillation";
import type { Outcome } from "./outcome";
import type { Trigger } from "./workqueue";

/** All that a worker remembers of one resource. Derivable from the store but for counters that only matter while it lives. */
export interface Slot {
  resource: Resource;
  slice: string;
  controller: AnyController;
  /** The last successful look of this worker; `NEVER` before the first. A number all along: else each look would make a new object of it. */
  lastLookAt: Instant;
  lastPassAt: Instant;
  /** How often each action was applied without lasting convergence since; undefined for none. */
  corrections: Map<string, number> | undefined;
  convergedSince: Instant | undefined;
  /** Fields that somebody else keeps changing back, by path; undefined for none. */
  flips: Map<string, Flip> | undefined;
  /** The account its calls go to; null: none; undefined: not known yet. */
  target: string | null | undefined;
  /** Waiting passes in a row: rechecks slow down. */
  waits: number;
  /** No longer ours, or gone: what still runs for it is of no effect. Known anew, it is another slot. */
  forgotten: boolean;
  /** References by which this slot is woken, as indexed. */
  references: readonly string[];
}

/** The same correction this many times without lasting is enough. */
const LARGEST_REPEAT = 3;
/** Converged for this long, earlier corrections are forgotten. */
const LASTING_MS = 30_000;
/** A waiting resource is looked at again this much later each time, up to one resync. */
const RECHECK_GROWTH = 1.5;

/** Before any time. */
const NEVER = Number.NEGATIVE_INFINITY;

/** The last successful look of this worker, if there was one. */
export function lastLookOf({ lastLookAt }: Slot): Instant | undefined {
  return lastLookAt === NEVER ? undefined : lastLookAt;
}

export function resyncMsOf({ controller }: Slot): number {
  return controller.kind.resyncMs ?? DEFAULT_RESYNC_MS;
}

/** Of most there are none: one list for all of them. */
export const NONE: readonly string[] = [];

/** Every field from the beginning: what comes later would cost each of them more. */
export function newSlot(resource: Resource, slice: string, controller: AnyController): Slot {
  return {
    resource,
    slice,
    controller,
    lastLookAt: NEVER,
    lastPassAt: 0,
    corrections: undefined,
    convergedSince: undefined,
    flips: undefined,
    target: unresolved(controller),
    waits: 0,
    forgotten: false,
    references: NONE,
  };
}

const MOST_OLDER_READS = 3;

/**
 * Takes in the row as it is stored, unless it cannot be read, or a pass has concluded meanwhile: then that one's report tells. An answer from before what the feed has told meanwhile is asked for again.
 */
export async function reread(slot: Slot, read: () => Promise<Resource | undefined>): Promise<boolean> {
  const { status } = slot.resource;
  for (let again = 0; ; again++) {
    const stored = await read().catch(() => undefined);
    if (!stored || slot.resource.status !== status) return false;
    const older = BigInt(stored.metadata.resourceVersion) < BigInt(slot.resource.metadata.resourceVersion);
    // One that stays older is of a store that was restored: then it is all there is.
    if (older && again < MOST_OLDER_READS) continue;
    slot.resource = stored;
    return true;
  }
}

/** Kinds without a target need not be asked for one. */
export function unresolved({ target }: Pick<AnyController, "target">): Slot["target"] {
  return target ? undefined : null;
}

function fingerprint({ type, effect, target }: Action): string {
  return `${effect} ${type} ${target}`;
}

/**
 * Refuses the fourth repetition of an action that did not last, and any correction of a field that somebody else keeps changing back;
 * a retry that waited its backoff may try once more.
 */
export function refusalOf(slot: Slot, trigger: Trigger, now: Instant): (action: Action, plan: Plan) => SetpointError | undefined {
  return (action, plan) => {
    if (slot.flips) noteLook(slot.flips, plan, now);
    if (trigger === "retry" || trigger === "requested" || trigger === "intent") return undefined;
    const contest = slot.flips && contestOf(slot.flips, action, plan);
    if (contest) return contest;
    const repeats = slot.corrections?.get(fingerprint(action)) ?? 0;
    if (repeats < LARGEST_REPEAT) return undefined;
    return new SetpointError("NotConvergent", `"${action.message}" was done ${repeats} times and did not last.`);
  };
}

/** Takes note of what a pass saw and did, for later refusals. Convergence that lasts clears the counts; one that is lost again at once does not. */
export function remember(slot: Slot, outcome: Outcome, now: Instant): void {
  if (slot.flips && "plan" in outcome && outcome.plan) noteLook(slot.flips, outcome.plan, now);
  if (outcome.type === "corrected") {
    const key = fingerprint(outcome.action);
    slot.corrections ??= new Map();
    slot.corrections.set(key, (slot.corrections.get(key) ?? 0) + 1);
    slot.flips ??= new Map();
    noteCorrection(slot.flips, outcome.action, outcome.plan);
  }
  if (outcome.type !== "converged") {
    slot.convergedSince = undefined;
    return;
  }
  slot.convergedSince ??= now;
  if (now - slot.convergedSince >= LASTING_MS) slot.corrections = undefined;
}

/** Rechecks of something that is long in coming grow apart, up to the pace of resync. */
export function slowDown(slot: Slot, outcome: Outcome, resyncMs: number): Outcome {
  if (outcome.type !== "waiting") {
    slot.waits = 0;
    return outcome;
  }
  const recheckAfterMs = Math.min(resyncMs, outcome.recheckAfterMs * RECHECK_GROWTH ** Math.min(slot.waits, 20));
  slot.waits += 1;
  return { ...outcome, recheckAfterMs };
}

/** With looks older than so many resyncs a slice is told apart, so that one that lags does not age all others. */
const LATE_RESYNCS = 2;

/** What a worker says of all that it holds. */
export interface Survey {
  /** The looks at those that claim to be converged: per kind over all slices, and the slices that are behind. */
  looks: PublishedLooks;
  /** How many of each kind are between failed attempts. */
  retrying: ReadonlyMap<string, number>;
}

/** Reads each slot once: with many, most of the time goes into getting at them. */
export function survey(slots: Iterable<Slot>, now: Instant): Survey {
  const retrying = new Map<string, number>();
  const bySlice = new Map<string, Map<AnyController, Instant>>();
  for (const { slice, resource, controller, lastLookAt } of slots) {
    const { status } = resource;
    if (!status) continue;
    if (status.attempts > 0) retrying.set(resource.kind, (retrying.get(resource.kind) ?? 0) + 1);
    if (!claimsConverged(status.state)) continue;
    let kinds = bySlice.get(slice);
    if (!kinds) {
      kinds = new Map();
      bySlice.set(slice, kinds);
    }
    const oldest = kinds.get(controller);
    if (oldest === undefined || lastLookAt < oldest) kinds.set(controller, lastLookAt);
  }
  return { looks: published(bySlice, now), retrying };
}

/** From the oldest look per slice and kind; `NEVER` with one that was never looked at. */
function published(bySlice: Map<string, Map<AnyController, Instant>>, now: Instant): PublishedLooks {
  const oldest = new Map<string, Instant>();
  const behind: PublishedLooks["behind"] = {};
  for (const [slice, kinds] of bySlice) {
    for (const [controller, look] of kinds) {
      const { name, resyncMs = DEFAULT_RESYNC_MS } = controller.kind;
      if (now - look <= LATE_RESYNCS * resyncMs) oldest.set(name, Math.min(look, oldest.get(name) ?? look));
      else behind[slice] = { ...behind[slice], [name]: look === NEVER ? null : toIso(look) };
    }
  }
  return { oldest: Object.fromEntries([...oldest].map(([kind, look]) => [kind, toIso(look)])), behind };
}
