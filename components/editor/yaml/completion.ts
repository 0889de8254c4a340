import type { Json } from "@/lib/resource";
import { type Path, parseText, valueAt } from "../document";
import { asObject, nodeAt, type ObjectNode, type SchemaNode } from "../schema";

/** What can be typed at a place: fields of a map, or values of a field. */
export interface Suggestion {
  label: string;
  /** What is written; may hold more than the label, e.g. `replicas: `. */
  insert: string;
  detail: string;
  info?: string;
  required: boolean;
}

/** Where the cursor is, as far as can be told from a text that need not be complete. */
export interface CursorPlace {
  /** The map that a key is typed into, or the field that a value is typed for. */
  path: Path;
  typing: "key" | "value";
  /** What has been typed of the word. */
  word: string;
}

interface Level {
  indent: number;
  part: string | number;
}

/** Reads the lines above the cursor by their indentation: works where the text does not parse. */
export function placeOf(text: string, offset: number): CursorPlace | undefined {
  const before = text.slice(0, offset).split("\n");
  const current = before.pop() ?? "";
  if (/(^|\s)#/.test(current)) return undefined;
  let levels: Level[] = [];
  let block: number | undefined;
  for (const line of before) {
    const indent = line.search(/\S/);
    if (indent < 0 || line.trimStart().startsWith("#")) continue;
    if (block !== undefined && indent > block) continue;
    block = /[|>][+-]?\d?\s*$/.test(line) ? indent : undefined;
    const content = enterItems(levels, line);
    levels = content.levels;
    if (content.key !== undefined) levels = [...below(levels, content.indent), { indent: content.indent, part: content.key }];
  }
  const indent = current.search(/\S/);
  if (block !== undefined && (indent < 0 ? current.length : indent) > block) return undefined;
  return placeInLine(levels, current);
}

function below(levels: readonly Level[], indent: number): Level[] {
  return levels.filter((level) => level.indent < indent);
}

/** Walks into the items that a line opens with `- `, and says what is left of it. */
function enterItems(above: readonly Level[], line: string): { levels: Level[]; indent: number; rest: string; key?: string } {
  let levels = [...above];
  let indent = line.length - line.trimStart().length;
  let rest = line.trimStart();
  while (/^-(\s|$)/.test(rest)) {
    const here = indent;
    const before = levels.find((level) => level.indent === here && typeof level.part === "number")?.part;
    // A list may stand at the indentation of the key that holds it.
    levels = levels.filter((level) => level.indent < here || (level.indent === here && typeof level.part === "string"));
    levels.push({ indent, part: typeof before === "number" ? before + 1 : 0 });
    const width = rest.length - rest.slice(1).trimStart().length;
    indent += width;
    rest = rest.slice(width);
  }
  const key = /^("?)([^\s":]+)\1:(\s|$)/.exec(rest)?.[2];
  return { levels, indent, rest, ...(key === undefined ? {} : { key }) };
}

function placeInLine(above: readonly Level[], line: string): CursorPlace | undefined {
  const { levels, indent, rest, key } = enterItems(above, line);
  const path = below(levels, indent).map((level) => level.part);
  const field = /^"?[^\s":]+"?:\s+(.*)$/.exec(rest);
  if (key !== undefined && field) return { path: [...path, key], typing: "value", word: field[1] ?? "" };
  return rest.includes(":") ? undefined : { path, typing: "key", word: rest };
}

/** What the schema offers at the cursor, required fields first; fields that are already there are left out. */
export function suggest(schema: ObjectNode, text: string, offset: number): { place: CursorPlace; suggestions: Suggestion[] } | undefined {
  const place = placeOf(text, offset);
  if (!place) return undefined;
  const value = valueWithout(text, offset);
  const node = nodeAt(schema, place.path, valueAt(value, place.path));
  if (!node) return undefined;
  const suggestions = place.typing === "value" ? values(node) : keys(node, asObject(valueAt(value, place.path)), place.word);
  return suggestions.length > 0 ? { place, suggestions } : undefined;
}

/** The document as it is without the line that is being typed. */
function valueWithout(text: string, offset: number): Json | undefined {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const end = text.indexOf("\n", offset);
  return parseText(text).value ?? parseText(text.slice(0, start) + (end < 0 ? "" : text.slice(end + 1))).value;
}

function keys(node: SchemaNode, present: { [key: string]: Json } | undefined, word: string): Suggestion[] {
  const objects = node.type === "union" ? node.branches.map((branch) => branch.node) : [node];
  const options = objects.flatMap((object): Suggestion[] => {
    if (object.type === "map") return (object.keyOptions ?? []).map((key) => suggestionFor(key, object.values, false));
    return object.type === "object"
      ? object.properties.map((property) => suggestionFor(property.key, property.node, property.required))
      : [];
  });
  const seen = new Set(Object.keys(present ?? {}).filter((key) => key !== word));
  return options
    .filter((option) => !seen.has(option.label) && seen.add(option.label))
    .sort((a, b) => Number(b.required) - Number(a.required));
}

function suggestionFor(key: string, node: SchemaNode, required: boolean): Suggestion {
  const nested = node.type === "object" || node.type === "map" || node.type === "list" || node.type === "union";
  return {
    label: key,
    insert: nested ? `${key}:` : `${key}: `,
    detail: required ? "required" : node.type,
    ...(node.description ? { info: node.description } : {}),
    required,
  };
}

function values(node: SchemaNode): Suggestion[] {
  const offered =
    node.type === "boolean"
      ? [true, false]
      : node.type === "choice"
        ? node.options
        : [...node.examples, ...(node.default === undefined ? [] : [node.default])];
  return offered
    .filter((value) => typeof value !== "object")
    .map((value) => ({
      label: String(value),
      insert: JSON.stringify(value).replace(/^"([A-Za-z][\w./-]*)"$/, "$1"),
      detail: value === node.default ? "default" : "",
      required: false,
    }));
}
