import { toIso } from "@/lib/clock";
import type { AnyController } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { type Comparison, type Difference, driftOf, type PlannedAction, type Resource } from "@/lib/resource";
import { Stop } from "./deadline";
import { planHash, published } from "./hash";
import { observe, type PassPorts, planSafely } from "./pass";

export interface Preview {
  generation: number;
  hash: string;
  /** ISO 8601; null when reality could not be looked at. */
  observedAt: string | null;
  drift: Difference[];
  fields: Comparison[];
  actions: PlannedAction[];
  blocked?: { reason: string; message: string };
}

/** The plan that a pass would make now, from a look of its own: the same observe and plan as a run, and no permit, so nothing can be written. */
export async function preview(resource: Resource, controller: AnyController, ports: PassPorts, signal: AbortSignal): Promise<Preview> {
  const { generation, uid, deletionTimestamp } = resource.metadata;
  const lookedAt = ports.clock.now();
  const look = await observe(resource, controller, ports, Stop.with(signal));
  const plan = "error" in look ? look.error : planSafely(controller, resource, look.value, lookedAt, deletionTimestamp !== undefined);
  if (plan instanceof SetpointError) {
    const blocked = { reason: plan.reason, message: plan.message };
    return { generation, hash: planHash(uid, generation, []), observedAt: null, drift: [], fields: [], actions: [], blocked };
  }
  return {
    generation,
    hash: planHash(uid, generation, plan.actions),
    observedAt: toIso(lookedAt),
    drift: driftOf(plan.fields),
    fields: plan.fields,
    actions: plan.blocked ? [] : plan.actions.map(published),
    ...(plan.blocked ? { blocked: { reason: plan.blocked.reason, message: plan.blocked.message } } : {}),
  };
}
