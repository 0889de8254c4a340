/** What a schema found wrong, in the API's words: a cause per field, with a suggestion for a misspelt one, and never the value itself. */
import { z } from "zod";
import type { Cause } from "@/lib/errors";
import { fieldPath } from "./parse";

export function invalid(field: string, message: string): Cause {
  return { reason: "FieldValueInvalid", field, message: `Invalid value: ${message}` };
}
export function required(field: string, message = ""): Cause {
  return { reason: "FieldValueRequired", field, message: `Required value${message === "" ? "" : `: ${message}`}` };
}
export function forbidden(field: string, message: string): Cause {
  return { reason: "FieldValueForbidden", field, message: `Forbidden: ${message}` };
}

type Issue = z.core.$ZodIssue;

/** Every fault of a failed parse of `value`, under `prefix` (`spec`, `metadata`, ...). */
export function causesOf(issues: readonly Issue[], schema: z.ZodType, value: unknown, prefix: string): Cause[] {
  return issues.flatMap((issue) => causesOfIssue(issue, schema, value, prefix));
}

function causesOfIssue(issue: Issue, schema: z.ZodType, value: unknown, prefix: string): Cause[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  const field = fieldPath([...(prefix === "" ? [] : [prefix]), ...path]);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => unknownField(key, knownKeys(schema, path), field));
    case "invalid_union": {
      // Of several alternatives show the one that was missed by least.
      const [nearest] = [...issue.errors].sort((a, b) => deepest(b) - deepest(a) || a.length - b.length);
      if (!nearest || nearest.length === 0) return [invalid(field, issue.message)];
      return nearest.flatMap((inner) => causesOfIssue({ ...inner, path: [...issue.path, ...inner.path] } as Issue, schema, value, prefix));
    }
    case "invalid_value":
      return [
        valueAt(value, issue.path) === undefined
          ? required(field, `one of ${issue.values.map(String).join(", ")}`)
          : {
              reason: "FieldValueNotSupported",
              field,
              message: `Unsupported value: supported values: ${issue.values.map((v) => JSON.stringify(v)).join(", ")}`,
            },
      ];
    case "invalid_type":
      if (valueAt(value, issue.path) === undefined) return [required(field)];
      return [invalid(field, issue.message.replace(/^Invalid input: /, ""))];
    default:
      return [invalid(field, issue.message.replace(/^Invalid input: /, ""))];
  }
}

const deepest = (issues: readonly Issue[]) => Math.max(0, ...issues.map((issue) => issue.path.length));

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let at: unknown = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[part];
  }
  return at;
}

/** The cause for a field that does not exist, with the nearest one that does. */
export function unknownField(key: string, known: readonly string[], parent: string): Cause {
  const shown = key.slice(0, 80);
  const field = parent === "" ? shown : `${parent}.${shown}`;
  const nearest = suggestion(key, known);
  const hint = nearest
    ? `did you mean "${nearest}"?`
    : known.length > 0 && known.length <= 12
      ? `known fields: ${known.join(", ")}`
      : "see the kind's schema";
  return { reason: "FieldValueNotSupported", field, message: `unknown field "${field}": ${hint}` };
}

/** The nearest of `known`, when near enough to be what was meant. */
export function suggestion(word: string, known: readonly string[]): string | undefined {
  if (word.length > 64) return undefined;
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return nearest &&
    nearest.distance <= Math.max(1, Math.floor(Math.min(word.length, nearest.candidate.length) / 2)) &&
    nearest.distance <= 3
    ? nearest.candidate
    : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

const schemas = new WeakMap<z.ZodType, unknown>();

/** Names of the fields that the schema knows at a path, over all alternatives there. */
function knownKeys(schema: z.ZodType, path: readonly (string | number)[]): string[] {
  let json = schemas.get(schema);
  if (json === undefined) {
    json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
    schemas.set(schema, json);
  }
  let nodes: Record<string, unknown>[] = alternatives(json);
  for (const part of path) nodes = nodes.flatMap((node) => alternatives(child(node, part)));
  return [...new Set(nodes.flatMap((node) => Object.keys(record(node.properties))))];
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

function child(node: Record<string, unknown>, part: string | number): unknown {
  if (typeof part === "number") return node.items;
  const properties = record(node.properties);
  return Object.hasOwn(properties, part) ? properties[part] : node.additionalProperties;
}

function alternatives(node: unknown): Record<string, unknown>[] {
  const self = record(node);
  const inner = [self.anyOf, self.oneOf, self.allOf].flatMap((list) => (Array.isArray(list) ? list.flatMap(alternatives) : []));
  return Object.keys(self).length === 0 ? [] : [self, ...inner];
}
