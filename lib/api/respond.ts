import { SetpointError } from "@/lib/errors";
import type { Call } from "./call";

/** Headers that every answer carries. */
export function commonHeaders(call: Pick<Call, "id">): Record<string, string> {
  return { "cache-control": "no-cache, private", "x-request-id": call.id, "x-content-type-options": "nosniff" };
}

export function json(call: Call, body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  const payload = call.request.method === "HEAD" ? null : JSON.stringify(body);
  return new Response(payload, { status, headers: { ...commonHeaders(call), "content-type": "application/json", ...headers } });
}

const JSON_TYPES = new Set(["application/json", "application/*", "*/*"]);

/** Throws NotAcceptable unless plain JSON is among what the client takes. */
export function requireJsonAccepted(accept: string | null): void {
  if (accept === null || accept.trim() === "") return;
  const acceptable = accept.split(",").some((entry) => {
    const [type = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    // `as=Table` and the like ask for another shape; clients that can do without list plain JSON as well.
    const shaped = parameters.some((parameter) => parameter.startsWith("as="));
    const refused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
    return JSON_TYPES.has(type) && !shaped && !refused;
  });
  if (!acceptable) throw new SetpointError("NotAcceptable", "only the following media types are accepted: application/json");
}
