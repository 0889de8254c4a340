import type { Json, JsonObject } from "@/lib/resource";

/**
 * A JSON Schema (draft 7) as the form, the checker and the completion want it: one tagged node per value. Reading is total: what
 * is not understood becomes `any`, which accepts everything, because the server decides in the end.
 */
export type SchemaNode = ObjectNode | MapNode | ListNode | TextNode | NumberNode | BooleanNode | ChoiceNode | UnionNode | AnyNode;

interface Facts {
  title?: string;
  description?: string;
  examples: Json[];
  /** What the server fills in when the field is absent. */
  default?: Json;
  nullable: boolean;
}
export interface Property {
  key: string;
  node: SchemaNode;
  required: boolean;
}
export interface ObjectNode extends Facts {
  type: "object";
  properties: Property[];
  /** Unknown fields are refused. */
  strict: boolean;
}
export interface MapNode extends Facts {
  type: "map";
  values: SchemaNode;
  /** Undefined when the key is fine, else why not. */
  keyFault?: (key: string) => string | undefined;
  /** The only keys there can be, if they are a fixed set. */
  keyOptions?: string[];
}
export interface ListNode extends Facts {
  type: "list";
  items: SchemaNode;
  min?: number;
  max?: number;
}
export interface TextNode extends Facts {
  type: "text";
  min?: number;
  max?: number;
  pattern?: string;
  format?: string;
  /** Long texts get a box of several lines. */
  multiline?: boolean;
  /** A rule that a schema cannot say: undefined when fine. */
  fault?: (text: string) => string | undefined;
}
export interface NumberNode extends Facts {
  type: "number";
  integer: boolean;
  min?: number;
  max?: number;
  /** The limits themselves are not allowed. */
  above?: number;
  below?: number;
}
export interface BooleanNode extends Facts {
  type: "boolean";
}
export interface ChoiceNode extends Facts {
  type: "choice";
  options: Json[];
}
export interface UnionNode extends Facts {
  type: "union";
  branches: { label: string; node: SchemaNode }[];
}
export interface AnyNode extends Facts {
  type: "any";
}

/** Schemas that contain themselves are unrolled this far. */
const DEPTH = 14;

export function readSchema(schema: Json | undefined): SchemaNode {
  const root = asObject(schema) ?? {};
  return read(root, root, 0);
}

function read(schema: JsonObject, root: JsonObject, depth: number): SchemaNode {
  if (depth > DEPTH) return { type: "any", ...factsOf(schema) };
  const target = typeof schema.$ref === "string" ? resolve(schema.$ref, root) : undefined;
  if (target) return { ...read(target, root, depth + 1), ...present(factsOf(schema)) } as SchemaNode;
  const parts = listOf(schema.allOf);
  if (parts.length > 0) return readAll(schema, parts, root, depth);
  const branches = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (branches.length > 0) return readUnion(schema, branches, root, depth);
  return readPlain(schema, root, depth);
}

function readPlain(schema: JsonObject, root: JsonObject, depth: number): SchemaNode {
  const facts = factsOf(schema);
  const options = schema.const !== undefined ? [schema.const] : Array.isArray(schema.enum) ? schema.enum : undefined;
  if (options) return { type: "choice", options, ...facts };
  const types = Array.isArray(schema.type) ? schema.type.filter((type) => type !== "null") : [schema.type];
  if (types.length > 1) {
    const branches = types.map((type) => ({ ...schema, type: type ?? null }));
    return readUnion({ ...schema, type: null }, branches, root, depth);
  }
  switch (types[0]) {
    case "object":
      return readObject(schema, root, depth, facts);
    case "array":
      return {
        type: "list",
        items: read(asObject(schema.items) ?? {}, root, depth + 1),
        ...numbers(schema, { min: "minItems", max: "maxItems" }),
        ...facts,
      };
    case "string":
      return {
        type: "text",
        ...numbers(schema, { min: "minLength", max: "maxLength" }),
        ...(typeof schema.pattern === "string" ? { pattern: schema.pattern } : {}),
        ...(typeof schema.format === "string" ? { format: schema.format } : {}),
        ...(schema.multiline === true ? { multiline: true } : {}),
        ...facts,
      };
    case "integer":
    case "number":
      return { type: "number", integer: types[0] === "integer", ...limits(schema), ...facts };
    case "boolean":
      return { type: "boolean", ...facts };
    default:
      return { type: "any", ...facts };
  }
}

function readObject(schema: JsonObject, root: JsonObject, depth: number, facts: Facts): SchemaNode {
  const properties = asObject(schema.properties);
  const values = asObject(schema.additionalProperties);
  if (!properties || (values && Object.keys(properties).length === 0)) {
    const keys = asObject(schema.propertyNames) ?? {};
    const keyOptions = Array.isArray(keys.enum) ? keys.enum.map(String) : undefined;
    return {
      type: "map",
      values: read(values ?? {}, root, depth + 1),
      ...(keyOptions ? { keyOptions } : {}),
      keyFault: keyRule(keys, keyOptions),
      ...facts,
    };
  }
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    type: "object",
    properties: Object.entries(properties).map(([key, property]) => ({
      key,
      node: read(asObject(property) ?? {}, root, depth + 1),
      required: required.includes(key),
    })),
    strict: schema.additionalProperties === false,
    ...facts,
  };
}

function readUnion(schema: JsonObject, branches: JsonObject[], root: JsonObject, depth: number): SchemaNode {
  const real = branches.filter((branch) => branch.type !== "null");
  const facts = { ...factsOf(schema), ...(real.length < branches.length ? { nullable: true } : {}) };
  const nodes = real.map((branch) => read(branch, root, depth + 1));
  const [only] = nodes;
  if (only && nodes.length === 1) return { ...only, ...present(facts) } as SchemaNode;
  if (nodes.every((node) => node.type === "choice")) {
    return { type: "choice", options: nodes.flatMap((node) => (node.type === "choice" ? node.options : [])), ...facts };
  }
  return { type: "union", branches: nodes.map((node, index) => ({ label: labelOf(node, index), node })), ...facts };
}

/** An intersection: objects are joined, of anything else the first is taken and the server checks the rest. */
function readAll(schema: JsonObject, parts: JsonObject[], root: JsonObject, depth: number): SchemaNode {
  const nodes = parts.map((part) => read(part, root, depth + 1));
  const objects = nodes.filter((node): node is ObjectNode => node.type === "object");
  const [first] = nodes;
  if (objects.length === nodes.length && objects.length > 0) {
    return { type: "object", properties: objects.flatMap((node) => node.properties), strict: false, ...factsOf(schema) };
  }
  return first ? ({ ...first, ...present(factsOf(schema)) } as SchemaNode) : { type: "any", ...factsOf(schema) };
}

/** What a branch is called: its title, the fixed value that tells it apart, its only required field, or its type. */
function labelOf(node: SchemaNode, index: number): string {
  if (node.title) return node.title;
  if (node.type === "object") {
    const fixed = node.properties.find((property) => property.node.type === "choice" && property.node.options.length === 1);
    if (fixed?.node.type === "choice") return String(fixed.node.options[0]);
    const required = node.properties.filter((property) => property.required);
    if (required.length === 1 && required[0]) return required[0].node.title ?? required[0].key;
  }
  const words: Record<SchemaNode["type"], string> = {
    object: "Fields",
    map: "Keys and values",
    list: "List",
    text: "Text",
    number: "Number",
    boolean: "Yes or no",
    choice: "One of a few",
    union: "Either",
    any: "Anything",
  };
  return node.type === "any" || node.type === "object" ? `${words[node.type]} ${index + 1}` : words[node.type];
}

function factsOf(schema: JsonObject): Facts {
  return {
    ...(typeof schema.title === "string" ? { title: schema.title } : {}),
    ...(typeof schema.description === "string" ? { description: schema.description } : {}),
    ...(schema.default !== undefined ? { default: schema.default } : {}),
    examples: Array.isArray(schema.examples) ? schema.examples : [],
    nullable: Array.isArray(schema.type) && schema.type.includes("null"),
  };
}

/** Only what was said, so that it can be laid over what another schema says. */
function present(facts: Facts): Partial<Facts> {
  const { examples, nullable, ...rest } = facts;
  return { ...rest, ...(examples.length > 0 ? { examples } : {}), ...(nullable ? { nullable } : {}) };
}

function numbers<K extends string>(schema: JsonObject, names: Record<K, string>): Partial<Record<K, number>> {
  const found: Partial<Record<K, number>> = {};
  for (const key of Object.keys(names) as K[]) {
    const value = schema[names[key]];
    if (typeof value === "number") found[key] = value;
  }
  return found;
}

/** What a map's schema demands of its keys. */
function keyRule(keys: JsonObject, options: string[] | undefined): (key: string) => string | undefined {
  const pattern = typeof keys.pattern === "string" ? regex(keys.pattern) : undefined;
  const { min, max } = numbers(keys, { min: "minLength", max: "maxLength" });
  return (key) => {
    if (options && !options.includes(key)) return `must be one of ${options.join(", ")}`;
    if (min !== undefined && key.length < min) return key === "" ? "must not be empty" : `needs at least ${min} characters`;
    if (max !== undefined && key.length > max) return `can have at most ${max} characters`;
    return pattern?.test(key) === false ? `must match ${pattern.source}` : undefined;
  };
}

/** The limits of a number, without those that only say "a whole number that survives JSON". */
function limits(schema: JsonObject): Partial<Pick<NumberNode, "min" | "max" | "above" | "below">> {
  const found = numbers(schema, { min: "minimum", max: "maximum", above: "exclusiveMinimum", below: "exclusiveMaximum" });
  if (found.min === Number.MIN_SAFE_INTEGER) delete found.min;
  if (found.max === Number.MAX_SAFE_INTEGER) delete found.max;
  return found;
}

/** A pattern the browser can run; a schema's pattern that it cannot is left to the server. */
export function regex(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return undefined;
  }
}

function resolve(reference: string, root: JsonObject): JsonObject | undefined {
  if (!reference.startsWith("#")) return undefined;
  let node: Json | undefined = root;
  for (const part of reference.split("/").slice(1)) {
    node = asObject(node)?.[part.replace(/~1/g, "/").replace(/~0/g, "~")];
  }
  return asObject(node);
}

function listOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.map(asObject).filter((item): item is JsonObject => item !== undefined) : [];
}

/** The value as a map, or undefined when it is none. */
export function asObject(value: Json | undefined): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
