import type { AnyController } from "@/lib/controller";
import { deepEqual, keyOf, keyText, type Resource } from "@/lib/resource";
import { NONE, newSlot, type Slot } from "./slot";

export interface RosterEvents {
  /** Newly known. */
  added(slot: Slot): void;
  /** Intent, hand or deletion changed. */
  changed(slot: Slot, newGeneration: boolean): void;
  removed(uid: string, slot: Slot): void;
  /** Something it refers to changed in a way that may matter. */
  dependencyChanged(slot: Slot): void;
}

/** The worker's copy of what it may act on, kept by uid, and the index of who refers to whom. Reads with an older revision never replace newer ones. */
export class Roster {
  readonly slots = new Map<string, Slot>();
  private readonly dependents = new Map<string, Set<string>>();
  private readonly lastState = new Map<string, string>();

  constructor(
    private readonly controllers: Map<string, AnyController>,
    private readonly events: RosterEvents,
  ) {}

  /** Takes in a row as it is now. `held` false: not ours to act on, only of interest as a dependency. */
  take(resource: Resource, slice: string, held: boolean): void {
    this.noteDependency(resource);
    const controller = this.controllers.get(resource.kind);
    if (!held || !controller) return;
    const { uid } = resource.metadata;
    const slot = this.slots.get(uid);
    if (!slot) {
      const added = newSlot(resource, slice, controller);
      this.slots.set(uid, added);
      this.index(uid, added);
      this.events.added(added);
      return;
    }
    const before = slot.resource;
    if (BigInt(resource.metadata.resourceVersion) <= BigInt(before.metadata.resourceVersion)) return;
    // Once we have worked on it our own report may not be written yet: the status we hold is newer than any row's, there is no other
    // writer. Before that, what another worker left is what counts.
    const worked = slot.lastPassAt > 0;
    slot.resource = { ...resource, status: (worked ? before.status : undefined) ?? resource.status };
    const newGeneration = resource.metadata.generation !== before.metadata.generation;
    if (newGeneration) this.index(uid, slot);
    if (
      newGeneration ||
      !deepEqual(before.control, resource.control) ||
      !deepEqual(before.metadata.finalizers, resource.metadata.finalizers)
    )
      this.events.changed(slot, newGeneration);
  }

  /** The row left the store. */
  drop(resource: Resource): void {
    const { uid } = resource.metadata;
    const slot = this.slots.get(uid);
    this.lastState.delete(keyText(keyOf(resource)));
    this.wakeDependents(resource);
    if (slot) this.forget(uid, slot);
  }

  /** Leases of slices are gone: forget all of them. */
  dropSlices(slices: ReadonlySet<string>): void {
    for (const [uid, slot] of this.slots) if (slices.has(slot.slice)) this.forget(uid, slot);
  }

  /** All that is in these slices, as of one revision: what is known there and older, but not among it, has left the store. */
  reconcile(slices: ReadonlySet<string>, present: ReadonlySet<string>, revision: string): void {
    for (const [uid, slot] of this.slots) {
      const older = BigInt(slot.resource.metadata.resourceVersion) <= BigInt(revision);
      if (older && slices.has(slot.slice) && !present.has(uid)) this.forget(uid, slot);
    }
  }

  /** What others did is not known: whoever refers to something looks again. */
  wakeReferring(): void {
    this.lastState.clear();
    for (const slot of this.slots.values()) if (slot.references.length > 0) this.events.dependencyChanged(slot);
  }

  private forget(uid: string, slot: Slot): void {
    slot.forgotten = true;
    this.slots.delete(uid);
    this.unindex(uid, slot);
    this.events.removed(uid, slot);
  }

  private noteDependency(resource: Resource): void {
    const key = keyText(keyOf(resource));
    if (!this.dependents.has(key)) return;
    const state = `${resource.metadata.uid}/${resource.metadata.generation}/${resource.metadata.deletionTimestamp ?? ""}/${resource.status?.state ?? ""}`;
    if (this.lastState.get(key) === state) return;
    this.lastState.set(key, state);
    this.wakeDependents(resource);
  }

  private wakeDependents(resource: Resource): void {
    for (const uid of this.dependents.get(keyText(keyOf(resource))) ?? []) {
      const slot = this.slots.get(uid);
      if (slot) this.events.dependencyChanged(slot);
    }
  }

  private index(uid: string, slot: Slot): void {
    this.unindex(uid, slot);
    const { resource, controller } = slot;
    const references = controller.kind.references?.(resource.spec) ?? [];
    if (references.length === 0) return;
    slot.references = references.map(({ kind, name }) => keyText({ kind, namespace: resource.metadata.namespace, name }));
    for (const key of slot.references) {
      const dependents = this.dependents.get(key) ?? new Set();
      dependents.add(uid);
      this.dependents.set(key, dependents);
    }
  }

  private unindex(uid: string, slot: Slot): void {
    for (const key of slot.references) {
      const dependents = this.dependents.get(key);
      dependents?.delete(uid);
      if (dependents?.size === 0) {
        this.dependents.delete(key);
        this.lastState.delete(key);
      }
    }
    slot.references = NONE;
  }
}
