import { jsonPatch } from "@/lib/policies/admission";
import type { Json, JsonObject, Resource } from "@/lib/resource";
import { JSON_PATCH, readJson } from "../body";
import type { Call } from "../call";
import { documentOf } from "../present";
import { replace } from "./write";

/** With who owns which field: what an operation says of that is looked at, though not every word of it counts. */
function withOwners(current: Resource): JsonObject {
  const { metadata, ...rest } = documentOf(current);
  const { managedFields = [] } = current.metadata;
  const plain: JsonObject = JSON.parse(JSON.stringify({ managedFields }));
  return { ...rest, metadata: { ...(isMap(metadata) ? metadata : {}), ...plain } };
}

const isMap = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** RFC 6902 over the newest object; its tests see the newest row under lock. */
export async function patchByJson(call: Call): Promise<Response> {
  const operations = await readJson(call, [JSON_PATCH]);
  return replace(call, "patch", (current) => {
    const patched = jsonPatch(withOwners(current), operations);
    const { metadata } = patched;
    // Finalizers that were removed are none, and get the answer to that; absent would mean "as they are".
    return isMap(metadata) && metadata.finalizers === undefined ? { ...patched, metadata: { ...metadata, finalizers: [] } } : patched;
  });
}
