import type { JsonObject } from "@/lib/resource";
import { type Path, pathId } from "./steps";

/** Some fields of a document, by path. */
export type FieldSet = ReadonlyMap<string, Path>;

export const EMPTY_SET: FieldSet = new Map();

export function setOfPaths(paths: Iterable<Path>): FieldSet {
  const set = new Map<string, Path>();
  for (const path of paths) set.set(pathId(path), path);
  return set;
}

export function union(...sets: readonly FieldSet[]): FieldSet {
  return new Map(sets.flatMap((set) => [...set]));
}

export function without(set: FieldSet, taken: { has(id: string): boolean }): FieldSet {
  return new Map([...set].filter(([id]) => !taken.has(id)));
}

export function within(set: FieldSet, kept: { has(id: string): boolean }): FieldSet {
  return new Map([...set].filter(([id]) => kept.has(id)));
}

export function sameSet(a: FieldSet, b: FieldSet): boolean {
  return a.size === b.size && [...a.keys()].every((id) => b.has(id));
}

/** True when `path` or anything below it is in the set. */
export function holdsAtOrBelow(set: FieldSet, path: Path): boolean {
  const id = pathId(path);
  if (set.has(id)) return true;
  const below = `${id}\u0000`;
  for (const candidate of set.keys()) if (candidate.startsWith(below)) return true;
  return false;
}

/** The FieldsV1 form: nested steps, with `.` for a field that is in the set itself beside what is below it. Keys are sorted. */
export function toFieldsV1(set: FieldSet): JsonObject {
  const root: JsonObject = {};
  const ids = new Set(set.keys());
  for (const path of [...set.values()].sort(byText)) {
    let node = root;
    path.forEach((step, index) => {
      const known = node[step];
      const next: JsonObject = isNode(known) ? known : {};
      if (known === undefined) {
        node[step] = next;
        // Sorting puts a path before what is below it: it is marked where something below is going to come.
      } else if (Object.keys(next).length === 0 && ids.has(pathId(path.slice(0, index + 1))) && index + 1 < path.length) next["."] = {};
      node = next;
    });
  }
  return root;
}

/** The set that a FieldsV1 form means; what is not one is read as nothing. */
export function fromFieldsV1(fields: JsonObject): FieldSet {
  const set = new Map<string, Path>();
  collect(fields, [], set);
  return set;
}

function collect(node: JsonObject, path: Path, set: Map<string, Path>): void {
  for (const [step, child] of Object.entries(node)) {
    if (step === "." || !isNode(child)) continue;
    const here = [...path, step];
    if (Object.keys(child).length === 0 || Object.hasOwn(child, ".")) set.set(pathId(here), here);
    collect(child, here, set);
  }
}

function isNode(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function byText(a: Path, b: Path): number {
  const left = pathId(a);
  const right = pathId(b);
  return left < right ? -1 : left > right ? 1 : 0;
}
