import { fromIso, type Instant, toIso } from "@/lib/clock";
import type { Plan } from "@/lib/controller";
import type { RetryClass, SetpointError } from "@/lib/errors";
import {
  type Condition,
  type ConditionReport,
  deepEqual,
  driftOf,
  mergeConditions,
  type NextAttempt,
  type Resource,
  type State,
  type Status,
} from "@/lib/resource";
import { planHash, published } from "./hash";
import { nextAttempt } from "./next-attempt";
import type { Outcome } from "./outcome";

export interface StatusFacts {
  now: Instant;
  /** When the pass began. */
  startedAt: Instant;
  /** The last successful look, if any is known. */
  lastLookAt?: Instant;
  random: number;
  /** The pass ran before its time because of a hint; a failure then neither counts nor postpones. */
  early: boolean;
  /** Milliseconds between looks of a healthy object of the kind. */
  resyncMs: number;
}

const STATE_OF: Record<RetryClass, State> = {
  transient: "BackingOff",
  throttled: "BackingOff",
  unauthorised: "Failed",
  invalid: "Failed",
  conflict: "Failed",
  blocked: "Blocked",
};

/** Most paths a drift summary lists; the plan has them all. */
const LISTED_PATHS = 20;

/** The report after a pass: a pure function of what was stored, the outcome and the facts; what was stored itself where nothing differs. Undefined: nothing to report. */
export function statusAfter(resource: Resource, outcome: Outcome, facts: StatusFacts): Status | undefined {
  const after = statusOf(resource, outcome, facts);
  return after && deepEqual(resource.status, after) ? resource.status : after;
}

function statusOf(resource: Resource, outcome: Outcome, facts: StatusFacts): Status | undefined {
  switch (outcome.type) {
    case "converged":
      return converged(resource, outcome.plan, facts);
    case "corrected": {
      const message = `Done, looking again: ${outcome.action.message}`;
      return unsettled(resource, outcome.plan, facts, {
        state: stateWhileActing(resource),
        reason: outcome.action.reason,
        message,
        attempts: attemptsSoFar(resource),
      });
    }
    case "waiting": {
      const attempts = attemptsSoFar(resource);
      const next: NextAttempt = { at: toIso(facts.now + outcome.recheckAfterMs), cause: "Waiting", attempt: attempts + 1 };
      const { reason, message } = outcome;
      return unsettled(resource, outcome.plan, facts, { state: stateWhileActing(resource), reason, message, attempts, next });
    }
    case "withheld":
      return withheld(resource, outcome, facts);
    case "failed":
      return failed(resource, outcome.error, outcome.plan, facts);
    case "held":
      return held(resource, outcome, facts);
    default:
      return undefined;
  }
}

/** Failures count until reality matches, not until an action went through: a correction that does not last is no success. */
function attemptsSoFar({ status, metadata }: Resource): number {
  return status?.observedGeneration === metadata.generation ? status.attempts : 0;
}

function stateWhileActing(resource: Resource): State {
  return resource.metadata.deletionTimestamp ? "Deleting" : "Progressing";
}

function converged(resource: Resource, plan: Plan, facts: StatusFacts): Status {
  const before = resource.status;
  const still = before?.state === "Converged" && before.observedGeneration === resource.metadata.generation;
  return assemble(resource, plan, facts, {
    state: "Converged",
    reason: "Converged",
    message: "Reality matches intent.",
    ready: "True",
    attempts: 0,
    lastConvergedAt: (still ? before.lastConvergedAt : undefined) ?? toIso(facts.now),
  });
}

interface Unsettled {
  state: State;
  reason: string;
  message: string;
  attempts: number;
  next?: NextAttempt;
  wakeOn?: string;
  plan?: Status["plan"];
}

function unsettled(resource: Resource, plan: Plan, facts: StatusFacts, what: Unsettled): Status {
  return assemble(resource, plan, facts, { ...what, ready: "False" });
}

function withheld(resource: Resource, outcome: Extract<Outcome, { type: "withheld" }>, facts: StatusFacts): Status {
  const { plan, reason } = outcome;
  const drifted = driftOf(plan.fields).length > 0 || plan.actions.length > 0;
  const waits =
    plan.actions.length > 0 && reason !== "Observe"
      ? {
          plan: { hash: planHash(resource.metadata.uid, resource.metadata.generation, plan.actions), actions: plan.actions.map(published) },
        }
      : {};
  const next: NextAttempt | undefined = outcome.until === undefined ? undefined : { at: outcome.until, cause: "PauseEnds", attempt: 1 };
  if (reason === "Paused")
    return unsettled(resource, plan, facts, {
      state: "Paused",
      reason,
      message: outcome.message,
      attempts: 0,
      next,
      wakeOn: outcome.wakeOn,
      ...waits,
    });
  if (!drifted && !plan.waiting) return { ...converged(resource, plan, facts), message: `Reality matches intent. ${outcome.message}` };
  const state: State = drifted ? "Drifted" : "Progressing";
  const differing = driftOf(plan.fields).length;
  const message = drifted ? `${outcome.message} ${differing} ${differing === 1 ? "field differs" : "fields differ"}.` : outcome.message;
  return unsettled(resource, plan, facts, { state, reason, message, attempts: 0, wakeOn: outcome.wakeOn, ...waits });
}

function failed(resource: Resource, error: SetpointError, plan: Plan | undefined, facts: StatusFacts): Status {
  const before = resource.status;
  const counted = attemptsSoFar(resource);
  const pending = counted > 0 && (fromIso(before?.nextAttempt?.at) ?? 0) > facts.now;
  // A run before its time says nothing about whether waiting helps: it neither raises the exponent nor moves the appointment.
  const keep = facts.early && pending && before?.reason === error.reason;
  const attempts = keep ? counted : counted + 1;
  const next = keep ? before?.nextAttempt : nextAttempt(error, attempts, facts.now, facts.random, facts.resyncMs);
  const wakeOn = error.wakeOn ?? (error.retry === "invalid" ? "the spec changes" : undefined);
  const what = { state: STATE_OF[error.retry], reason: error.reason, message: error.message, attempts, next, wakeOn };
  if (plan) return { ...unsettled(resource, plan, facts, what), lastAttemptAt: toIso(facts.startedAt) };
  return { ...blind(resource, facts, what), lastAttemptAt: toIso(facts.startedAt) };
}

/** Its target answers nobody, so it is not asked: no attempt of its own, but no claim about reality either. */
function held(resource: Resource, { error, target, at }: Extract<Outcome, { type: "held" }>, facts: StatusFacts): Status {
  const before = resource.status;
  const attempts = attemptsSoFar(resource);
  const next: NextAttempt = { at: toIso(at), cause: "TargetDown", attempt: attempts + 1 };
  const message = `${error.message.replace(/\.$/, "")}. Not asked meanwhile: one object at a time tries ${target}.`;
  return {
    ...blind(resource, facts, { state: "BackingOff", reason: error.reason, message, attempts, next, wakeOn: `${target} answers` }),
    ...(before?.lastAttemptAt === undefined ? {} : { lastAttemptAt: before.lastAttemptAt }),
  };
}

/** Nothing was seen: what was known is kept and marked with its age; the kind's own conditions become Unknown. */
function blind(resource: Resource, facts: StatusFacts, what: Unsettled): Status {
  const before = resource.status;
  const { generation } = resource.metadata;
  const lastSeen = before?.lastSeenAt ?? (facts.lastLookAt === undefined ? undefined : toIso(facts.lastLookAt));
  const engineTypes = new Set(["Ready", "Synced", "Reachable"]);
  const own: ConditionReport[] = (before?.conditions ?? [])
    .filter((condition) => !engineTypes.has(condition.type))
    .map(({ type }) => ({ type, status: "Unknown", reason: what.reason, message: "Not observed since looking fails." }));
  const reports: ConditionReport[] = [
    { type: "Ready", status: "False", reason: what.reason, message: what.message },
    { type: "Synced", status: "Unknown", reason: what.reason, message: "Reality could not be looked at." },
    { type: "Reachable", status: "False", reason: what.reason, message: what.message },
    ...own,
  ];
  return {
    observedGeneration: generation,
    conditions: mergeConditions(before?.conditions ?? [], reports, generation, toIso(facts.now)),
    attempts: what.attempts,
    nextAttempt: what.next,
    wakeOn: what.wakeOn,
    lastConvergedAt: before?.lastConvergedAt,
    lastSeenAt: lastSeen,
    drift: before?.drift,
    state: what.state,
    reason: what.reason,
    message: what.message,
    observed: before?.observed,
  };
}

interface Assembled extends Unsettled {
  ready: Condition["status"];
  lastConvergedAt?: string;
}

function assemble(resource: Resource, plan: Plan, facts: StatusFacts, what: Assembled): Status {
  const before = resource.status;
  const { generation } = resource.metadata;
  const drift = driftOf(plan.fields);
  const synced: ConditionReport =
    drift.length === 0
      ? { type: "Synced", status: "True", reason: "InSync", message: "No field differs." }
      : {
          type: "Synced",
          status: "False",
          reason: "Drifted",
          message: `Differs: ${drift
            .slice(0, LISTED_PATHS)
            .map((d) => d.path)
            .join(", ")}`,
        };
  const reports: ConditionReport[] = [
    { type: "Ready", status: what.ready, reason: what.reason, message: what.message },
    synced,
    { type: "Reachable", status: "True", reason: "Observed", message: "The last look succeeded." },
    ...plan.conditions,
  ];
  return {
    observedGeneration: generation,
    conditions: mergeConditions(before?.conditions ?? [], reports, generation, toIso(facts.now)),
    attempts: what.attempts,
    lastAttemptAt: before?.lastAttemptAt,
    nextAttempt: what.next,
    wakeOn: what.wakeOn,
    lastConvergedAt: what.lastConvergedAt ?? before?.lastConvergedAt,
    drift:
      drift.length === 0
        ? undefined
        : { count: drift.length, paths: drift.slice(0, LISTED_PATHS).map((d) => d.path), since: before?.drift?.since ?? toIso(facts.now) },
    plan: what.plan,
    state: what.state,
    reason: what.reason,
    message: what.message,
    observed: plan.observed,
  };
}
