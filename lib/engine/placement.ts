/** When a key runs: the one place that turns facts and outcomes into a time in the queue. */
import { fromIso, type SteadyClock } from "@/lib/clock";
import type { Resource } from "@/lib/resource";
import type { Lane } from "./lane";
import { longestWaitMs, resyncDelayMs } from "./next-attempt";
import type { Outcome } from "./outcome";
import type { Workqueue } from "./workqueue";

/** The store's trouble is asked about this soon again. */
export const STORE_TROUBLE_MS = 1_000;

/** Looks that only come round again are made together, in steps of this part of the period and at most so long: to wake a process costs more than a look. */
const RESYNC_STEPS = 60;
const LONGEST_STEP_MS = 250;

/** Places a newly known resource: new intent at once, a retry when the page said so, the rest spread over `spreadMs`. */
export function placeFirst(
  lane: Lane,
  { status, metadata }: Resource,
  { clock, spreadMs, resyncMs }: { clock: SteadyClock; spreadMs: number; resyncMs: number },
): void {
  const isNew = !status || status.observedGeneration < metadata.generation;
  if (!isNew && status.nextAttempt && status.attempts > 0) {
    // Whoever announced it may have had a wrong clock.
    const latest = clock.now() + longestWaitMs(status.reason, status.attempts, resyncMs);
    lane.addAt(metadata.uid, "retry", Math.min(latest, clock.fromWall(Date.parse(status.nextAttempt.at))));
  } else if (isNew || metadata.deletionTimestamp) {
    lane.add(metadata.uid, "intent");
  } else {
    lane.addAt(metadata.uid, "start", clock.now() + clock.random() * spreadMs);
  }
}

/** When the pass's outcome wants the next look; `at` is what its report announced, `share` how much of the period a healthy one waits. */
export function placeNext(
  queue: Workqueue,
  uid: string,
  outcome: Outcome,
  { at, resyncMs, share, clock }: { at: string | undefined; resyncMs: number; share: number; clock: SteadyClock },
): void {
  const now = clock.now();
  const stepMs = Math.max(1, Math.min(LONGEST_STEP_MS, resyncMs / RESYNC_STEPS));
  const resyncAt = Math.ceil((now + resyncDelayMs(resyncMs * share, clock.random())) / stepMs) * stepMs;
  const announcedAt = fromIso(at);
  const announced = announcedAt === undefined ? undefined : clock.fromWall(announcedAt);
  if (outcome.type === "corrected") queue.add(uid, "correction", now);
  else if (outcome.type === "failed") queue.reschedule(uid, "retry", announced ?? resyncAt);
  else if (outcome.type === "waiting") queue.reschedule(uid, "recheck", announced ?? resyncAt);
  else if (outcome.type === "outdated") queue.reschedule(uid, "recheck", now + STORE_TROUBLE_MS);
  else queue.reschedule(uid, "resync", Math.min(resyncAt, announced ?? resyncAt));
}
