import { findCondition } from "./conditions";
import { type Freshness, type Mode, type Pause, pauseInForce, type Resource, type State } from "./model";

/** The second axis: how the outside thing is, as far as is known now. */
export type Health = "Healthy" | "Degraded" | "Missing" | "Unknown";

/** What lists, badges and the "not acting because" line show; derived from intent, hand, report and freshness, never stored. */
export interface View {
  state: State;
  health: Health;
  reason: string;
  message: string;
  /** One sentence when something keeps the loop from acting; absent when nothing does. */
  notActing?: string;
  /** When it is tried next, if a clock decides. ISO 8601. */
  nextAttemptAt?: string;
}

interface KindPause {
  kindPaused?: Pause;
}

/** Whether a stored state claims that reality matches intent. Only such a claim can go stale by age alone. */
export function claimsConverged(state: State): boolean {
  return state === "Converged";
}

/**
 * The one place that decides what a resource is called. Order: stale beats everything (nothing newer is known), a pause beats
 * the stored state, an intent nobody looked at yet is Progressing, else the engine's own word. Paused and stale are never green.
 */
export function viewOf(resource: Resource<unknown>, freshness: Freshness, now: number, { kindPaused }: KindPause = {}): View {
  const { status, control, metadata } = resource;
  const health = healthOf(resource, freshness);
  const next = status?.nextAttempt ? { nextAttemptAt: status.nextAttempt.at } : {};
  const kindPauseActive = kindPaused !== undefined && (kindPaused.until === undefined || Date.parse(kindPaused.until) > now);
  const pause = pauseInForce(control, now) ? control.paused : kindPauseActive ? kindPaused : undefined;
  const notActing = pause ? pauseSentence(pause, pause === control.paused ? "" : `all ${resource.kind} `) : notActingSentence(resource);

  if (freshness.stale) {
    const message = freshness.message ?? "Nobody has looked at it for too long; what is shown is the last known report.";
    return { state: "Stale", health, reason: "Stale", message, notActing: notActing ?? message, ...next };
  }
  if (pause)
    return { state: "Paused", health, reason: "Paused", message: capital(pauseSentence(pause, "")), ...(notActing ? { notActing } : {}) };
  if (!status || status.observedGeneration < metadata.generation) {
    const message = status ? "New intent, waiting for its first look." : "Waiting for its first look.";
    return { state: metadata.deletionTimestamp ? "Deleting" : "Progressing", health, reason: "NewIntent", message };
  }
  return { state: status.state, health, reason: status.reason, message: status.message, ...(notActing ? { notActing } : {}), ...next };
}

function healthOf({ status }: Resource<unknown>, freshness: Freshness): Health {
  if (!status || freshness.stale || findCondition(status.conditions, "Reachable")?.status !== "True") return "Unknown";
  const available = findCondition(status.conditions, "Available");
  if (available?.status === "True") return "Healthy";
  if (available?.status === "False") return available.reason === "Missing" ? "Missing" : "Degraded";
  if (available) return "Unknown";
  return findCondition(status.conditions, "Ready")?.status === "True" ? "Healthy" : "Degraded";
}

function pauseSentence(pause: Pause, scope: string): string {
  return `${scope}paused by ${pause.by}: ${pause.reason}${pause.until ? ` (until ${pause.until})` : ""}`;
}

const MODE_SENTENCE: Record<Mode, string | undefined> = {
  Auto: undefined,
  DryRun: "dry-run: the plan is shown and never applied",
  Observe: "observe only: drift is shown, no plan is made",
};

function notActingSentence({ control, status, metadata }: Resource<unknown>): string | undefined {
  const mode = MODE_SENTENCE[control.mode];
  if (mode) return mode;
  if (!status || status.observedGeneration < metadata.generation) return undefined;
  if (status.nextAttempt && status.state !== "Progressing")
    return `${status.reason}: ${sentence(status.message)} Next attempt ${status.nextAttempt.at}.`;
  if (status.wakeOn) return `${status.reason}: waits until ${status.wakeOn}`;
  return undefined;
}

/** Ends like a sentence, whatever a target's message ends with. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
