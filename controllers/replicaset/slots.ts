/** What each slot holds and should hold: the facts that the plan decides on. */
import type { Instant } from "@/lib/clock";
import type { PlanInput } from "@/lib/controller";
import type { Exit } from "@/lib/providers/processes";
import type { Observed, SeenInstance } from "./observe";
import type { ReplicaSetSpec } from "./schema";
import { templateHash } from "./template";

/** Younger than this, an instance has not shown yet that it stays. */
export const MIN_READY_MS = 1_000;

export interface Slot {
  ordinal: number;
  /** False: nothing should be here (beyond replicas, or deleting). */
  wanted: boolean;
  /** The instance that stays; of several, the best. */
  kept?: SeenInstance;
  /** Everything else of ours in this slot, in the order it is ended. */
  surplus: SeenInstance[];
  /** How the slot's last instance ended, if it was of the present template. */
  exit?: Exit;
  folder: boolean;
}

export interface Slots {
  /** Hash of the present template. */
  template: string;
  /** In order of ordinal, wanted ones all present. */
  slots: Slot[];
  now: Instant;
}

export function slotsOf({ resource, observed, now, deleting }: PlanInput<ReplicaSetSpec, Observed>): Slots {
  const template = templateHash(resource.spec);
  const wanted = deleting ? 0 : resource.spec.replicas;
  const ordinals = new Set([...Array(wanted).keys(), ...observed.instances.map((instance) => instance.ordinal), ...observed.folders]);
  const slots = [...ordinals]
    .sort((a, b) => a - b)
    .map((ordinal): Slot => {
      const here = observed.instances.filter((instance) => instance.ordinal === ordinal);
      const order = [...here].sort(
        (a, b) => preference(a, template, now) - preference(b, template, now) || a.startedAt - b.startedAt || a.pid - b.pid,
      );
      const best = ordinal < wanted && order[0]?.leads ? order[0] : undefined;
      return {
        ordinal,
        wanted: ordinal < wanted,
        kept: best,
        surplus: order.filter((instance) => instance !== best).reverse(),
        exit: observed.exits.find((exit) => exit.ordinal === ordinal && exit.template === template),
        folder: observed.folders.includes(ordinal),
      };
    });
  return { template, slots, now };
}

/** Lower is better: a leftover never stays, the present template beats an older one, a ready one beats one that is not. */
function preference(instance: SeenInstance, template: string, now: Instant): number {
  return (instance.leads ? 0 : 4) + (instance.template === template ? 0 : 2) + (isReady(instance, now) ? 0 : 1);
}

export function isReady(instance: SeenInstance, now: Instant): boolean {
  return instance.probe === null && !isYoung(instance, now);
}

/** A start in the future means that the clock was set back: nothing is known, and waiting for the clock would last for ever. */
export function isYoung({ startedAt }: SeenInstance, now: Instant): boolean {
  return now >= startedAt && now - startedAt < MIN_READY_MS;
}
