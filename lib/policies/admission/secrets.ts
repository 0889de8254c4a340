/** Secret fields: sealed on the way in, a digest on the way out, and kept as they are when nothing about them changed. */
import type { Cause } from "@/lib/errors";
import type { Json, JsonObject } from "@/lib/resource";
import { invalid } from "./faults";

/** Seals and opens values; `context` binds a value to the one place it may stand in. `lib/secrets` implements it. */
export interface Sealer {
  seal(plaintext: string, context: string): SealedValue;
  open(value: SealedValue, context: string): string;
}

/** A secret at rest. A type and not an interface, so that it is JSON. */
export type SealedValue = { sealed: string; digest: string };

export function isSealed(value: Json | undefined): value is SealedValue {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    typeof value.sealed === "string" &&
    typeof value.digest === "string"
  );
}

/** Where a value may stand: kind, namespace, name and path below spec. */
export function sealContext(address: { kind: string; namespace: string; name: string }, path: readonly string[]): string {
  return [address.kind, address.namespace, address.name, ...path].map(encodeURIComponent).join("/");
}

type Visit = (value: Json, path: string[]) => Json;

/** A copy of `spec` with every value that a pattern such as `values.*` names replaced by what `visit` says. */
export function mapSecretFields(spec: JsonObject, patterns: readonly string[], visit: Visit): JsonObject {
  return patterns.reduce((document, pattern) => mapPattern(document, pattern.split("."), [], visit), spec);
}

function mapPattern(node: JsonObject, [head = "", ...rest]: string[], path: string[], visit: Visit): JsonObject {
  const keys = head === "*" ? Object.keys(node) : Object.hasOwn(node, head) ? [head] : [];
  const result: JsonObject = { ...node };
  for (const key of keys) {
    const value = node[key];
    if (value === undefined) continue;
    const here = [...path, key];
    if (rest.length === 0) result[key] = visit(value, here);
    else if (typeof value === "object" && value !== null && !Array.isArray(value)) result[key] = mapPattern(value, rest, here, visit);
  }
  return result;
}

export function valueAtPath(document: Json | undefined, path: readonly string[]): Json | undefined {
  let at = document;
  for (const key of path) {
    if (typeof at !== "object" || at === null || Array.isArray(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return at;
}

export interface SealingContext {
  patterns: readonly string[];
  sealer: Sealer;
  address: { kind: string; namespace: string; name: string };
  /** The stored spec, sealed. */
  current?: JsonObject;
}

/** Turns `{digest}` back into the value it stands for, so that the schema sees plaintext throughout. */
export function openSubmitted(
  spec: JsonObject,
  { patterns, sealer, address, current }: SealingContext,
): { spec: JsonObject; causes: Cause[] } {
  const causes: Cause[] = [];
  const opened = mapSecretFields(spec, patterns, (value, path) => {
    if (typeof value !== "object" || value === null || Array.isArray(value) || !Object.hasOwn(value, "digest")) return value;
    const stored = valueAtPath(current, path);
    const keeps = Object.keys(value).length === 1 && isSealed(stored) && stored.digest === value.digest;
    if (keeps) return sealer.open(stored, sealContext(address, path));
    causes.push(
      invalid(`spec.${path.join(".")}`, "a digest stands for the stored value and must equal it; to change the value send the new text"),
    );
    return "";
  });
  return { spec: opened, causes };
}

/** Seals every secret value; one that did not change keeps its stored form, so that nothing changes. */
export function sealSpec(spec: JsonObject, { patterns, sealer, address, current }: SealingContext): JsonObject {
  return mapSecretFields(spec, patterns, (value, path) => {
    if (typeof value !== "string") return value;
    const context = sealContext(address, path);
    const stored = valueAtPath(current, path);
    return isSealed(stored) && sealer.open(stored, context) === value ? stored : sealer.seal(value, context);
  });
}

/** What clients are shown of a spec: digests in place of sealed values, wherever those stand. */
export function hideSecrets(value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(hideSecrets);
  if (isSealed(value)) return { digest: value.digest };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideSecrets(inner)]));
}

/** As `hideSecrets`, for a map. */
export function hideSecretsOf(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).map(([key, inner]) => [key, hideSecrets(inner)]));
}
