/** One configuration laid over a document, and fields taken out of one. Neither mutates its input. */
import type { Json, JsonObject } from "@/lib/resource";
import { type FieldSet, holdsAtOrBelow } from "./field-set";
import { indexOfItem, isListShape, itemSteps } from "./list";
import { FREE, fieldShape, isMap, type Shape } from "./shape";
import { fieldOf, type Path, pathId } from "./steps";

/** `applied` over `live`: maps by field, keyed lists and sets by item, everything else replaced. A null says that there must be nothing. */
export function mergeOver(live: Json | undefined, applied: Json, shape: Shape): Json {
  if (isMap(applied) && shape.type !== "whole") {
    const result: JsonObject = isMap(live) ? { ...live } : {};
    for (const [name, value] of Object.entries(applied)) {
      if (value === null) delete result[name];
      else result[name] = mergeOver(Object.hasOwn(result, name) ? result[name] : undefined, value, fieldShape(shape, name));
    }
    return result;
  }
  if (!Array.isArray(applied) || !Array.isArray(live) || !isListShape(shape)) return applied;
  const liveSteps = itemSteps(live, shape);
  const steps = itemSteps(applied, shape);
  // An empty list takes nothing away from what others put into it.
  if (!liveSteps || !steps) return applied;
  const result = [...live];
  const item = shape.type === "keyed" ? shape.item : FREE;
  steps.forEach((step, index) => {
    const value = applied[index] ?? null;
    const at = liveSteps.indexOf(step);
    if (at < 0) result.push(mergeOver(undefined, value, item));
    else result[at] = mergeOver(result[at], value, item);
  });
  return result;
}

/**
 * The document without those fields. What becomes empty by that goes as well, unless it is in `kept`; so does nothing at all
 * of which something at or below is in `kept`.
 */
export function removeFields(document: JsonObject, removed: FieldSet, kept: FieldSet, shape: Shape): JsonObject {
  const gone = new Map([...removed].filter(([, path]) => !holdsAtOrBelow(kept, path)));
  let result = document;
  // Deepest first, so that what becomes empty is seen as such; an item goes as one, and one that stays keeps what tells it from others.
  for (const path of [...gone.values()].sort((a, b) => b.length - a.length)) {
    if (isInsideItem(path, gone) || isKeyOfItem(path)) continue;
    const next = removeAt(result, path, shape, { kept, walked: [] });
    result = isMap(next) ? next : {};
  }
  return result;
}

function isInsideItem(path: Path, gone: FieldSet): boolean {
  return path.some((step, index) => index < path.length - 1 && fieldOf(step) === undefined && gone.has(pathId(path.slice(0, index + 1))));
}

function isKeyOfItem(path: Path): boolean {
  const [parent = "", step = ""] = path.slice(-2);
  return parent.startsWith("k:") && Object.hasOwn(JSON.parse(parent.slice(2)), fieldOf(step) ?? "");
}

interface Way {
  kept: FieldSet;
  walked: Path;
}

/** Undefined: nothing is left of it. */
function removeAt(node: Json, [step = "", ...rest]: Path, shape: Shape, { kept, walked }: Way): Json | undefined {
  const here = [...walked, step];
  const name = fieldOf(step);
  const inner: Shape = name === undefined ? (shape.type === "keyed" ? shape.item : FREE) : fieldShape(shape, name);
  const child = childOf(node, step, shape);
  if (child === undefined) return node;
  // A container is only taken out when nobody put anything into it.
  const next =
    rest.length === 0 ? (isEmptied(child, inner, step) ? undefined : child) : removeAt(child, rest, inner, { kept, walked: here });
  if (next === child) return node;
  const left = withChild(node, step, shape, next);
  const gone = sizeOf(left) === 0 && walked.length > 1 && !kept.has(pathId(walked));
  return gone ? undefined : left;
}

function isEmptied(child: Json, shape: Shape, step: string): boolean {
  if (fieldOf(step) === undefined) return true;
  if (isMap(child) && shape.type !== "whole") return sizeOf(child) === 0;
  return !Array.isArray(child) || !isListShape(shape) || !itemSteps(child, shape) || child.length === 0;
}

const sizeOf = (node: Json) => (Array.isArray(node) ? node.length : isMap(node) ? Object.keys(node).length : 1);

function childOf(node: Json, step: string, shape: Shape): Json | undefined {
  const name = fieldOf(step);
  if (name !== undefined) return isMap(node) && Object.hasOwn(node, name) ? node[name] : undefined;
  return Array.isArray(node) && isListShape(shape) ? node[indexOfItem(node, step, shape)] : undefined;
}

function withChild(node: Json, step: string, shape: Shape, child: Json | undefined): Json {
  if (Array.isArray(node)) {
    const at = isListShape(shape) ? indexOfItem(node, step, shape) : -1;
    return child === undefined ? node.filter((_, index) => index !== at) : node.map((item, index) => (index === at ? child : item));
  }
  if (!isMap(node)) return node;
  const name = fieldOf(step) ?? "";
  const { [name]: _gone, ...others } = node;
  return child === undefined ? others : { ...node, [name]: child };
}
