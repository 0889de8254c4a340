import type { Json } from "@/lib/resource";
import type { Path } from "../document";
import { asObject, type MapNode, type NumberNode, type ObjectNode, regex, type SchemaNode, type TextNode, type UnionNode } from "./node";

/** What is wrong with one value. `unknown` concerns the key, `required` a value that is not there. */
export interface SchemaFault {
  path: Path;
  rule: "required" | "unknown" | "type" | "value";
  message: string;
}

/** Every fault of `value`, in the order of the document. Secret values that are kept as they are pass through `kept`. */
export function checkValue(
  node: SchemaNode,
  value: Json | undefined,
  path: Path = [],
  kept: (path: Path) => boolean = () => false,
): SchemaFault[] {
  if (value === undefined) return [{ path, rule: "required", message: "is required" }];
  if (value === null && node.nullable) return [];
  if (kept(path)) return [];
  switch (node.type) {
    case "object":
      return checkObject(node, value, path, kept);
    case "map":
      return checkMap(node, value, path, kept);
    case "list":
      if (!Array.isArray(value)) return [wrongType(path, value, "a list")];
      return [
        ...sized(path, value.length, node, ["item", "items"]),
        ...value.flatMap((item, index) => checkValue(node.items, item, [...path, index], kept)),
      ];
    case "text":
      return typeof value === "string" ? checkText(node, value, path) : [wrongType(path, value, "a text")];
    case "number":
      return typeof value === "number"
        ? checkNumber(node, value, path)
        : [wrongType(path, value, node.integer ? "a whole number" : "a number")];
    case "boolean":
      return typeof value === "boolean" ? [] : [wrongType(path, value, "true or false")];
    case "choice":
      if (node.options.includes(value)) return [];
      return [{ path, rule: value === null ? "required" : "value", message: choiceMessage(node.options) }];
    case "union":
      return checkUnion(node, value, path, kept);
    case "any":
      return [];
  }
}

function choiceMessage(options: Json[]): string {
  const words = options.map((option) => String(option));
  return words.length === 1 ? `must be ${words[0]}` : `must be one of ${words.join(", ")}`;
}

function wrongType(path: Path, value: Json, wanted: string): SchemaFault {
  if (value === null) return { path, rule: "required", message: "is required" };
  const hint = wanted === "a text" && typeof value !== "object" ? " (put it in quotes)" : "";
  return { path, rule: "type", message: `must be ${wanted}, not ${typeWord(value)}${hint}` };
}

function typeWord(value: Json): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map";
  if (typeof value === "string") return "a text";
  return typeof value === "number" ? "a number" : "true or false";
}

function checkObject(node: ObjectNode, value: Json, path: Path, kept: (path: Path) => boolean): SchemaFault[] {
  const map = asObject(value);
  if (!map) return [wrongType(path, value, "a map")];
  const known = new Map(node.properties.map((property) => [property.key, property]));
  const faults: SchemaFault[] = [];
  for (const [key, item] of Object.entries(map)) {
    const property = known.get(key);
    if (property) faults.push(...checkValue(property.node, item, [...path, key], kept));
    else if (node.strict) faults.push({ path: [...path, key], rule: "unknown", message: unknownMessage(key, [...known.keys()]) });
  }
  for (const property of node.properties) {
    if (property.required && !Object.hasOwn(map, property.key)) {
      faults.push({ path: [...path, property.key], rule: "required", message: "is required" });
    }
  }
  return faults;
}

function unknownMessage(key: string, known: string[]): string {
  const near = known
    .map((name) => ({ name, distance: distance(key.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return near && near.distance <= Math.max(1, Math.floor(near.name.length / 3))
    ? `is not a known field; did you mean ${near.name}?`
    : "is not a known field";
}

/** Edit distance of two short words. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function checkMap(node: MapNode, value: Json, path: Path, kept: (path: Path) => boolean): SchemaFault[] {
  const map = asObject(value);
  if (!map) return [wrongType(path, value, "a map")];
  return Object.entries(map).flatMap(([key, item]) => {
    const keyFault = node.keyFault?.(key);
    const faults = checkValue(node.values, item, [...path, key], kept);
    return keyFault ? [{ path: [...path, key], rule: "unknown" as const, message: `the name ${keyFault}` }, ...faults] : faults;
  });
}

function sized(path: Path, size: number, limits: { min?: number; max?: number }, [one, many]: [string, string]): SchemaFault[] {
  const word = (count: number) => `${count} ${count === 1 ? one : many}`;
  if (limits.min !== undefined && size < limits.min) {
    if (size === 0)
      return [{ path, rule: "required", message: limits.min === 1 ? "must not be empty" : `needs at least ${word(limits.min)}` }];
    return [{ path, rule: "value", message: `needs at least ${word(limits.min)}` }];
  }
  if (limits.max !== undefined && size > limits.max) return [{ path, rule: "value", message: `can have at most ${word(limits.max)}` }];
  return [];
}

const FORMATS: Record<string, string> = {
  email: "must be an e-mail address",
  uri: "must be a URL",
  ipv4: "must be an IPv4 address",
  "date-time": "must be an ISO 8601 time",
};

function checkText(node: TextNode, text: string, path: Path): SchemaFault[] {
  const size = sized(path, [...text].length, node, ["character", "characters"]);
  if (size.length > 0) return size;
  const own = node.fault?.(text);
  if (own) return [{ path, rule: text === "" ? "required" : "value", message: own }];
  if (node.pattern !== undefined && regex(node.pattern)?.test(text) === false) {
    return [{ path, rule: "value", message: (node.format && FORMATS[node.format]) ?? `must match ${node.pattern}` }];
  }
  return [];
}

function checkNumber(node: NumberNode, value: number, path: Path): SchemaFault[] {
  const fault = (message: string): SchemaFault[] => [{ path, rule: "value", message }];
  if (node.integer && !Number.isInteger(value)) return fault("must be a whole number");
  if (!Number.isSafeInteger(value) && Number.isInteger(value)) return fault("is too large to be stored exactly");
  if (node.min !== undefined && value < node.min) return fault(`must be at least ${node.min}`);
  if (node.max !== undefined && value > node.max) return fault(`must be at most ${node.max}`);
  if (node.above !== undefined && value <= node.above) return fault(`must be more than ${node.above}`);
  if (node.below !== undefined && value >= node.below) return fault(`must be less than ${node.below}`);
  return [];
}

/** The faults of the branch that was most likely meant. */
function checkUnion(node: UnionNode, value: Json, path: Path, kept: (path: Path) => boolean): SchemaFault[] {
  const branch = node.branches[branchOf(node, value)];
  return branch ? checkValue(branch.node, value, path, kept) : [];
}

/** Which branch of a union a value is: the one with the least against it. -1 for a union without branches. */
export function branchOf(node: UnionNode, value: Json | undefined): number {
  const weight: Record<SchemaFault["rule"], number> = { type: 4, unknown: 3, required: 2, value: 1 };
  let best = { index: -1, cost: Number.POSITIVE_INFINITY };
  for (const [index, branch] of node.branches.entries()) {
    const cost = checkValue(branch.node, value).reduce((sum, fault) => sum + weight[fault.rule] + fixedPenalty(branch.node, fault), 0);
    if (cost < best.cost) best = { index, cost };
  }
  return best.index;
}

/** A wrong discriminator speaks louder than anything else. */
function fixedPenalty(node: SchemaNode, fault: SchemaFault): number {
  if (node.type !== "object") return 0;
  const property = node.properties.find((candidate) => candidate.key === fault.path[fault.path.length - 1]);
  return property?.node.type === "choice" && property.node.options.length === 1 ? 20 : 0;
}
