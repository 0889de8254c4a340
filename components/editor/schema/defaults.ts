import type { Json } from "@/lib/resource";
import type { Path } from "../document";
import { branchOf } from "./check";
import { asObject, type SchemaNode } from "./node";

/** A value to start from when a field is added: its default, else the least that the schema asks for. */
export function blankValue(node: SchemaNode): Json {
  if (node.default !== undefined) return node.default;
  switch (node.type) {
    case "object":
      return Object.fromEntries(
        node.properties.filter((property) => property.required).map((property) => [property.key, startValue(property.node)]),
      );
    case "map":
      return {};
    case "list":
      return Array.from({ length: node.min ?? 0 }, () => startValue(node.items));
    case "text":
      return "";
    case "number":
      return node.min ?? (node.above !== undefined ? node.above + 1 : 0);
    case "boolean":
      return false;
    case "choice":
      return node.options[0] ?? "";
    case "union":
      return node.branches[0] ? blankValue(node.branches[0].node) : null;
    case "any":
      return "";
  }
}

/** As `blankValue`, but an example is better than the least. */
function startValue(node: SchemaNode): Json {
  const [example] = node.examples;
  return node.default === undefined && example !== undefined && node.type !== "text" ? example : blankValue(node);
}

/** The fields that are absent and that the server will fill in. */
export function effectiveDefaults(node: SchemaNode, value: Json | undefined, path: Path = []): { path: Path; value: Json }[] {
  if (value === undefined) return node.default === undefined ? [] : [{ path, value: node.default }];
  if (node.type === "object") {
    const map = asObject(value);
    return map ? node.properties.flatMap(({ key, node: child }) => effectiveDefaults(child, map[key], [...path, key])) : [];
  }
  if (node.type === "map")
    return Object.entries(asObject(value) ?? {}).flatMap(([key, item]) => effectiveDefaults(node.values, item, [...path, key]));
  if (node.type === "list")
    return Array.isArray(value) ? value.flatMap((item, index) => effectiveDefaults(node.items, item, [...path, index])) : [];
  if (node.type === "union") {
    const branch = node.branches[branchOf(node, value)];
    return branch ? effectiveDefaults(branch.node, value, path) : [];
  }
  return [];
}

/** The value with its fields in the schema's order; what the schema does not know comes last, as it was. */
export function inSchemaOrder(node: SchemaNode, value: Json): Json {
  if (node.type === "union") {
    const branch = node.branches[branchOf(node, value)];
    return branch ? inSchemaOrder(branch.node, value) : value;
  }
  if (node.type === "list") return Array.isArray(value) ? value.map((item) => inSchemaOrder(node.items, item)) : value;
  const map = asObject(value);
  if (!map) return value;
  if (node.type === "map") return Object.fromEntries(Object.entries(map).map(([key, item]) => [key, inSchemaOrder(node.values, item)]));
  if (node.type !== "object") return value;
  const known = new Map(node.properties.map((property, index) => [property.key, { index, node: property.node }]));
  const rank = (key: string) => known.get(key)?.index ?? known.size;
  return Object.fromEntries(
    Object.entries(map)
      .sort(([a], [b]) => rank(a) - rank(b))
      .map(([key, item]) => [key, inSchemaOrder(known.get(key)?.node ?? { type: "any", examples: [], nullable: false }, item)]),
  );
}

/** The schema of what is at `path`, following the branch that the value takes. Undefined when the schema knows nothing there. */
export function nodeAt(node: SchemaNode, path: Path, value?: Json): SchemaNode | undefined {
  const [head, ...rest] = path;
  if (node.type === "union") {
    const branch = node.branches[branchOf(node, value)] ?? node.branches[0];
    return head === undefined || !branch ? node : nodeAt(branch.node, path, value);
  }
  if (head === undefined) return node;
  const below = Array.isArray(value) && typeof head === "number" ? value[head] : asObject(value)?.[String(head)];
  if (node.type === "object") {
    const property = node.properties.find((candidate) => candidate.key === head);
    return property ? nodeAt(property.node, rest, below) : undefined;
  }
  if (node.type === "map") return nodeAt(node.values, rest, below);
  return node.type === "list" ? nodeAt(node.items, rest, below) : undefined;
}
