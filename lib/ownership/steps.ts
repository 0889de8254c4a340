/** Paths of fields, as Kubernetes' FieldsV1 spells their steps: `f:<field>`, `k:<keys of a list item>`, `v:<item of a set>`. */
import type { Json, JsonObject } from "@/lib/resource";

export type Path = readonly string[];

export const fieldStep = (name: string): string => `f:${name}`;

/** The step to an item of a keyed list. The same keys are the same text, in whichever order they were given. */
export function keyStep(keys: JsonObject): string {
  const sorted = Object.keys(keys).sort();
  return `k:${JSON.stringify(Object.fromEntries(sorted.map((key) => [key, keys[key]])))}`;
}

export const valueStep = (value: Json): string => `v:${JSON.stringify(value)}`;

/** The field's name, for a step into a map. */
export function fieldOf(step: string): string | undefined {
  return step.startsWith("f:") ? step.slice(2) : undefined;
}

/** One text per path. No key can hold U+0000: admission refuses it. */
export const pathId = (path: Path): string => path.join("\u0000");

/** A path for people, as Kubernetes prints it in conflicts: `.spec.replicas`, `.spec.ports[name="http"].port`, `.spec.memberOf[="app"]`. */
export function pathText(path: Path): string {
  return path.map(stepText).join("");
}

function stepText(step: string): string {
  const body = step.slice(2);
  if (step.startsWith("f:")) return `.${body}`;
  if (step.startsWith("v:")) return `[=${body}]`;
  const keys: unknown = JSON.parse(body);
  const entries = Object.entries(typeof keys === "object" && keys !== null ? keys : {});
  return `[${entries.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(",")}]`;
}
