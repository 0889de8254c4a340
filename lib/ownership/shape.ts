/** How the parts of a document merge: read from a kind's JSON schema. */
import type { Json, JsonObject } from "@/lib/resource";

/**
 * - `map`: field by field;
 * - `keyed`: a list whose items are merged by the values of `keys`;
 * - `set`: a list of scalars, each on its own;
 * - `whole`: one value, replaced as such;
 * - `free`: nothing is known: maps field by field, lists whole.
 */
export type Shape =
  | { type: "map"; fields: Readonly<Record<string, Shape>>; rest: Shape }
  | { type: "keyed"; keys: readonly string[]; item: Shape }
  | { type: "set" }
  | { type: "whole" }
  | { type: "free" };

export const FREE: Shape = { type: "free" };
const WHOLE: Shape = { type: "whole" };
const SET: Shape = { type: "set" };
/** Schemas deeper than this are taken as unknown; it also ends those that contain themselves. */
const DEEPEST = 32;

/** Kubernetes' own words in a schema, which its clients read in OpenAPI too. */
const LIST_TYPE = "x-kubernetes-list-type";
const LIST_KEYS = "x-kubernetes-list-map-keys";
const MAP_TYPE = "x-kubernetes-map-type";

/**
 * The shape of a spec. Lists are whole unless the schema says otherwise, in Kubernetes' words: `x-kubernetes-list-type` `map` with
 * `x-kubernetes-list-map-keys` for items merged by key, `set` for scalars that come and go one by one. `x-kubernetes-map-type` `atomic`
 * keeps together what belongs together. In zod: `.meta({ "x-kubernetes-list-type": "set" })`.
 */
export function shapeOf(schema: JsonObject): Shape {
  return read(schema, schema, 0);
}

function read(node: Json | undefined, root: JsonObject, depth: number): Shape {
  if (depth > DEEPEST || !isMap(node)) return FREE;
  if (typeof node.$ref === "string") return read(resolve(root, node.$ref), root, depth + 1);
  const keys = textList(node[LIST_KEYS]);
  if (node[LIST_TYPE] === "map" && keys.length > 0) return { type: "keyed", keys, item: read(node.items, root, depth + 1) };
  if (node[LIST_TYPE] === "set") return SET;
  if (node[LIST_TYPE] === "atomic" || node[MAP_TYPE] === "atomic") return WHOLE;
  // A scalar stays one value however it is kept: a sealed text is a map at rest.
  if (typeof node.type === "string" && node.type !== "object") return WHOLE;
  const alternatives = [node.anyOf, node.oneOf, node.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const parts = alternatives.map((part) => read(part, root, depth + 1)).filter((shape) => shape.type === "map");
  if (!isMap(node.properties) && !isMap(node.additionalProperties) && parts.length === 0) return FREE;
  const own = Object.entries(isMap(node.properties) ? node.properties : {}).map(
    ([name, inner]) => [name, read(inner, root, depth + 1)] as const,
  );
  return {
    type: "map",
    fields: { ...Object.assign({}, ...parts.map((part) => part.fields)), ...Object.fromEntries(own) },
    rest: isMap(node.additionalProperties) ? read(node.additionalProperties, root, depth + 1) : FREE,
  };
}

function resolve(root: JsonObject, ref: string): Json | undefined {
  let at: Json | undefined = root;
  for (const step of ref.replace(/^#\/?/, "").split("/").filter(Boolean)) at = isMap(at) ? at[step] : undefined;
  return at;
}

/** The shape of a whole object of a kind: what of its envelope can be owned, around its spec. */
export function objectShape(spec: Shape): Shape {
  const metadata = {
    labels: FREE,
    annotations: FREE,
    finalizers: SET,
    ownerReferences: { type: "keyed", keys: ["uid"], item: FREE } as const,
  };
  return {
    type: "map",
    fields: {
      metadata: { type: "map", fields: metadata, rest: FREE },
      spec,
      // A pause is one decision: who, why and until when belong together.
      control: { type: "map", fields: { paused: WHOLE }, rest: FREE },
    },
    rest: FREE,
  };
}

/** The shape of one field of a map. */
export function fieldShape(shape: Shape, name: string): Shape {
  if (shape.type !== "map") return FREE;
  return (Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined) ?? shape.rest;
}

export function isMap(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textList(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
