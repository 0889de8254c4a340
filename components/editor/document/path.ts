import type { Json } from "@/lib/resource";

/** Where a value sits in a document: keys of maps and indexes of lists, from the root. */
export type Path = readonly (string | number)[];

/** For people and for the server: `spec.template.command[0]`; a key that is not a plain word is quoted. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    if (/^[A-Za-z_$][\w$/-]*$/.test(part)) return text === "" ? part : `${text}.${part}`;
    return `${text}["${part}"]`;
  }, "");
}

/** A stable key for React and for element ids: unlike `pathText` it cannot collide. */
export function pathKey(path: Path): string {
  return JSON.stringify(path);
}

/** An id for the DOM: letters, digits, `-` and `_` only. */
export function pathId(path: Path): string {
  return `field-${path.map((part) => String(part).replace(/[^A-Za-z0-9]/g, (c) => `_${c.charCodeAt(0).toString(16)}`)).join("-")}`;
}

export function samePath(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((part, index) => part === b[index]);
}

export function startsWith(path: Path, prefix: Path): boolean {
  return path.length >= prefix.length && prefix.every((part, index) => part === path[index]);
}

function isMap(value: Json | undefined): value is { [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value at `path`; undefined when nothing is there. Reads own keys only. */
export function valueAt(root: Json | undefined, path: Path): Json | undefined {
  let value = root;
  for (const part of path) {
    if (Array.isArray(value)) value = typeof part === "number" ? value[part] : undefined;
    else if (isMap(value)) value = Object.hasOwn(value, String(part)) ? value[String(part)] : undefined;
    else return undefined;
  }
  return value;
}

/** A copy of `root` with `value` at `path`; undefined removes. Missing parents are made, lists where the next part is an index. */
export function withValueAt(root: Json | undefined, path: Path, value: Json | undefined): Json | undefined {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (typeof head === "number") {
    const list = Array.isArray(root) ? [...root] : [];
    const item = withValueAt(list[head], rest, value);
    if (item === undefined) list.splice(head, 1);
    else list[Math.min(head, list.length)] = item;
    return list;
  }
  const map: { [key: string]: Json } = isMap(root) ? { ...root } : {};
  const item = withValueAt(Object.hasOwn(map, head) ? map[head] : undefined, rest, value);
  if (item === undefined) delete map[head];
  else map[head] = item;
  return map;
}

/**
 * Reads a path as servers write it (`spec.env.PORT`, `spec.command[0]`, `spec.command.0`). Keys may contain dots, so the
 * document decides: the longest key that exists wins, else everything up to the next separator is one key.
 */
export function parsePath(text: string, root: Json | undefined): Path {
  const path: (string | number)[] = [];
  let rest = text.replace(/^[.]/, "");
  let value = root;
  while (rest !== "") {
    const step = nextStep(rest, value);
    const part = Array.isArray(value) && /^\d+$/.test(step.part) ? Number(step.part) : (step.bracketed ?? step.part);
    path.push(part);
    value = valueAt(value, [part]);
    rest = rest.slice(step.length).replace(/^[.]/, "");
  }
  return path;
}

function nextStep(text: string, value: Json | undefined): { part: string; bracketed?: string | number; length: number } {
  const bracket = /^\[(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(\d+)|([^\]]+))\]/.exec(text);
  if (bracket) {
    const [whole, double, single, index, bare] = bracket;
    const bracketed = index === undefined ? (double ?? single ?? bare ?? "") : Number(index);
    return { part: String(bracketed), bracketed, length: whole.length };
  }
  if (isMap(value)) {
    const known = Object.keys(value)
      .filter((key) => key !== "" && text.startsWith(key) && /^($|[.[])/.test(text.slice(key.length)))
      .sort((a, b) => b.length - a.length)[0];
    if (known !== undefined) return { part: known, length: known.length };
  }
  const plain = /^[^.[]+/.exec(text)?.[0] ?? text;
  return { part: plain, length: plain.length };
}
