import { FORM_MANAGER } from "@/lib/client";
import { type EditPlan, objectShape, planEdit, type Shape, shapeOf } from "@/lib/ownership";
import type { Json, JsonObject } from "@/lib/resource";
import { asObject } from "../schema";
import type { Base } from "./editor-state";

/** How objects of a kind merge, from its schema. */
export function shapeOfSchema(schema: JsonObject): Shape {
  return objectShape(shapeOf(schema));
}

/** What of an intent somebody can own here. Finalizers and owner references are not edited. */
function editable(intent: Json | undefined, control: Json | undefined): JsonObject {
  const root = asObject(intent);
  const metadata = asObject(root?.metadata);
  const labels = asObject(metadata?.labels);
  const annotations = asObject(metadata?.annotations);
  return {
    metadata: { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
    spec: asObject(root?.spec) ?? {},
    ...(control === undefined ? {} : { control }),
  };
}

/** What saving this document on that base means for who owns what. */
export function editPlan(base: Base, value: Json | undefined, shape: Shape): EditPlan {
  const control = asObject(value)?.control;
  const before = editable(base.intent, control === undefined ? undefined : base.control);
  return planEdit(before, editable(value, control), shape, { manager: FORM_MANAGER, operation: "Apply" }, base.managedFields ?? []);
}
