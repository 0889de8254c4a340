import { jsonPatch } from "@/lib/policies/admission";
import { JSON_PATCH, readJson } from "../body";
import type { Call } from "../call";
import { documentOf } from "../present";
import { replace } from "./write";

/** RFC 6902 over the newest object; its tests see the newest row under lock. */
export async function patchByJson(call: Call): Promise<Response> {
  const operations = await readJson(call.request, [JSON_PATCH]);
  return replace(call, "patch", (current) => {
    const patched = jsonPatch(documentOf(current), operations);
    const { metadata } = patched;
    // Finalizers that were removed are none, and get the answer to that; absent would mean "as they are".
    return typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) && metadata.finalizers === undefined
      ? { ...patched, metadata: { ...metadata, finalizers: [] } }
      : patched;
  });
}
