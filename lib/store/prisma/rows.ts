import { z } from "zod";
import { toIso } from "@/lib/clock";
import type { Control, JsonObject, Metadata, Resource, Status } from "@/lib/resource";

/** A resource row as `to_jsonb(row)` or as the driver gives it; both shapes are accepted. */
const time = z.union([z.date(), z.string()]).transform((value) => toIso(typeof value === "string" ? Date.parse(value) : value.getTime()));
const row = z.object({
  uid: z.string(),
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  slice: z.string(),
  generation: z.coerce.number(),
  resource_version: z.coerce.string(),
  // The database holds what admission and the engine wrote: checked at the door, not again here.
  spec: z.custom<JsonObject>(),
  control: z.custom<Control>(),
  status: z.custom<Status | null>(),
  labels: z.custom<Record<string, string>>(),
  annotations: z.custom<Record<string, string>>(),
  finalizers: z.array(z.string()),
  owner_references: z.custom<NonNullable<Metadata["ownerReferences"]>>(),
  managed_fields: z.custom<NonNullable<Metadata["managedFields"]>>(),
  created_at: time,
  deletion_at: time.nullable(),
});

export interface StoredResource {
  resource: Resource;
  slice: string;
}

/** The object in a row. Empty maps and lists are left out, as clients of the API expect. */
export function fromRow(raw: unknown): StoredResource {
  const r = row.parse(raw);
  const metadata: Metadata = {
    name: r.name,
    namespace: r.namespace,
    uid: r.uid,
    resourceVersion: r.resource_version,
    generation: r.generation,
    creationTimestamp: r.created_at,
    ...(r.deletion_at === null ? {} : { deletionTimestamp: r.deletion_at }),
    ...(Object.keys(r.labels).length === 0 ? {} : { labels: r.labels }),
    ...(Object.keys(r.annotations).length === 0 ? {} : { annotations: r.annotations }),
    ...(r.finalizers.length === 0 ? {} : { finalizers: r.finalizers }),
    ...(r.owner_references.length === 0 ? {} : { ownerReferences: r.owner_references }),
    ...(r.managed_fields.length > 0 ? { managedFields: r.managed_fields } : {}),
  };
  return {
    slice: r.slice,
    resource: {
      kind: r.kind,
      metadata,
      spec: r.spec,
      control: r.control,
      slice: r.slice,
      ...(r.status === null ? {} : { status: r.status }),
    },
  };
}
