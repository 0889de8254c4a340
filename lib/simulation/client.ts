import type { Resource } from "@/lib/resource";
import { type Client, keyInTarget, type Spec } from "./kinds";
import type { WriteCall } from "./oracle";
import type { Process } from "./schedule";
import type { Thing } from "./target";
import { INSTALLATION, type Universe } from "./universe";

/** Called when a worker is about to do something during which it would be a pity if it died. */
export type Temptation = (process: Process) => void;

/** A worker's connection to the target of a kind, over the network, under the eyes of the oracle. */
export function clientOf(universe: Universe, process: Process, kind: string, tempt: Temptation): Client {
  const { network, oracle } = universe;
  const target = universe.target(kind);

  const write = async (call: WriteCall, signal: AbortSignal, on: Thing["id"] | undefined, effect: (half: boolean) => void) => {
    const { resource } = call;
    oracle.writeStarts(call);
    tempt(process);
    const label = `${call.effect} ${resource.metadata.name} generation ${resource.metadata.generation}`;
    const conditional = call.effect !== "create" && target.strict;
    try {
      await network.callTarget(process, { write: true, conditional, label }, signal, (half) => {
        oracle.writeArrives(call, on === undefined ? undefined : target.things.get(on));
        try {
          effect(half);
        } catch (error) {
          if (String(error).includes("409")) oracle.reach("a create was refused because it was there already");
          if (String(error).includes("412")) oracle.reach("a change was refused because the look was stale");
          throw error;
        }
        oracle.writeLanded(call, half);
      });
    } finally {
      oracle.writeEnds(call);
    }
  };

  return {
    look(resource, certain, signal) {
      const { uid, name } = resource.metadata;
      oracle.lookStarts(process, uid);
      return network.callTarget(process, { write: false, conditional: false, label: `look at ${name}` }, signal, () => {
        const things = target.strict ? strictLook(universe, resource, certain) : target.byMark(uid);
        oracle.lookServed(process, uid, things);
        return structuredClone(things);
      });
    },
    create: (resource, wanted, signal) =>
      write({ process, resource, effect: "create" }, signal, undefined, (half) => {
        target.create(keyInTarget(resource), { uid: resource.metadata.uid, installation: INSTALLATION }, wanted, half);
      }),
    update: (resource, { id, version }, wanted, signal) =>
      write({ process, resource, effect: "update" }, signal, id, (half) => target.update(id, version, wanted, half)),
    remove: (resource, { id, version }, signal) =>
      write({ process, resource, effect: "delete" }, signal, id, () => target.remove(id, version)),
  };
}

/** The strict target declares that a plain look may be old or miss something; a certain one never is. */
function strictLook(universe: Universe, resource: Resource<Spec>, certain: boolean): Thing[] {
  const { faults } = universe;
  const target = universe.target(resource.kind);
  const key = keyInTarget(resource);
  let thing = target.byKey(key);
  if (!certain && faults.strikes("staleRead", 0.1)) thing = target.before(key, faults.stream("staleRead").between(10, 3_000));
  if (!certain && faults.strikes("lyingRead", 0.06)) thing = undefined;
  return thing ? [thing] : [];
}
