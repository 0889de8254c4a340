import type { Instant } from "@/lib/clock";
import { FINALIZER, keyOf, type Resource, type Status } from "@/lib/resource";
import type { AuditEntry, EventRecord, Fence, PassRecord, Report } from "@/lib/store";
import type { Outcome } from "./outcome";
import type { Trigger } from "./workqueue";

export interface PassFacts {
  trigger: Trigger;
  startedAt: Instant;
  now: Instant;
  durationMs: number;
  fence: Fence;
}

/** What a pass leaves behind; undefined when it found all as it was: silence at rest. */
export function recordOf(resource: Resource, outcome: Outcome, after: Status | undefined, facts: PassFacts): Report | undefined {
  const before = resource.status;
  const changed = after !== undefined && after !== before;
  const released = outcome.type === "gone" && (resource.metadata.finalizers ?? []).includes(FINALIZER);
  const turned = changed && (before?.state !== after.state || before.reason !== after.reason);
  const moved = turned || (changed && before?.observedGeneration !== after.observedGeneration);
  // A target that is down is told of once, with the target: not once for each object on it.
  const quiet = outcome.type === "held";
  const acted = outcome.type === "corrected" || outcome.type === "failed" || released;
  if (!changed && !acted) return undefined;
  const becameConverged = outcome.type === "converged" && moved;
  return {
    uid: resource.metadata.uid,
    key: keyOf(resource),
    generation: resource.metadata.generation,
    fence: facts.fence,
    ...(changed ? { status: after } : {}),
    ...(acted || (moved && !quiet) ? { pass: passOf(resource, outcome, after, facts) } : {}),
    // That new intent was met is in its pass and its revision; an event is for what is other than before.
    events: (turned && !quiet) || released ? [eventOf(resource, outcome, after, facts.now)] : [],
    ...(becameConverged ? { convergedAt: facts.now } : {}),
    ...(released ? { released: true } : {}),
  };
}

/** What is given up on purpose is said once, with what was last seen of it. */
export function orphanEntry(resource: Resource): AuditEntry {
  const { metadata, kind, status } = resource;
  return {
    actor: `controller/${kind}`,
    verb: "orphan",
    ...keyOf(resource),
    uid: metadata.uid,
    generation: metadata.generation,
    outcome: "done",
    detail: { observed: status?.observed ?? null },
  };
}

function passOf(
  resource: Resource,
  outcome: Outcome,
  after: Status | undefined,
  { trigger, startedAt, durationMs }: PassFacts,
): PassRecord {
  return {
    generation: resource.metadata.generation,
    startedAt,
    durationMs,
    trigger,
    outcome: outcome.type,
    ...wordsOf(outcome, after),
    attempt: outcome.type === "failed" ? (after?.attempts ?? 1) : 0,
    actions: actionsOf(outcome),
  };
}

function wordsOf(outcome: Outcome, after: Status | undefined): { reason: string; message: string } {
  if (outcome.type === "gone") {
    return outcome.orphaned
      ? { reason: "Orphaned", message: "Left as it is outside, as control.deletionPolicy says." }
      : { reason: "Deleted", message: "Nothing of it is observed outside any more." };
  }
  return { reason: after?.reason ?? outcome.type, message: after?.message ?? "" };
}

function actionsOf(outcome: Outcome): PassRecord["actions"] {
  switch (outcome.type) {
    case "corrected": {
      const { type, effect, target, message } = outcome.action;
      return [{ type, effect, target, message, outcome: "done" }];
    }
    case "failed": {
      if (!outcome.action) return [];
      const { type, effect, target, message } = outcome.action;
      return [{ type, effect, target, message, outcome: outcome.during === "apply" ? "failed" : "withheld", error: outcome.error.message }];
    }
    case "withheld":
      return outcome.plan.actions.map(({ type, effect, target, message }) => ({ type, effect, target, message, outcome: "withheld" }));
    default:
      return [];
  }
}

function eventOf(resource: Resource, outcome: Outcome, after: Status | undefined, at: Instant): EventRecord {
  const { reason, message } = wordsOf(outcome, after);
  return { type: outcome.type === "failed" ? "Warning" : "Normal", reason, message, generation: resource.metadata.generation, at };
}
