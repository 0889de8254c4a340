/** …/scale: how many, as autoscaling/v1 has it, for kinds that say where they keep it. */
import { invalidObject, mergePatchObject, required } from "@/lib/policies/admission";
import type { Json, JsonObject, Resource } from "@/lib/resource";
import { MERGE_PATCH, OBJECT_TYPES, readObject } from "../body";
import type { Call } from "../call";
import { documentOf } from "../present";
import { json } from "../respond";
import { load } from "../verbs/get";
import { write } from "../verbs/write";

const isMap = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

function valueAt(value: unknown, path: string): number {
  let at = value;
  for (const part of path.split(".")) at = typeof at === "object" && at !== null ? Reflect.get(at, part) : undefined;
  return typeof at === "number" ? at : 0;
}

function scaleOf(call: Call, resource: Resource): JsonObject {
  const { replicas = "", observed = "" } = call.kind.scale ?? {};
  const { name, namespace, uid, resourceVersion, creationTimestamp } = resource.metadata;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: valueAt(resource.spec, replicas) },
    status: { replicas: valueAt(resource, observed) },
  };
}

export async function getScale(call: Call): Promise<Response> {
  return json(call, scaleOf(call, await load(call)));
}

/** PUT: a whole Scale. */
export async function putScale(call: Call): Promise<Response> {
  const scale = await readObject(call, OBJECT_TYPES);
  return store(call, "update", () => scale);
}

/** PATCH: a merge patch of the Scale as it is. */
export async function patchScale(call: Call): Promise<Response> {
  const change = await readObject(call, [MERGE_PATCH]);
  return store(call, "patch", (current) => mergePatchObject(current, change));
}

/** Only the number and the version that it was based on count: all else in a Scale is the server's. */
async function store(call: Call, verb: string, next: (current: JsonObject) => JsonObject): Promise<Response> {
  const field = call.kind.scale?.replicas ?? "";
  const resource = await write(call, verb, (current) => {
    const before = scaleOf(call, current);
    const { spec, metadata } = next(before);
    // kubectl leaves a 0 out.
    const replicas = isMap(spec) ? (spec.replicas ?? 0) : undefined;
    if (typeof replicas !== "number") throw invalidObject(call.kind.name, current.metadata.name, [required("spec.replicas", "a number")]);
    const version = isMap(metadata) ? metadata.resourceVersion : undefined;
    const document = documentOf(current);
    const based = isMap(document.metadata) ? { ...document.metadata, resourceVersion: version ?? null } : {};
    return { ...document, metadata: based, spec: withValue(document.spec, field.split("."), replicas) };
  });
  return json(call, scaleOf(call, resource));
}

function withValue(target: Json | undefined, [part = "", ...rest]: string[], value: number): JsonObject {
  const map = isMap(target) ? target : {};
  return { ...map, [part]: rest.length === 0 ? value : withValue(map[part], rest, value) };
}
