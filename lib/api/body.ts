/** A request's body, within limits. */
import { SetpointError } from "@/lib/errors";
import { MAX_BYTES, parseObject } from "@/lib/policies/admission";
import type { JsonObject } from "@/lib/resource";

export const JSON_TYPE = "application/json";
export const MERGE_PATCH = "application/merge-patch+json";

/** The media type without parameters; empty when there is none. */
export function mediaType(headers: Headers): string {
  return (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}

/** The JSON object in the body. Throws UnsupportedMediaType, RequestEntityTooLarge, BadRequest or Invalid. */
export async function readObject(request: Request, accepted: readonly string[] = [JSON_TYPE]): Promise<JsonObject> {
  const type = mediaType(request.headers);
  if (!accepted.includes(type))
    throw new SetpointError(
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
    );
  return parseObject(await readText(request));
}

/** As `readObject`; undefined when there is no body. */
export async function readOptionalObject(request: Request): Promise<JsonObject | undefined> {
  const text = await readText(request);
  if (text.trim() === "") return undefined;
  const type = mediaType(request.headers);
  if (type !== "" && type !== JSON_TYPE)
    throw new SetpointError(
      "UnsupportedMediaType",
      `the body of the request was in an unknown format - accepted media types include: ${JSON_TYPE}`,
    );
  return parseObject(text);
}

async function readText(request: Request): Promise<string> {
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
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    throw new SetpointError("BadRequest", "the body is not valid UTF-8", { cause });
  }
}

function tooLarge(): SetpointError {
  return new SetpointError("RequestEntityTooLarge", `the body must have at most ${MAX_BYTES} bytes`);
}
