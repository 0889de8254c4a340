/** Errors as `Status` bodies. What was not foreseen says nothing but its request id. */
import { asSetpointError, REASONS, SetpointError } from "@/lib/errors";
import { GROUP } from "@/lib/resource";
import type { Call } from "./call";
import type { ApiStatus } from "./contract";
import { json } from "./respond";

/** Faults of the store that pass by themselves: serialization, deadlock, cancelled statement, lock not available, shutting down. */
const PASSING = new Set(["40001", "40P01", "57014", "55P03", "25P03"]);

function foreseen(thrown: unknown): SetpointError | undefined {
  if (thrown instanceof SetpointError && thrown.reason !== "InternalError") return thrown;
  const code = thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  if (PASSING.has(code) || /^(08|57P0|53)/.test(code))
    return new SetpointError("ServiceUnavailable", "The store cannot answer right now.", { cause: thrown, retryAfterSeconds: 1 });
  return undefined;
}

/** The answer to a request that failed. */
export function failure(call: Call, thrown: unknown): Response {
  const error = foreseen(thrown);
  if (!error) {
    const cause = asSetpointError(thrown);
    call.dependencies.log("request failed", {
      requestId: call.id,
      method: call.request.method,
      path: call.url.pathname,
      error: cause.message,
      stack: thrown instanceof Error ? thrown.stack : undefined,
    });
    const message = `Internal error: it is in the log under the request id ${call.id}. ${REASONS.InternalError.advice}`;
    return statusResponse(call, new SetpointError("InternalError", message));
  }
  if (error.status >= 500)
    call.dependencies.log("request not served", { requestId: call.id, path: call.url.pathname, error: error.message });
  return statusResponse(call, error);
}

function statusResponse(call: Call, error: SetpointError): Response {
  const headers: Record<string, string> = {};
  const retryAfter = error.retryAfterSeconds ?? (error.status === 503 ? 1 : undefined);
  if (retryAfter !== undefined) headers["retry-after"] = String(Math.max(1, Math.ceil(retryAfter)));
  if (error.status === 401) headers["www-authenticate"] = "Bearer";
  return json(call, statusBody(call, error, retryAfter), error.status, headers);
}

/** Reasons that are about the request and not about an object. */
const WITHOUT_DETAILS = new Set([
  "BadRequest",
  "Unauthorized",
  "NotAcceptable",
  "UnsupportedMediaType",
  "Expired",
  "RequestEntityTooLarge",
]);

/** metav1.Status of an error, shaped as kube-apiserver shapes it. */
export function statusBody(call: Call, error: SetpointError, retryAfterSeconds?: number): ApiStatus {
  const details = detailsOf(call, error, retryAfterSeconds);
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: error.message,
    reason: error.reason,
    code: error.status,
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}

/** Faults of content name the Kind, all others the plural. */
function detailsOf(call: Call, error: SetpointError, retryAfterSeconds: number | undefined): NonNullable<ApiStatus["details"]> {
  const { kind, resource, name } = call.address;
  const addressed = {
    name,
    group: kind ? GROUP : "",
    kind: kind && error.reason === "Invalid" ? kind.name : resource,
  };
  const about = error.about ?? (WITHOUT_DETAILS.has(error.reason) ? { group: "", kind: "" } : addressed);
  const causes = error.causes.map(({ reason, message, field }) => ({ reason, message, field }));
  return {
    ...(about.name ? { name: about.name } : {}),
    ...(about.group === "" ? {} : { group: about.group }),
    ...(about.kind === "" ? {} : { kind: about.kind }),
    ...(causes.length === 0 ? {} : { causes }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}
