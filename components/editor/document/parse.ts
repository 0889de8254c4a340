import { type Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from "yaml";
import type { Json } from "@/lib/resource";
import type { Path } from "./path";

/** Something that keeps the text from being read as one document. Offsets are into the text. */
export interface SyntaxFault {
  message: string;
  from: number;
  to: number;
}

/** A text and all that is known about it. Parsing never throws; `value` is undefined while there are faults. */
export interface ParsedText {
  text: string;
  document: Document.Parsed;
  value: Json | undefined;
  faults: SyntaxFault[];
  lines: LineCounter;
}

/** Aliases may expand to at most this many nodes: a document is a small thing. */
const MAX_ALIASES = 100;

/** Reads one YAML document. */
export function parseText(text: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true, strict: true });
  const faults: SyntaxFault[] = document.errors.map((error) => ({
    message: sentence(error.message),
    from: error.pos[0],
    to: Math.max(error.pos[1], error.pos[0]),
  }));
  faults.push(...valueFaults(document));
  if (faults.length > 0) return { text, document, value: undefined, faults, lines };
  try {
    const value = toJson(document.toJS({ maxAliasCount: MAX_ALIASES }));
    return { text, document, value, faults, lines };
  } catch (thrown) {
    const message = thrown instanceof Error ? sentence(thrown.message) : "The text cannot be read.";
    return { text, document, value: undefined, faults: [{ message, from: 0, to: 0 }], lines };
  }
}

function sentence(text: string): string {
  const trimmed = text.trim().replace(/\s+/g, " ");
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** What YAML can say and JSON cannot. */
function valueFaults(document: Document.Parsed): SyntaxFault[] {
  const faults: SyntaxFault[] = [];
  visit(document, {
    Scalar(_key, node) {
      const value = node.value;
      const fault =
        typeof value === "number" && !Number.isFinite(value)
          ? "NaN and infinity cannot be stored."
          : typeof value === "bigint"
            ? "This number is too large to be stored exactly."
            : undefined;
      if (fault) faults.push({ message: fault, from: node.range?.[0] ?? 0, to: node.range?.[1] ?? 0 });
    },
  });
  return faults;
}

function toJson(value: unknown): Json | undefined {
  if (value === undefined) return undefined;
  if (value === null || typeof value === "boolean" || typeof value === "string") return value;
  if (typeof value === "number") return value;
  if (Array.isArray(value)) return value.map((item) => toJson(item) ?? null);
  if (typeof value !== "object") throw new Error("Only texts, numbers, true, false, lists and maps can be stored.");
  const map: { [key: string]: Json } = {};
  for (const [key, item] of Object.entries(value)) {
    Object.defineProperty(map, key, { value: toJson(item) ?? null, enumerable: true, configurable: true, writable: true });
  }
  return map;
}

/** A place in the text; `line` counts from 1. */
export interface Place {
  from: number;
  to: number;
  line: number;
}

function place(parsed: ParsedText, from: number, to: number): Place {
  return { from, to, line: lineOf(parsed.text, from) };
}

export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at >= 0 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/**
 * Where a path is in the text: its value, or with `key` its key. When it is not there, the nearest parent's key, because that
 * is where it is missing.
 */
export function locate(parsed: ParsedText, path: Path, want: "value" | "key" = "value"): Place {
  let node: unknown = parsed.document.contents;
  let nearest: [number, number] = [0, 0];
  for (const [index, part] of path.entries()) {
    if (isAlias(node)) node = node.resolve(parsed.document);
    const last = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find((item) => isPair(item) && keyText(item.key) === String(part));
      if (!pair) return place(parsed, ...nearest);
      const keyRange = rangeOf(pair.key);
      if (keyRange) nearest = keyRange;
      if (last && want === "key") return place(parsed, ...nearest);
      node = pair.value;
    } else if (isSeq(node) && typeof part === "number" && part < node.items.length) {
      node = node.items[part];
      nearest = rangeOf(node) ?? nearest;
    } else return place(parsed, ...nearest);
  }
  const range = rangeOf(node);
  // An absent value (`host:`) has an empty range after its key: mark the key instead.
  if (!range || range[0] === range[1]) return place(parsed, ...nearest);
  return isMap(node) || isSeq(node) ? place(parsed, ...(nearest[1] > 0 ? nearest : range)) : place(parsed, ...range);
}

function rangeOf(node: unknown): [number, number] | undefined {
  const range = (node as Node | null | undefined)?.range;
  return range ? [range[0], range[1]] : undefined;
}

/** The text of a map's key, as JSON would have it. */
export function keyText(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}
