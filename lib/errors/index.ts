/**
 * One error class for the whole product. A reason decides the HTTP status a client sees and the class of
 * backoff a controller uses; both are in the one table below, so that a failure means the same everywhere.
 */

/** How a failed attempt is retried. See `lib/engine/next-attempt.ts` for the numbers. */
export type RetryClass = "transient" | "throttled" | "unauthorised" | "invalid" | "conflict" | "blocked";

interface ReasonFacts {
  /** HTTP status when the reason ends a request. */
  status: number;
  /** Backoff when the reason ends an attempt. */
  retry: RetryClass;
  /** What a person can do about it, one sentence. */
  advice: string;
}

/** The catalogue of reasons: every failure shown anywhere has one of these. */
export const REASONS = {
  // Requests
  BadRequest: { status: 400, retry: "invalid", advice: "Correct the request and send it again." },
  Unauthorized: { status: 401, retry: "unauthorised", advice: "Sign in, or send a valid bearer token." },
  Forbidden: { status: 403, retry: "unauthorised", advice: "Ask an administrator for the role that allows this." },
  NotFound: { status: 404, retry: "invalid", advice: "Check the kind, the namespace and the name." },
  MethodNotAllowed: { status: 405, retry: "invalid", advice: "Use one of the methods in the Allow header." },
  AlreadyExists: { status: 409, retry: "conflict", advice: "Choose another name, or edit the existing object." },
  Conflict: { status: 409, retry: "conflict", advice: "Load the newest version and apply your change to it." },
  Expired: { status: 410, retry: "conflict", advice: "List again and watch from the resourceVersion of that list." },
  RequestEntityTooLarge: { status: 413, retry: "invalid", advice: "Make the object smaller." },
  UnsupportedMediaType: { status: 415, retry: "invalid", advice: "Send application/json." },
  NotAcceptable: { status: 406, retry: "invalid", advice: "Accept application/json." },
  Invalid: { status: 422, retry: "invalid", advice: "Correct the named fields." },
  TooManyRequests: { status: 429, retry: "throttled", advice: "Wait as long as Retry-After says." },
  InternalError: { status: 500, retry: "transient", advice: "This is a defect of Setpoint: report it with the request id." },
  ServiceUnavailable: { status: 503, retry: "transient", advice: "Try again shortly; see the Controllers page if it lasts." },
  Timeout: { status: 504, retry: "transient", advice: "Try again shortly." },

  // Attempts against a target
  Unreachable: { status: 502, retry: "transient", advice: "Check that the target runs and that this host can reach it." },
  TargetTimeout: { status: 504, retry: "transient", advice: "The target did not answer in time: check its load and the network." },
  TargetError: { status: 502, retry: "transient", advice: "The target failed: see its own logs." },
  Throttled: { status: 429, retry: "throttled", advice: "The target asked for fewer calls; nothing to do unless it lasts." },
  AccessDenied: { status: 502, retry: "unauthorised", advice: "Check the credential and the rights it has on the target." },
  Rejected: { status: 422, retry: "invalid", advice: "The target refused the intent: correct the spec." },
  InvalidSpec: { status: 422, retry: "invalid", advice: "Correct the spec; the loop waits for the next edit." },
  NotOurs: { status: 409, retry: "conflict", advice: "Something else made this: choose another name, or adopt it with control.adopt." },
  Contested: {
    status: 409,
    retry: "conflict",
    advice: "Two writers claim the same outside thing, or undo each other: end one claim, or stop the other writer.",
  },
  NotConvergent: {
    status: 409,
    retry: "conflict",
    advice: "The same correction did not last three times: find who undoes it, or correct the spec.",
  },
  DependencyNotReady: { status: 409, retry: "blocked", advice: "Bring the named dependency in order; this resource follows by itself." },
  InUse: { status: 409, retry: "blocked", advice: "Remove what still depends on it first." },
  Unsupported: { status: 422, retry: "invalid", advice: "This host cannot do it: see the message." },
} as const satisfies Record<string, ReasonFacts>;

/** A word of the catalogue. */
export type Reason = keyof typeof REASONS;

/** One named fault of a request's field. `field` is a path such as `spec.replicas`. */
export interface Cause {
  reason:
    | "FieldValueInvalid"
    | "FieldValueRequired"
    | "FieldValueNotSupported"
    | "FieldValueForbidden"
    | "FieldValueDuplicate"
    | "FieldManagerConflict"
    | "ResourceVersionTooLarge";
  field: string;
  message: string;
}

/** `details` of a Status: `group` is empty for the core group. */
export interface About {
  group: string;
  kind: string;
  name?: string;
}

export interface SetpointErrorOptions {
  /** Faults by field, for requests. */
  causes?: Cause[];
  /** What the fault is about, where that is not the object that the URL names: options of the request, another object. */
  about?: About;
  /** When to come back, in seconds, if the other side said so. */
  retryAfterSeconds?: number;
  /** What ends the wait when no clock does, e.g. "PostgresServer/main becomes Ready". */
  wakeOn?: string;
  /** The underlying error; never shown to clients. */
  cause?: unknown;
}

/** The one error class. The message is for people: it names what and why, and never a secret's value. */
export class SetpointError extends Error {
  readonly reason: Reason;
  readonly causes: Cause[];
  readonly about?: About;
  readonly retryAfterSeconds?: number;
  readonly wakeOn?: string;

  constructor(reason: Reason, message: string, options: SetpointErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "SetpointError";
    this.reason = reason;
    this.causes = options.causes ?? [];
    this.about = options.about;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.wakeOn = options.wakeOn;
  }

  /** HTTP status of this error. */
  get status(): number {
    return REASONS[this.reason].status;
  }

  /** How the failed attempt is retried. */
  get retry(): RetryClass {
    return REASONS[this.reason].retry;
  }
}

/** Turns anything thrown into a SetpointError, keeping one that already is. Unknown faults become `fallback`. */
export function asSetpointError(thrown: unknown, fallback: Reason = "InternalError"): SetpointError {
  if (thrown instanceof SetpointError) return thrown;
  const message = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  return new SetpointError(fallback, message, { cause: thrown });
}
