/** From an edited document to what is applied: a form shows everything, and states only what was changed in it. */
import { deepEqual, type Json, type JsonObject, type ManagedFields } from "@/lib/resource";
import type { OwnershipConflict } from "./apply";
import { EMPTY_SET, type FieldSet, holdsAtOrBelow } from "./field-set";
import { differs, fieldsOf } from "./fields";
import { isListShape, itemSteps } from "./list";
import { type Holding, holdingOf, holdingsOf, type ManagerId, othersThan } from "./managers";
import { isStanding } from "./owners";
import { FREE, fieldShape, isMap, type Shape } from "./shape";
import { fieldStep, type Path, pathId } from "./steps";

export interface EditPlan {
  /** What to apply: what differs and what this manager stated before, null for what was taken out. Undefined when that cannot be said by an apply. */
  statement?: JsonObject;
  /** Changed fields of managers that stand behind a configuration: those change them back unless the fields are taken over on purpose. */
  standing: OwnershipConflict[];
  /** Others own something of what changed: the apply has to be forced. */
  contested: boolean;
}

/** Both documents hold only what can be owned. */
export function planEdit(before: JsonObject, after: JsonObject, shape: Shape, by: ManagerId, managed: readonly ManagedFields[]): EditPlan {
  const holdings = holdingsOf(managed);
  const others = othersThan(holdings, by);
  const [was, is] = [fieldsOf(before, shape), fieldsOf(after, shape)];
  const lost = (holding: Holding) => [...holding.set].filter(([id]) => was.has(id) && differs(was.get(id), is.get(id)));
  const standing = holdingsOf(managed.filter(isStanding));
  const statement = new Statement(
    holdingOf(holdings, by).set,
    others.map(({ set }) => set),
  );
  const stated = statement.of(before, after, shape, []);
  return {
    ...(statement.unsayable ? {} : { statement: isMap(stated) ? stated : {} }),
    standing: othersThan(standing, by).flatMap((holding) =>
      lost(holding).map(([, path]) => ({ manager: holding.id, apiVersion: holding.apiVersion, time: holding.time, path })),
    ),
    contested: others.some((holding) => lost(holding).length > 0),
  };
}

class Statement {
  /** An item that others hold, or nobody, was taken out of a list: dropping it from a configuration would leave it there. */
  unsayable = false;

  constructor(
    private readonly own: FieldSet = EMPTY_SET,
    private readonly others: readonly FieldSet[] = [],
  ) {}

  /** The part of `after` to be stated; undefined when nothing of it is. */
  of(before: Json | undefined, after: Json, shape: Shape, path: Path): Json | undefined {
    if (isMap(after) && shape.type !== "whole") return this.ofMap(isMap(before) ? before : undefined, after, shape, path);
    const whole = () => (!deepEqual(before, after) || this.own.has(pathId(path)) ? after : undefined);
    if (!Array.isArray(after) || !isListShape(shape)) return whole();
    const steps = itemSteps(after, shape);
    const known = Array.isArray(before) ? itemSteps(before, shape) : [];
    return steps && known ? this.ofList(Array.isArray(before) ? before : [], after, shape, { steps, known, path }) : whole();
  }

  private ofMap(before: JsonObject | undefined, after: JsonObject, shape: Shape, path: Path): Json | undefined {
    const result: JsonObject = {};
    for (const [name, value] of Object.entries(after)) {
      const was = before && Object.hasOwn(before, name) ? before[name] : undefined;
      const part = this.of(was, value, fieldShape(shape, name), [...path, fieldStep(name)]);
      if (part !== undefined) result[name] = part;
    }
    for (const name of Object.keys(before ?? {})) if (!Object.hasOwn(after, name)) result[name] = null;
    const says = Object.keys(result).length > 0 || before === undefined || this.own.has(pathId(path));
    return says ? result : undefined;
  }

  private ofList(
    before: readonly Json[],
    after: readonly Json[],
    shape: Shape,
    { steps, known, path }: { steps: string[]; known: string[]; path: Path },
  ): Json | undefined {
    const inner = shape.type === "keyed" ? shape.item : FREE;
    for (const step of known) {
      const item = [...path, step];
      const held = !this.own.has(pathId(item)) || this.others.some((set) => holdsAtOrBelow(set, item));
      if (!steps.includes(step) && held) this.unsayable = true;
    }
    const result = steps.flatMap((step, index) => {
      const item = after[index] ?? null;
      const at = known.indexOf(step);
      if (at < 0) return [item];
      const here = [...path, step];
      const part = shape.type === "set" ? undefined : this.of(before[at], item, inner, here);
      if (part === undefined && !this.own.has(pathId(here))) return [];
      return [isMap(part) && isMap(item) && shape.type === "keyed" ? { ...keysOf(item, shape.keys), ...part } : item];
    });
    return result.length > 0 ? result : undefined;
  }
}

function keysOf(item: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(item).filter(([key]) => keys.includes(key)));
}
