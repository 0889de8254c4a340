import { invalidObject, parseMetadata, required } from "@/lib/policies/admission";
import { readObject } from "../body";
import type { Call } from "../call";
import { replace } from "./write";

/** PUT: the whole object. Without its resourceVersion nobody knows what it was based on. */
export async function update(call: Call): Promise<Response> {
  const document = await readObject(call.request);
  return replace(call, "update", () => {
    const { metadata, causes } = parseMetadata(document.metadata);
    if (causes.length === 0 && !metadata.resourceVersion)
      throw invalidObject(call.kind.name, call.address.name ?? "", [
        required("metadata.resourceVersion", "must be specified for an update"),
      ]);
    return document;
  });
}
