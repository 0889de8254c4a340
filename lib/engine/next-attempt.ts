import { type Instant, toIso } from "@/lib/clock";
import { REASONS, type Reason, type RetryClass, type SetpointError } from "@/lib/errors";
import type { AttemptCause, NextAttempt } from "@/lib/resource";

interface Backoff {
  baseMs: number;
  capMs: number;
  cause: AttemptCause;
}

/** Exponential with factor 2, per class of failure. Public, so that the docs and the pages can say it. */
export const BACKOFF: Record<RetryClass, Backoff> = {
  transient: { baseMs: 1_000, capMs: 300_000, cause: "Retry" },
  throttled: { baseMs: 5_000, capMs: 600_000, cause: "Throttled" },
  unauthorised: { baseMs: 15_000, capMs: 600_000, cause: "Unauthorised" },
  invalid: { baseMs: 60_000, capMs: 6 * 3_600_000, cause: "Invalid" },
  conflict: { baseMs: 2_000, capMs: 300_000, cause: "Conflict" },
  blocked: { baseMs: 5_000, capMs: 60_000, cause: "Blocked" },
};

/** Failures beyond this do not change the delay any more; keeps 2^n far from overflow. */
const LARGEST_EXPONENT = 20;

/**
 * Milliseconds to wait after `failures` failed attempts in a row (1 = the first): min(cap, base·2^(n-1)) times a jitter in [0.5, 1).
 * Monotone in expectation, never above the cap, never 0, NaN or infinite for any input. A Retry-After is honoured up to the cap.
 */
export function backoffMs(retry: RetryClass, failures: number, random: number, retryAfterSeconds?: number): number {
  const { baseMs, capMs } = BACKOFF[retry];
  const exponent = Math.min(Math.max(Math.floor(failures) - 1, 0) || 0, LARGEST_EXPONENT);
  const delay = Math.min(capMs, baseMs * 2 ** exponent) * (0.5 + Math.min(Math.max(random, 0), 0.999) / 2);
  const asked = retryAfterSeconds !== undefined && retryAfterSeconds > 0 ? Math.min(retryAfterSeconds * 1000, capMs) : 0;
  return Math.round(Math.max(delay, asked));
}

/** What waiting alone does not cure: after two quick attempts it is never looked at more often than what is healthy. */
const HOPELESS: ReadonlySet<RetryClass> = new Set(["invalid", "unauthorised", "conflict"]);
const QUICK_ATTEMPTS = 2;

/** The attempt after a failure; `failures` includes it. `resyncMs` is the time between looks of a healthy object. */
export function nextAttempt(error: SetpointError, failures: number, now: Instant, random: number, resyncMs = 0): NextAttempt {
  const backoff = backoffMs(error.retry, failures, random, error.retryAfterSeconds);
  const hopeless = HOPELESS.has(error.retry) && failures >= QUICK_ATTEMPTS;
  const delay = hopeless ? Math.max(backoff, Math.round(resyncMs * (1 + 0.1 * random))) : backoff;
  return { at: toIso(now + delay), cause: causeOf(error), attempt: failures + 1 };
}

/** No later than so many milliseconds from now can an attempt have been announced by a clock that was right. */
export function longestWaitMs(reason: string, failures: number, resyncMs: number): number {
  const retry = isReason(reason) ? REASONS[reason].retry : "invalid";
  // A target that says when to come back may say up to the cap.
  const longest = retry === "throttled" ? BACKOFF[retry].capMs : backoffMs(retry, failures, 1);
  return Math.max(longest, HOPELESS.has(retry) ? Math.round(resyncMs * 1.1) : 0);
}

function isReason(reason: string): reason is Reason {
  return Object.hasOwn(REASONS, reason);
}

function causeOf({ reason, retry, retryAfterSeconds }: SetpointError): AttemptCause {
  if (reason === "NotConvergent") return reason;
  // Two objects that claim one thing say no time; another writer that changes a field back is asked about rarely.
  return reason === "Contested" && retryAfterSeconds !== undefined ? reason : BACKOFF[retry].cause;
}

/** Time between looks with ±10 % jitter, so that objects made together do not stay together. */
export function resyncDelayMs(resyncMs: number, random: number): number {
  return Math.round(resyncMs * (0.9 + 0.2 * random));
}
