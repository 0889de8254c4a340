import type { ApiObject } from "@/lib/api/contract";
import type { Draft } from "@/lib/client";
import type { Json } from "@/lib/resource";
import { intentOf } from "../document";
import { asObject } from "../schema";
import type { Base } from "./editor-state";

/** The stored object as a base to edit from. */
export function baseOf(object: ApiObject): Base {
  const { metadata, spec, control } = object;
  return {
    intent: intentOf(object.kind, { metadata, spec }),
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation,
    ...(metadata.ownerReferences ? { ownerReferences: metadata.ownerReferences } : {}),
    uid: metadata.uid,
    control: JSON.parse(JSON.stringify(control)),
    managedFields: metadata.managedFields ?? [],
  };
}

function words(value: Json | undefined): Record<string, string> | undefined {
  const map = asObject(value);
  return map ? Object.fromEntries(Object.entries(map).map(([key, item]) => [key, String(item)])) : undefined;
}

/** What is sent for a document; undefined while it lacks what every object has. */
export function candidateOf(value: Json | undefined, base: Base | undefined): Draft | undefined {
  const root = asObject(value);
  const metadata = asObject(root?.metadata);
  const spec = asObject(root?.spec);
  const { apiVersion, kind } = root ?? {};
  if (!root || !metadata || !spec || typeof apiVersion !== "string" || typeof kind !== "string" || typeof metadata.name !== "string")
    return undefined;
  const control = asObject(root.control);
  const labels = words(metadata.labels);
  const annotations = words(metadata.annotations);
  return {
    apiVersion,
    kind,
    metadata: {
      name: metadata.name,
      ...(typeof metadata.namespace === "string" ? { namespace: metadata.namespace } : {}),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(base ? { resourceVersion: base.resourceVersion } : {}),
      ...(base?.ownerReferences ? { ownerReferences: base.ownerReferences } : {}),
    },
    spec,
    ...(control ? { control } : {}),
  };
}
