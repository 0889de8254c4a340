/** A document as fields that somebody can own. */
import { deepEqual, type Json } from "@/lib/resource";
import type { FieldSet } from "./field-set";
import { isListShape, itemSteps } from "./list";
import { FREE, fieldShape, isMap, type Shape } from "./shape";
import { fieldStep, type Path, pathId } from "./steps";

/**
 * - `value`: compared by value;
 * - `item`: of a keyed list or set, there or not;
 * - `container`: a map or such a list, there or not, whatever is in it.
 */
export interface Field {
  path: Path;
  role: "value" | "item" | "container";
  value: Json;
  /** A container without anything in it. */
  empty: boolean;
}

export type Fields = ReadonlyMap<string, Field>;

/** Every field of a document, by path. */
export function fieldsOf(document: Json, shape: Shape): Fields {
  const fields = new Map<string, Field>();
  visit(document, shape, [], "value", fields);
  return fields;
}

function visit(value: Json, shape: Shape, path: Path, as: "value" | "item", fields: Map<string, Field>): void {
  const add = (role: Field["role"], empty = false) => {
    if (path.length > 0) fields.set(pathId(path), { path, role, value, empty });
  };
  if (isMap(value) && shape.type !== "whole") {
    const entries = Object.entries(value);
    add(as === "item" ? "item" : "container", entries.length === 0);
    for (const [name, inner] of entries) visit(inner, fieldShape(shape, name), [...path, fieldStep(name)], "value", fields);
    return;
  }
  const steps = Array.isArray(value) && isListShape(shape) ? itemSteps(value, shape) : undefined;
  if (!Array.isArray(value) || !steps) {
    add(as);
    return;
  }
  add("container", value.length === 0);
  const item = shape.type === "keyed" ? shape.item : FREE;
  steps.forEach((step, index) => {
    visit(value[index] ?? null, item, [...path, step], "item", fields);
  });
}

/** The fields that a configuration speaks of: its values and items, and containers that it leaves empty. */
export function statedIn(fields: Fields): FieldSet {
  return new Map([...fields].filter(([, field]) => field.role !== "container" || field.empty).map(([id, { path }]) => [id, path]));
}

/** Whether one field is another on two sides. */
export function differs(before: Field | undefined, after: Field | undefined): boolean {
  if (!before || !after) return before !== after;
  if (before.role !== "value" && after.role !== "value") return false;
  return !deepEqual(before.value, after.value);
}
