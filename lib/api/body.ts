/** A request's body, within limits. */
import { SetpointError } from "@/lib/errors";
import { parseJson, parseObject } from "@/lib/policies/admission";
import type { Json, JsonObject } from "@/lib/resource";
import type { Call } from "./call";
import { parseYamlObject } from "./yaml";

export const JSON_TYPE = "application/json";
export const YAML_TYPE = "application/yaml";
export const MERGE_PATCH = "application/merge-patch+json";
export const JSON_PATCH = "application/json-patch+json";
export const APPLY_PATCH = "application/apply-patch+yaml";
/** What whole objects may come as. */
export const OBJECT_TYPES = [JSON_TYPE, YAML_TYPE] as const;
/** Of the types that a route accepts, those whose bodies are YAML. */
const YAML_TYPES: readonly string[] = [YAML_TYPE, APPLY_PATCH];

/** A request, and how large a body it may have. */
export type Sender = Pick<Call, "request" | "bodyLimits">;

/** The media type without parameters; empty when there is none. */
export function mediaType(headers: Headers): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The object in the body, JSON or YAML as its type says. Throws UnsupportedMediaType, RequestEntityTooLarge, BadRequest or Invalid. */
export async function readObject(call: Sender, accepted: readonly string[] = OBJECT_TYPES): Promise<JsonObject> {
  const type = requireType(call.request, accepted);
  const text = await readText(call);
  return YAML_TYPES.includes(type) ? parseYamlObject(text, call.bodyLimits.depth) : parseObject(text, call.bodyLimits.depth);
}

/** Any JSON document in the body. */
export async function readJson(call: Sender, accepted: readonly string[]): Promise<Json> {
  requireType(call.request, accepted);
  return parseJson(await readText(call), call.bodyLimits.depth);
}

/** As `readObject`; undefined when there is no body. */
export async function readOptionalObject(call: Sender): Promise<JsonObject | undefined> {
  const { request, bodyLimits } = call;
  const text = await readText(call);
  if (text.trim() === "") return undefined;
  const type = mediaType(request.headers) === "" ? JSON_TYPE : requireType(request, OBJECT_TYPES);
  return type === YAML_TYPE ? parseYamlObject(text, bodyLimits.depth) : parseObject(text, bodyLimits.depth);
}

function requireType(request: Request, accepted: readonly string[]): string {
  // kubectl names no type when it puts a Scale; what a page may send without one is never a PUT.
  const type = mediaType(request.headers) || (request.method === "PUT" ? JSON_TYPE : "");
  if (accepted.includes(type)) return type;
  throw new SetpointError(
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}

async function readText(call: Sender): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readBytes(call));
  } catch (cause) {
    if (cause instanceof SetpointError) throw cause;
    throw new SetpointError("BadRequest", "the body is not valid UTF-8", { cause });
  }
}

/** The body as it came. Throws RequestEntityTooLarge. */
export async function readBytes({ request, bodyLimits: { bytes: most } }: Sender): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? "0");
  if (announced > most) throw tooLarge(most);
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > most) {
      await reader.cancel();
      throw tooLarge(most);
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

function tooLarge(most: number): SetpointError {
  return new SetpointError("RequestEntityTooLarge", `the body must have at most ${most} bytes`);
}
