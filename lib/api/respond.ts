import { stringify } from "yaml";
import { SetpointError } from "@/lib/errors";
import type { Call } from "./call";

/** Headers that every answer carries. */
export function commonHeaders(call: Pick<Call, "id">): Record<string, string> {
  return { "cache-control": "no-cache, private", "x-request-id": call.id, "x-content-type-options": "nosniff" };
}

/** An answer in the format that the client prefers: JSON, unless it asked for YAML. */
export function json(call: Call, body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  const yaml = call.accepts[0]?.format === "yaml";
  const payload = call.request.method === "HEAD" ? null : yaml ? stringify(plain(body)) : JSON.stringify(body);
  const type = yaml ? "application/yaml" : "application/json";
  return new Response(payload, { status, headers: { ...commonHeaders(call), "content-type": type, ...headers } });
}

/** As JSON would have it: what is undefined is left out, and shared parts become copies instead of YAML's aliases. */
const plain = (body: unknown): unknown => JSON.parse(JSON.stringify(body));

/** Plain text, for probes. */
export function text(call: Call, body: string, status = 200): Response {
  return new Response(call.request.method === "HEAD" ? null : body, {
    status,
    headers: { ...commonHeaders(call), "content-type": "text/plain; charset=utf-8" },
  });
}

export const bad = (message: string) => new SetpointError("BadRequest", message);
