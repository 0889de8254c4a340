import type { Comparison, Difference, Json } from "./model";

/** Semantic equality of JSON-like values: key order and absent-against-undefined do not matter, list order does. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => deepEqual(item, b[index]));
  }
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  for (const key in left) if (left[key] !== undefined && !deepEqual(left[key], right[key])) return false;
  for (const key in right) if (right[key] !== undefined && left[key] === undefined) return false;
  return true;
}

/** Compares one field and says whether it is the same; the building block of every kind's comparison. */
export function compareField(path: string, desired: Json | undefined, actual: Json | undefined, message?: string): Comparison {
  return {
    path,
    ...(desired === undefined ? {} : { desired }),
    ...(actual === undefined ? {} : { actual }),
    ...(message === undefined ? {} : { message }),
    same: deepEqual(desired, actual),
  };
}

/** The differing ones: a resource is drifted if and only if this is not empty. */
export function driftOf(comparisons: readonly Comparison[]): Difference[] {
  return comparisons.filter((c) => !c.same).map(({ same: _same, ...difference }) => difference);
}

/** Every leaf that differs between two documents, as dotted paths; lists are compared by index. */
export function diffJson(before: Json | undefined, after: Json | undefined, path = ""): Difference[] {
  if (deepEqual(before, after)) return [];
  const isMap = (value: Json | undefined): value is { [key: string]: Json } =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const join = (key: string) => (path === "" ? key : `${path}.${key}`);
  if (isMap(before) && isMap(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) => diffJson(before[key], after[key], join(key)));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, index) => diffJson(before[index], after[index], join(String(index)))).flat();
  }
  return [{ path, ...(after === undefined ? {} : { desired: after }), ...(before === undefined ? {} : { actual: before }) }];
}
