import type { ApiStatus } from "@/lib/api/contract";
import { type Cause, REASONS, type Reason } from "@/lib/errors";

/** What a failed request throws: everything a page needs to say what happened and what to do about it. */
export class ApiError extends Error {
  /** HTTP status; 0 when no answer came at all. */
  readonly status: number;
  readonly reason: string;
  readonly causes: Pick<Cause, "field" | "message">[];
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;

  constructor(facts: {
    status: number;
    reason: string;
    message: string;
    causes?: Pick<Cause, "field" | "message">[];
    requestId?: string;
    retryAfterSeconds?: number;
  }) {
    super(facts.message);
    this.name = "ApiError";
    this.status = facts.status;
    this.reason = facts.reason;
    this.causes = facts.causes ?? [];
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  /** What a person can do about it, from the product's catalogue of reasons. */
  get advice(): string | undefined {
    if (this.reason === "Unreachable" && this.status === 0) return "Check the connection to Setpoint; this page tries again by itself.";
    if (this.reason === "ClientError") return "This is a defect of Setpoint: report it with these details.";
    return this.reason in REASONS ? REASONS[this.reason as Reason].advice : undefined;
  }
}

/** Whether the answer was a refusal because somebody else changed the object meanwhile; one that names fields is about who owns them. */
export function isConflict(thrown: unknown): thrown is ApiError {
  return thrown instanceof ApiError && thrown.status === 409 && thrown.reason === "Conflict" && thrown.causes.length === 0;
}

/** Any thrown thing as an ApiError, so that every error can be shown the same way. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // Next hides what failed on the server behind a digest; the log there has the same one.
  const digest = thrown instanceof Error && "digest" in thrown && typeof thrown.digest === "string" ? thrown.digest : undefined;
  return new ApiError({ status: 0, reason: "ClientError", message, requestId: digest });
}

/** The error in an answer's body, whatever it turned out to be. */
export function errorFrom(status: number, body: unknown, requestId: string | undefined): ApiError {
  const facts = isStatus(body) ? body : undefined;
  return new ApiError({
    status,
    reason: facts?.reason ?? (status >= 500 ? "InternalError" : "BadRequest"),
    message: facts?.message ?? `The server answered ${status}.`,
    causes: facts?.details?.causes ?? [],
    requestId,
    retryAfterSeconds: facts?.details?.retryAfterSeconds,
  });
}

function isStatus(body: unknown): body is ApiStatus {
  return typeof body === "object" && body !== null && "kind" in body && body.kind === "Status";
}
