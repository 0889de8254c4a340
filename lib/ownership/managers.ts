/** The entries of `metadata.managedFields`, and the sets of fields they stand for. */
import { API_VERSION, type ManagedFields } from "@/lib/resource";
import { EMPTY_SET, type FieldSet, fromFieldsV1, sameSet, toFieldsV1, union } from "./field-set";

/** What tells one manager from another: the same name that applies and that updates are two. */
export interface ManagerId {
  manager: string;
  operation: ManagedFields["operation"];
  subresource?: string;
}

export interface Holding {
  id: ManagerId;
  apiVersion: string;
  time: string;
  set: FieldSet;
}

export type Holdings = ReadonlyMap<string, Holding>;

/** Entries of single updates kept apart; older ones are put together as `ancient-changes`, as Kubernetes does. */
const MOST_UPDATERS = 10;
const ANCIENT = "ancient-changes";

const keyOf = ({ manager, operation, subresource }: ManagerId, apiVersion = API_VERSION) =>
  JSON.stringify([operation, manager, apiVersion, subresource ?? ""]);

export function holdingsOf(entries: readonly ManagedFields[]): Holdings {
  return new Map(
    entries.map(({ manager, operation, subresource, apiVersion, time, fieldsV1 }) => {
      const id: ManagerId = { manager, operation, ...(subresource === undefined ? {} : { subresource }) };
      return [keyOf(id, apiVersion), { id, apiVersion, time, set: fromFieldsV1(fieldsV1) }];
    }),
  );
}

export function holdingOf(holdings: Holdings, id: ManagerId): Holding {
  return holdings.get(keyOf(id)) ?? { id, apiVersion: API_VERSION, time: "", set: EMPTY_SET };
}

/** All but that manager's. */
export function othersThan(holdings: Holdings, id: ManagerId): Holding[] {
  const own = keyOf(id);
  return [...holdings].flatMap(([key, holding]) => (key === own ? [] : [holding]));
}

/** As stored: without managers that own nothing, appliers first, then by age and name. */
export function entriesOf(holdings: Iterable<Holding>): ManagedFields[] {
  return capped([...holdings].filter(({ set }) => set.size > 0).sort(byAge)).map(({ id, apiVersion, time, set }) => ({
    manager: id.manager,
    operation: id.operation,
    apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1: toFieldsV1(set),
    ...(id.subresource === undefined ? {} : { subresource: id.subresource }),
  }));
}

/** Whether a manager's holding is another than it was. */
export function holdingChanged(before: Holding, set: FieldSet): boolean {
  return !sameSet(before.set, set);
}

function byAge(a: Holding, b: Holding): number {
  const order = (holding: Holding) => [holding.id.operation, holding.time, holding.id.manager, holding.id.subresource ?? ""];
  const [left, right] = [order(a), order(b)];
  const at = left.findIndex((text, index) => text !== right[index]);
  return at < 0 ? 0 : (left[at] ?? "") < (right[at] ?? "") ? -1 : 1;
}

/** `holdings` are oldest first within an operation. */
function capped(holdings: Holding[]): Holding[] {
  const updaters = holdings.filter(({ id }) => id.operation === "Update");
  const excess = updaters.slice(0, Math.max(0, updaters.length - MOST_UPDATERS));
  const newest = excess.at(-1);
  if (!newest || excess.length < 2) return holdings;
  const ancient: Holding = {
    id: { manager: ANCIENT, operation: "Update" },
    apiVersion: newest.apiVersion,
    time: newest.time,
    set: union(...excess.map(({ set }) => set)),
  };
  return [...holdings.filter((holding) => !excess.includes(holding)), ancient].sort(byAge);
}
