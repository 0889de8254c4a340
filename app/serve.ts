/** What the routes have in common: the runtime of this process, or an answer that says why there is none. */
import { REASONS, type Reason, SetpointError } from "@/lib/errors";
import { getRuntime, type Runtime } from "@/lib/runtime";

/** An error as a `Status` body, for what is answered outside of the API. */
export function statusResponse(error: SetpointError): Response {
  const { status: code, reason, message } = error;
  const retry = error.retryAfterSeconds ?? (code === 503 ? 2 : undefined);
  return Response.json(
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code },
    { status: code, headers: { "cache-control": "no-cache, private", ...(retry === undefined ? {} : { "retry-after": String(retry) }) } },
  );
}

/**
 * The error of ours that was thrown, if it is one. The runtime lives in another bundle with a class of its own, so that
 * `instanceof` does not tell.
 */
function knownError(thrown: unknown): SetpointError | undefined {
  if (thrown instanceof SetpointError) return thrown;
  if (!(thrown instanceof Error) || thrown.name !== "SetpointError" || !("reason" in thrown)) return undefined;
  const retryAfterSeconds =
    "retryAfterSeconds" in thrown && typeof thrown.retryAfterSeconds === "number" ? thrown.retryAfterSeconds : undefined;
  return isReason(thrown.reason) ? new SetpointError(thrown.reason, thrown.message, { retryAfterSeconds }) : undefined;
}

const isReason = (word: unknown): word is Reason => typeof word === "string" && Object.hasOwn(REASONS, word);

/** Runs `answer` with the runtime; 503 while it starts, 500 without details for what nobody foresaw. */
export async function withRuntime(answer: (runtime: Runtime) => Promise<Response>): Promise<Response> {
  const runtime = getRuntime();
  if (!runtime) return statusResponse(new SetpointError("ServiceUnavailable", "Setpoint is starting."));
  try {
    return await answer(runtime);
  } catch (error) {
    const known = knownError(error);
    if (known && known.reason !== "InternalError") return statusResponse(known);
    console.error(error);
    return statusResponse(new SetpointError("InternalError", "Internal error: see the log."));
  }
}

/** Everything under /apis and /api/console. A process that only runs controllers serves neither. */
export function serveApi(request: Request): Promise<Response> {
  return withRuntime(async ({ config, api }) =>
    config.role === "worker"
      ? statusResponse(new SetpointError("NotFound", "this process runs controllers only (SETPOINT_ROLE=worker)"))
      : api.handle(request),
  );
}
