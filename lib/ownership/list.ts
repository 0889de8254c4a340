/** Lists whose items have an identity of their own. */
import type { Json, JsonObject } from "@/lib/resource";
import { isMap, type Shape } from "./shape";
import { keyStep, valueStep } from "./steps";

type ListShape = Extract<Shape, { type: "keyed" | "set" }>;

export function isListShape(shape: Shape): shape is ListShape {
  return shape.type === "keyed" || shape.type === "set";
}

/** The step to each item, in order; undefined for a list whose items cannot be told apart, which is then taken as a whole. */
export function itemSteps(list: readonly Json[], shape: ListShape): string[] | undefined {
  const steps: string[] = [];
  for (const item of list) {
    const step = shape.type === "set" ? setStep(item) : keyedStep(item, shape.keys);
    if (step === undefined) return undefined;
    steps.push(step);
  }
  return new Set(steps).size === steps.length ? steps : undefined;
}

function setStep(item: Json): string | undefined {
  return typeof item === "object" ? undefined : valueStep(item);
}

/** Keys that an item leaves out are no part of its identity. */
function keyedStep(item: Json, keys: readonly string[]): string | undefined {
  if (!isMap(item)) return undefined;
  const present: JsonObject = {};
  for (const key of keys) {
    const value = Object.hasOwn(item, key) ? item[key] : undefined;
    if (value === undefined) continue;
    if (typeof value === "object") return undefined;
    present[key] = value;
  }
  return Object.keys(present).length === 0 ? undefined : keyStep(present);
}

/** Where the item of that step stands; -1 when it is not there. */
export function indexOfItem(list: readonly Json[], step: string, shape: ListShape): number {
  return itemSteps(list, shape)?.indexOf(step) ?? -1;
}
