import { deepEqual, type Json } from "@/lib/resource";
import { type Path, pathKey, valueAt, withValueAt } from "../document";
import { asObject } from "../schema";

/** One field that somebody changed. A side is absent when the field is not there. */
export interface MergeField {
  path: Path;
  base?: Json;
  theirs?: Json;
  mine?: Json;
  /** `both` changed it to different things: somebody must choose. `same` means both made the same change. */
  changedBy: "theirs" | "mine" | "both" | "same";
}

/**
 * What happened on two sides since `base`, field by field. Maps are compared by key; lists and everything else as a whole, because
 * an index says nothing about which item was meant.
 */
export function compareThree(base: Json | undefined, theirs: Json | undefined, mine: Json | undefined, path: Path = []): MergeField[] {
  const theyDid = !deepEqual(base, theirs);
  const iDid = !deepEqual(base, mine);
  if (!theyDid && !iDid) return [];
  const maps = [asObject(base), asObject(theirs), asObject(mine)] as const;
  // A side that removed or replaced a whole map is one change; otherwise look at the fields.
  const [b, t, m] = maps;
  if (t && m && (b || base === undefined)) {
    const keys = [...new Set([...Object.keys(b ?? {}), ...Object.keys(t), ...Object.keys(m)])];
    return keys.flatMap((key) => compareThree(valueAt(b, [key]), valueAt(t, [key]), valueAt(m, [key]), [...path, key]));
  }
  const changedBy = !iDid ? "theirs" : !theyDid ? "mine" : deepEqual(theirs, mine) ? "same" : "both";
  return [
    {
      path,
      ...(base === undefined ? {} : { base }),
      ...(theirs === undefined ? {} : { theirs }),
      ...(mine === undefined ? {} : { mine }),
      changedBy,
    },
  ];
}

export type Choice = "mine" | "theirs";

/** The fields where somebody must choose. */
export function conflictsOf(fields: readonly MergeField[]): MergeField[] {
  return fields.filter((field) => field.changedBy === "both");
}

/** What has to be put into my document so that it holds both sides' changes: theirs, and conflicts decided for theirs. */
export function takenFrom(
  fields: readonly MergeField[],
  choices: Readonly<Record<string, Choice>>,
): { path: Path; value: Json | undefined }[] {
  return fields
    .filter((field) => field.changedBy === "theirs" || (field.changedBy === "both" && choices[pathKey(field.path)] === "theirs"))
    .map((field) => ({ path: field.path, value: field.theirs }));
}

/** The merged value: mine, with what is taken from theirs. */
export function mergeThree(mine: Json, fields: readonly MergeField[], choices: Readonly<Record<string, Choice>>): Json {
  return takenFrom(fields, choices).reduce<Json>((value, change) => withValueAt(value, change.path, change.value) ?? null, mine);
}
