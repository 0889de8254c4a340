import type { Json, JsonObject } from "@/lib/resource";

/** RFC 7386: null removes, maps merge, everything else replaces. Never mutates. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result: JsonObject = typeof target === "object" && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(Object.hasOwn(result, key) ? result[key] : undefined, value);
  }
  return result;
}

/** As `mergePatch`, of maps. */
export function mergePatchObject(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = mergePatch(target, patch);
  return typeof merged === "object" && merged !== null && !Array.isArray(merged) ? merged : {};
}
