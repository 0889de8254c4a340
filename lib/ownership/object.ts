import { DEFAULT_CONTROL, FINALIZER, type JsonObject, type Resource } from "@/lib/resource";

/** What is compared of an object: the parts that can be owned. Names, versions, times and the report are the system's. */
export function ownedPart({
  metadata,
  spec,
  control,
}: Pick<Resource, "spec" | "control"> & { metadata: Partial<Resource["metadata"]> }): JsonObject {
  const { labels, annotations, finalizers, ownerReferences } = metadata;
  const parts = {
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
    ...(annotations && Object.keys(annotations).length > 0 ? { annotations } : {}),
    ...(finalizers && finalizers.length > 0 ? { finalizers } : {}),
    ...(ownerReferences && ownerReferences.length > 0 ? { ownerReferences } : {}),
  };
  // These hold text, numbers, lists and maps only: they are JSON by construction.
  const plain: JsonObject = JSON.parse(JSON.stringify({ metadata: parts, control }));
  return { ...plain, spec };
}

/** What every object has before anybody wrote anything: our finalizer and the usual control are nobody's. */
export const BLANK: JsonObject = {
  ...ownedPart({ metadata: { finalizers: [FINALIZER] }, spec: {}, control: DEFAULT_CONTROL }),
  spec: null,
};
