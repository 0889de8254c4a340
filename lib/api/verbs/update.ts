import { invalidObject, parseMetadata, required } from "@/lib/policies/admission";
import { readObject } from "../body";
import type { Call } from "../call";
import { replace } from "./write";

/** PUT: the whole object. Without its resourceVersion nobody knows what it was based on. */
export async function update(call: Call): Promise<Response> {
  const document = await readObject(call);
  return replace(call, "update", () => {
    const { metadata, causes } = parseMetadata(document.metadata);
    // That the name is another one is said first, by admission.
    const same = metadata.name === undefined || metadata.name === call.address.name;
    if (causes.length === 0 && same && !metadata.resourceVersion)
      throw invalidObject(call.kind.name, call.address.name ?? "", [
        required("metadata.resourceVersion", "must be specified for an update"),
      ]);
    return document;
  });
}
