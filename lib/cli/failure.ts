/** What ends a command, in words for people. */

/** The answer is no: it differs, it did not come true. */
export const NO = 1;
/** It could not be found out: a wrong command, no server, a refused request. */
export const FAILED = 2;

export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: number = FAILED,
  ) {
    super(message);
    this.name = "Failure";
  }
}

interface StatusBody {
  message?: string;
  reason?: string;
  details?: { causes?: { field?: string; message?: string }[]; retryAfterSeconds?: number };
}

/** A request that the server refused: its own words, and a line for each field. */
export class Refused extends Failure {
  readonly reason: string;

  constructor(
    readonly status: number,
    body: unknown,
  ) {
    const { message, reason, details }: StatusBody = typeof body === "object" && body !== null ? body : {};
    const said = message ?? (typeof body === "string" && body.trim() !== "" ? body.trim().slice(0, 500) : "no reason was given");
    const causes = (details?.causes ?? []).map(({ field, message: why }) => `\n  ${field ? `${field}: ` : ""}${why ?? ""}`);
    const later = details?.retryAfterSeconds === undefined ? "" : `\n  try again in ${details.retryAfterSeconds} s`;
    super(`Error from the server (${reason ?? status}): ${said}${causes.join("")}${later}`);
    this.name = "Refused";
    this.reason = reason ?? "";
  }
}
