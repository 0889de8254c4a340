import { SetpointError } from "@/lib/errors";
import { GROUP, type Pause, pauseInForce, type Resource } from "@/lib/resource";
import { readOptionalObject } from "../body";
import type { Call } from "../call";
import type { ReconcileAnswer } from "../contract";
import { json } from "../respond";
import { load } from "../verbs/get";

/** POST: look now. Refused while paused, because nothing would be done. */
export async function reconcile(call: Call): Promise<Response> {
  await readOptionalObject(call);
  return json(call, await reconcileNow(call, await load(call)), 202);
}

/** Asks for a look at once, and says what will come of it. Throws Conflict while the object or its kind is paused. */
export async function reconcileNow(call: Call, resource: Resource): Promise<ReconcileAnswer> {
  const { engine, history, kindPauses, clock } = call.dependencies;
  const { name, uid, generation, namespace } = resource.metadata;
  const kindPaused = (await kindPauses())[resource.kind];
  const pause = pauseInForce(resource.control, clock.now()) ? resource.control.paused : inForce(kindPaused, clock.now());
  if (pause) {
    const what = pause === resource.control.paused ? `"${name}" is` : `all objects of kind ${resource.kind} are`;
    throw new SetpointError(
      "Conflict",
      `Operation cannot be fulfilled on ${call.address.resource}.${GROUP} "${name}": ${what} paused by ${pause.by}: ${pause.reason}; resume first`,
    );
  }
  const key = { kind: resource.kind, namespace, name };
  await history.audit({ ...call.audit("reconcile", key), uid, generation });
  await engine.wake(resource);
  return { accepted: true, message: MESSAGES[resource.control.mode] };
}

const MESSAGES = {
  Auto: "Looking now; what differs is corrected.",
  DryRun: "Looking now; the plan is shown and not applied, because the mode is DryRun.",
  Observe: "Looking now; nothing is planned, because the mode is Observe.",
};

function inForce(pause: Pause | undefined, now: number): Pause | undefined {
  return pause && (pause.until === undefined || Date.parse(pause.until) > now) ? pause : undefined;
}
