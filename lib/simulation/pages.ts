import { freshnessFrom } from "@/lib/api";
import { hostOf, staleAfterMs } from "@/lib/controller";
import { type Resource, type View, viewOf } from "@/lib/resource";
import { leases } from "@/lib/store/memory";
import { kindOf } from "./kinds";
import type { Universe } from "./universe";

/** The last renewal of a worker may have been under way when it died, and deaths are noticed once a second. */
const GRACE_MS = 2_000;

/** What pages call an object now: the product's own arithmetic over what is in the store. */
export function shown({ store, plant, now }: Universe, resource: Resource): View {
  const states = plant?.leases?.(leases(store.tables)) ?? leases(store.tables);
  const lease = states.find(({ slice }) => slice === resource.slice);
  return viewOf(resource, freshnessFrom(resource, kindOf(resource.kind), lease, now), now);
}

/** Nothing is called converged that nobody has looked at for too long; and what is bound to a machine without a worker says so. */
export function judgePages(universe: Universe): void {
  const { oracle, schedule, store, faults, leaseMs } = universe;
  universe.noteHosts();
  for (const { resource } of store.tables.rows.values()) {
    const { name, uid } = resource.metadata;
    const { state, message } = shown(universe, resource);
    // A look is dated by the wall clock of who made it.
    const age = schedule.time - (oracle.lookedAt.get(uid) ?? Number.NEGATIVE_INFINITY);
    const green = state === "Converged" && !faults.active.has("wallJump");
    oracle.demand(
      !green || age < staleAfterMs(kindOf(resource.kind)),
      "I14",
      name,
      `called Converged, ${age} ms after the last look at it`,
    );
    const host = hostOf(resource.slice ?? "");
    if (host === undefined || universe.hostSeenAt(host) > schedule.time - leaseMs - GRACE_MS) continue;
    const told = state === "Stale" && message.includes(host);
    oracle.demand(told, "I14", name, `called ${state} (${message}), and no worker is on its host`);
    oracle.reach("a machine had no worker, and its objects were stale and said so");
  }
}
