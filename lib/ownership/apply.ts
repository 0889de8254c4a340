/** Server-side apply: a manager states the fields it wants, and owns exactly those. */
import { deepEqual, type JsonObject, type ManagedFields } from "@/lib/resource";
import { type FieldSet, union, within, without } from "./field-set";
import { differs, fieldsOf, statedIn } from "./fields";
import { entriesOf, type Holding, holdingChanged, holdingOf, holdingsOf, type ManagerId, othersThan } from "./managers";
import { mergeOver, removeFields } from "./merge";
import type { Shape } from "./shape";
import type { Path } from "./steps";

/** A field that somebody else owns and that would change. */
export interface OwnershipConflict {
  manager: ManagerId;
  apiVersion: string;
  /** When that manager last changed anything. */
  time: string;
  path: Path;
}

export interface Applying {
  /** Only what can be owned: no apiVersion, kind, name or version. */
  applied: JsonObject;
  shape: Shape;
  by: ManagerId;
  managed: readonly ManagedFields[];
}

/** The document after the apply, still to be admitted: the configuration over what is there, without what only this manager held and no longer states. */
export function mergeApplied(live: JsonObject, { applied, shape, by, managed }: Applying): JsonObject {
  const holdings = holdingsOf(managed);
  const stated = statedIn(fieldsOf(applied, shape));
  const dropped = without(holdingOf(holdings, by).set, stated);
  const kept = union(stated, ...othersThan(holdings, by).map(({ set }) => set));
  const merged = mergeOver(live, applied, shape);
  return removeFields(asMap(merged), dropped, kept, shape);
}

function asMap(value: ReturnType<typeof mergeOver>): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

/**
 * What an admitted apply means: the conflicts, when others own what changed, and the entries as they are then, where it is
 * carried out all the same (`force`). `before` and `after` are compared as stored, so that a secret's value is never looked at in clear.
 */
export function settleApply(
  before: JsonObject,
  after: JsonObject,
  { applied, shape, by, managed }: Applying,
  time: string,
): { conflicts: OwnershipConflict[]; managed: ManagedFields[] } {
  const [was, is] = [fieldsOf(before, shape), fieldsOf(after, shape)];
  const holdings = holdingsOf(managed);
  const others = othersThan(holdings, by);
  const lost = (holding: Holding): FieldSet => new Map([...holding.set].filter(([id]) => differs(was.get(id), is.get(id))));
  const conflicts = others.flatMap((holding) =>
    // What its owner left nothing of is nobody's.
    [...lost(holding)]
      .filter(([id]) => was.has(id))
      .map(([, path]) => ({ manager: holding.id, apiVersion: holding.apiVersion, time: holding.time, path })),
  );
  const own = holdingOf(holdings, by);
  const set = within(statedIn(fieldsOf(applied, shape)), is);
  const touched = holdingChanged(own, set) || !deepEqual(before, after);
  const next = [
    { ...own, set, time: touched ? time : own.time },
    ...others.map((holding) => ({ ...holding, set: within(without(holding.set, lost(holding)), is) })),
  ];
  return { conflicts, managed: entriesOf(next) };
}
