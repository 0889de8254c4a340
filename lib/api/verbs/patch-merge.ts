import { mergePatchObject } from "@/lib/policies/admission";
import type { Json, JsonObject } from "@/lib/resource";
import { MERGE_PATCH, readObject } from "../body";
import type { Call } from "../call";
import { documentOf } from "../present";
import { replace } from "./write";

/** RFC 7386 over the newest object; with metadata.resourceVersion in it, only over that version. */
export async function patchByMerge(call: Call): Promise<Response> {
  const change = await readObject(call, [MERGE_PATCH]);
  return replace(call, "patch", (current) => {
    const merged = mergePatchObject(documentOf(current), change);
    // Absent finalizers mean "as they are"; a patch that says null means "none", and gets the answer to that.
    return isMap(change.metadata) && change.metadata.finalizers === null && isMap(merged.metadata)
      ? { ...merged, metadata: { ...merged.metadata, finalizers: [] } }
      : merged;
  });
}

function isMap(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
