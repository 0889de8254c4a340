/** A request's body, within limits. */
import { SetpointError } from "@/lib/errors";
import { MAX_BYTES, parseJson, parseObject } from "@/lib/policies/admission";
import type { Json, JsonObject } from "@/lib/resource";
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

/** The media type without parameters; empty when there is none. */
export function mediaType(headers: Headers): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The object in the body, JSON or YAML as its type says. Throws UnsupportedMediaType, RequestEntityTooLarge, BadRequest or Invalid. */
export async function readObject(request: Request, accepted: readonly string[] = OBJECT_TYPES): Promise<JsonObject> {
  const type = requireType(request, accepted);
  const text = await readText(request);
  return YAML_TYPES.includes(type) ? parseYamlObject(text) : parseObject(text);
}

/** Any JSON document in the body. */
export async function readJson(request: Request, accepted: readonly string[]): Promise<Json> {
  requireType(request, accepted);
  return parseJson(await readText(request));
}

/** As `readObject`; undefined when there is no body. */
export async function readOptionalObject(request: Request): Promise<JsonObject | undefined> {
  const text = await readText(request);
  if (text.trim() === "") return undefined;
  const type = mediaType(request.headers) === "" ? JSON_TYPE : requireType(request, OBJECT_TYPES);
  return type === YAML_TYPE ? parseYamlObject(text) : parseObject(text);
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

async function readText(request: Request): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await readBytes(request));
  } catch (cause) {
    if (cause instanceof SetpointError) throw cause;
    throw new SetpointError("BadRequest", "the body is not valid UTF-8", { cause });
  }
}

/** The body as it came. Throws RequestEntityTooLarge. */
export async function readBytes(request: Request): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? "0");
  if (announced > MAX_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > MAX_BYTES) {
      await reader.cancel();
      throw tooLarge();
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): SetpointError {
  return new SetpointError("RequestEntityTooLarge", `the body must have at most ${MAX_BYTES} bytes`);
}
