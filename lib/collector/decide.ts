/** What becomes of an owned object, and of an owner that waits. Pure. */
import { FOREGROUND_FINALIZER, GROUP, ORPHAN_FINALIZER, type OwnerReference, type Resource } from "@/lib/resource";
import type { Mutation } from "@/lib/store";

/** `waiting`: it is being deleted in the foreground, and waits for what it owns. */
export type OwnerState = "there" | "gone" | "waiting";

/** The state of an owner as stored; undefined: there is none of that uid in the namespace. */
export function stateOf(owner: Resource | undefined): OwnerState {
  if (!owner) return "gone";
  const { deletionTimestamp, finalizers = [] } = owner.metadata;
  return deletionTimestamp !== undefined && finalizers.includes(FOREGROUND_FINALIZER) ? "waiting" : "there";
}

/** Owners of other groups cannot be looked at: they count as there. */
export const isOurs = ({ apiVersion }: OwnerReference) => apiVersion.startsWith(`${GROUP}/`);

/** As long as one owner is there, the others are let go of; without any, the object goes. Undefined: nothing to do. */
export function decideOwned(object: Resource, states: ReadonlyMap<string, OwnerState>, owns: boolean): Mutation | undefined {
  const { ownerReferences = [], deletionTimestamp, finalizers = [] } = object.metadata;
  if (ownerReferences.length === 0 || deletionTimestamp !== undefined) return undefined;
  const stateFor = (reference: OwnerReference) => (isOurs(reference) ? (states.get(reference.uid) ?? "there") : "there");
  const kept = ownerReferences.filter((reference) => stateFor(reference) === "there");
  if (kept.length === ownerReferences.length) return undefined;
  if (kept.length > 0) return { ownerReferences: kept };
  // A deletion in the foreground goes all the way down before anything goes.
  const foreground = owns && ownerReferences.some((reference) => stateFor(reference) === "waiting");
  const next = foreground && !finalizers.includes(FOREGROUND_FINALIZER) ? [...finalizers, FOREGROUND_FINALIZER] : finalizers;
  return { deletion: true, finalizers: next };
}

/** Whether the owner's deletion waits for this object. Those above the owner never hold it up: owners in a ring would wait for ever. */
export function blocks(owner: Resource, dependent: Resource, above: ReadonlySet<string>): boolean {
  if (above.has(dependent.metadata.uid)) return false;
  return (dependent.metadata.ownerReferences ?? []).some(
    ({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true,
  );
}

/** The object without that owner. */
export function disowned({ metadata }: Resource, owner: string): Mutation {
  return { ownerReferences: (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner) };
}

/** What an owner is freed of: the orphan finalizer once nothing names it, the foreground one once nothing blocks it. */
export function freed({ metadata }: Resource, { named, blocked }: { named: boolean; blocked: boolean }): string[] {
  return (metadata.finalizers ?? []).filter(
    (finalizer) => !(finalizer === ORPHAN_FINALIZER && !named) && !(finalizer === FOREGROUND_FINALIZER && !blocked),
  );
}
