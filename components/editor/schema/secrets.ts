import { deepEqual, type Json } from "@/lib/resource";
import { type Path, valueAt, withValueAt } from "../document";
import { asObject } from "./node";

/** True when `path` (from the root of the object) is one of the kind's secret fields, given as dotted patterns below spec. */
export function isSecretPath(patterns: readonly string[], path: Path): boolean {
  if (path[0] !== "spec") return false;
  const below = path.slice(1);
  return patterns.some((pattern) => {
    const parts = pattern.split(".");
    return parts.length === below.length && parts.every((part, index) => part === "*" || part === String(below[index]));
  });
}

/** A stored secret arrives as its digest; undefined when the value is none. */
export function digestOf(value: Json | undefined): string | undefined {
  const map = asObject(value);
  return map && Object.keys(map).length === 1 && typeof map.digest === "string" ? map.digest : undefined;
}

/** True when the value at `path` is the stored secret, left as it is. */
export function isKeptSecret(patterns: readonly string[], stored: Json | undefined, edited: Json | undefined, path: Path): boolean {
  if (!isSecretPath(patterns, path)) return false;
  const value = valueAt(edited, path);
  return digestOf(value) !== undefined && deepEqual(value, valueAt(stored, path));
}

/** Every path of `value` that the patterns call secret. */
export function secretPaths(patterns: readonly string[], value: Json | undefined, path: Path = []): Path[] {
  if (isSecretPath(patterns, path)) return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => secretPaths(patterns, item, [...path, index]));
  const map = asObject(value);
  return map ? Object.entries(map).flatMap(([key, item]) => secretPaths(patterns, item, [...path, key])) : [];
}

/** A copy without any secret that was typed: the stored digest is put back, and what is new is left out. */
export function withoutSecrets(patterns: readonly string[], stored: Json | undefined, edited: Json): Json {
  return secretPaths(patterns, edited)
    .reverse()
    .reduce<Json>((value, path) => {
      if (isKeptSecret(patterns, stored, edited, path)) return value;
      const before = valueAt(stored, path);
      return withValueAt(value, path, digestOf(before) === undefined ? undefined : before) ?? null;
    }, edited);
}

/** A copy with every secret emptied: an example's secret must never be saved by accident. */
export function withBlankSecrets(patterns: readonly string[], value: Json): Json {
  const whole = { spec: value };
  const blank = secretPaths(patterns, whole).reduce<Json>((next, path) => withValueAt(next, path, "") ?? null, whole);
  return valueAt(blank, ["spec"]) ?? {};
}
