import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  Scalar,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { deepEqual, type Json } from "@/lib/resource";
import { keyText, type ParsedText, parseText } from "./parse";
import { type Path, valueAt, withValueAt } from "./path";

/**
 * Edits of a text that keep everything else: comments, order, quotes. Each takes a text that parses and returns the new one;
 * a text with faults comes back unchanged, because nobody knows what it means.
 */

/** Sets the value at `path`, making parents as needed; undefined removes it. */
export function setAt(text: string, path: Path, value: Json | undefined): string {
  if (value === undefined) return removeAt(text, path);
  const parsed = parseText(text);
  if (parsed.faults.length > 0) return text;
  if (deepEqual(valueAt(parsed.value, path), value)) return text;
  return spliceScalar(parsed, path, value) ?? rewrite(parsed, (document) => assignAt(document, path, value));
}

export function removeAt(text: string, path: Path): string {
  const parsed = parseText(text);
  if (parsed.faults.length > 0 || valueAt(parsed.value, path) === undefined) return text;
  return rewrite(parsed, (document) => {
    const parent = document.getIn(path.slice(0, -1), true);
    if (path.length > 0 && isCollection(parent)) document.deleteIn(path);
    else assignAt(document, [], withValueAt(parsed.value, path, undefined) ?? null);
  });
}

/** Inserts into the list at `path`, which is made when absent. */
export function insertAt(text: string, path: Path, index: number, value: Json): string {
  return editList(text, path, (list, document) => {
    if (list.items.length === 0) list.flow = false;
    list.items.splice(index, 0, document.createNode(value));
  });
}

/** Moves one item of the list at `path`; its comments move with it. */
export function moveItem(text: string, path: Path, from: number, to: number): string {
  return editList(text, path, (list) => {
    const [item] = list.items.splice(from, 1);
    if (item !== undefined) list.items.splice(to, 0, item);
  });
}

/** Renames a key of the map at `path`, keeping its place. Does nothing when the new name is taken. */
export function renameKey(text: string, path: Path, from: string, to: string): string {
  const parsed = parseText(text);
  if (parsed.faults.length > 0 || from === to || valueAt(parsed.value, [...path, to]) !== undefined) return text;
  return rewrite(parsed, (document) => {
    const map = path.length === 0 ? document.contents : document.getIn(path, true);
    const pair = isMap(map) ? map.items.find((item) => keyText(item.key) === from) : undefined;
    if (!pair) return;
    const key = new Scalar(to);
    if (isScalar(pair.key)) copyComments(pair.key, key);
    (pair as Pair<unknown, unknown>).key = key;
  });
}

function editList(text: string, path: Path, edit: (list: YAMLSeq, document: Document) => void): string {
  const parsed = parseText(text);
  if (parsed.faults.length > 0) return text;
  return rewrite(parsed, (document) => {
    if (!isSeq(document.getIn(path, true))) {
      const plain = valueAt(parsed.value, path);
      assignAt(document, path, Array.isArray(plain) ? plain : []);
    }
    const list = document.getIn(path, true);
    if (isSeq(list)) edit(list, document);
  });
}

/** Replaces one line's scalar in the text itself, so that not one other byte moves. Undefined when that would not be exact. */
function spliceScalar(parsed: ParsedText, path: Path, value: Json): string | undefined {
  const node = path.length === 0 ? undefined : parsed.document.getIn(path, true);
  if (!isScalar(node) || !node.range || node.anchor || typeof value === "object") return undefined;
  const [from, to] = node.range;
  const before = parsed.text.slice(from, to);
  if (before.includes("\n") || (typeof value === "string" && value.includes("\n"))) return undefined;
  // Quotes around nothing say nothing about how the text is to be written.
  const quoted = before.length > 2 && (node.type === "QUOTE_DOUBLE" || node.type === "QUOTE_SINGLE") ? node.type : undefined;
  const scalar = new Scalar(value);
  if (quoted && typeof value === "string") scalar.type = quoted;
  const rendered = stringify(scalar, { lineWidth: 0 }).replace(/\n$/, "");
  if (rendered.includes("\n")) return undefined;
  const next = `${parsed.text.slice(0, from)}${from === to ? " " : ""}${rendered}${parsed.text.slice(to)}`;
  const check = parseText(next);
  return check.faults.length === 0 && deepEqual(check.value, withValueAt(parsed.value, path, value)) ? next : undefined;
}

/** Changes the nodes and writes the whole text again, in the style it had. */
function rewrite(parsed: ParsedText, change: (document: Document) => void): string {
  const { document, text } = parsed;
  change(document);
  return document.toString({
    lineWidth: 0,
    blockQuote: "literal",
    indent: indentOf(text),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\n\1- /m.test(text),
    flowCollectionPadding: !/\{[^\s}]/.test(text),
  });
}

function indentOf(text: string): number {
  const width = /^[^\s#][^\n]*:[^\n]*\n(?:\s*#[^\n]*\n)*( +)[^\s-]/m.exec(text)?.[1]?.length ?? 2;
  return Math.min(Math.max(width, 1), 8);
}

function assignAt(document: Document, path: Path, value: Json): void {
  const parents = deepestCollection(document, path);
  if (parents < path.length) {
    const here = path.slice(0, parents + 1);
    const rest = path.slice(parents + 1);
    const current = document.getIn(here, true);
    const plain = rest.length === 0 ? value : (withValueAt(plainOf(document, current), rest, value) ?? null);
    const parent = here.length === 1 ? document.contents : document.getIn(here.slice(0, -1), true);
    if (isCollection(parent)) {
      if (parent.items.length === 0) parent.flow = false;
      document.setIn(here, merged(document, current, plain));
      return;
    }
    document.contents = document.createNode(withValueAt(plainOf(document, document.contents), path, value) ?? null) as Document["contents"];
    return;
  }
  document.contents = merged(document, document.contents, value) as Document["contents"];
}

/** How many parts of the path lead through real collections, counted so that the next part can be set in the last of them. */
function deepestCollection(document: Document, path: Path): number {
  for (let length = 1; length < path.length; length++) {
    if (!isCollection(document.getIn(path.slice(0, length), true))) return length - 1;
  }
  return path.length - 1;
}

function plainOf(document: Document, node: unknown): Json | undefined {
  if (node === undefined || node === null) return undefined;
  const resolved = isAlias(node) ? node.resolve(document) : (node as Node);
  return resolved ? (resolved.toJS(document) as Json) : undefined;
}

/** The node for `value`, reusing what the old one has: its comments, and recursively those of its children. */
function merged(document: Document, old: unknown, value: Json): unknown {
  if (isMap(old) && typeof value === "object" && value !== null && !Array.isArray(value)) return mergedMap(document, old, value);
  if (isSeq(old) && Array.isArray(value)) {
    if (old.items.length === 0) old.flow = false;
    old.items = value.map((item, index) =>
      index < old.items.length ? merged(document, old.items[index], item) : document.createNode(item),
    );
    return old;
  }
  if (isScalar(old) && old.value === value) return old;
  const fresh = document.createNode(value) as Node;
  if (isScalar(old) || isCollection(old)) copyComments(old, fresh);
  return fresh;
}

function mergedMap(document: Document, old: YAMLMap, value: { [key: string]: Json }): YAMLMap {
  if (old.items.length === 0) old.flow = false;
  old.items = old.items.filter((pair) => Object.hasOwn(value, keyText(pair.key)));
  for (const [key, item] of Object.entries(value)) {
    const pair = old.items.find((candidate) => keyText(candidate.key) === key);
    if (pair) pair.value = merged(document, pair.value, item);
    else old.items.push(document.createPair(key, item));
  }
  return old;
}

function copyComments(from: Node, to: Node): void {
  to.comment = from.comment;
  to.commentBefore = from.commentBefore;
  to.spaceBefore = from.spaceBefore;
}
