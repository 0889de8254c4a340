/** Writes that are no apply: whoever changes a field owns it, and nobody else does any more. */
import type { JsonObject, ManagedFields } from "@/lib/resource";
import { type FieldSet, union, within, without } from "./field-set";
import { differs, type Fields, fieldsOf } from "./fields";
import { entriesOf, holdingChanged, holdingOf, holdingsOf, type ManagerId, othersThan } from "./managers";
import type { Shape } from "./shape";
import type { Path } from "./steps";

export interface Updating {
  shape: Shape;
  by: ManagerId;
  managed: readonly ManagedFields[];
}

/** The entries after an update. The same entries when no field changed. */
export function trackUpdate(before: JsonObject, after: JsonObject, { shape, by, managed }: Updating, time: string): ManagedFields[] {
  const [was, is] = [fieldsOf(before, shape), fieldsOf(after, shape)];
  const changed = changedBetween(was, is);
  if (changed.size === 0) return [...managed];
  const holdings = holdingsOf(managed);
  const own = holdingOf(holdings, by);
  const set = within(union(own.set, changed), is);
  const touched = holdingChanged(own, set) || [...changed.keys()].some((id) => set.has(id));
  return entriesOf([
    { ...own, set, time: touched || own.time === "" ? time : own.time },
    ...othersThan(holdings, by).map((holding) => ({ ...holding, set: within(without(holding.set, changed), is) })),
  ]);
}

/** Every field that is another now, or gone. The envelope's own parts are nobody's. */
function changedBetween(was: Fields, is: Fields): FieldSet {
  const changed = new Map<string, Path>();
  for (const [id, { path }] of [...was, ...is]) {
    if (path.length === 1 && path[0] !== "f:spec") continue;
    if (differs(was.get(id), is.get(id))) changed.set(id, path);
  }
  return changed;
}
