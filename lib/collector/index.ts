/** The garbage collector over owner references. See README.md. */
import type { Cancel, Clock } from "@/lib/clock";
import { type Mentioning, usersOf } from "@/lib/controller";
import { asSetpointError } from "@/lib/errors";
import { keyOf, ORPHAN_FINALIZER, type Resource } from "@/lib/resource";
import type { ChangeSignal, HistoryStore, Mutation, ResourceStore } from "@/lib/store";
import type { CollectionStore } from "@/lib/store/collection";
import { blocks, decideOwned, disowned, freed, isOurs, type OwnerState, stateOf } from "./decide";

const ACTOR = { name: "controller/garbage-collector" };
/** After a change that may matter, and at the most this often. */
const SETTLE_MS = 250;
/** Without any sign. */
const LOOK_MS = 30_000;
const BATCH = 500;
const DEEPEST = 32;
/** In one turn; what is left then is the next one's. */
const MOST_LOOKS = 64;
/** Users named in the audit. */
const SHOWN = 5;

export interface CollectorOptions {
  store: CollectionStore;
  resources: Pick<ResourceStore, "getByUid" | "mutate">;
  history: Pick<HistoryStore, "audit">;
  signal: ChangeSignal;
  clock: Clock;
  /** Whose specs name other objects, and how to find them: what is in use stays. */
  kinds: Parameters<typeof usersOf>[1];
  mentioning: Mentioning;
  /** Whether it is this process's turn: one holder of one lease collects. Two at once would do the same twice, and harm nothing. */
  mine(): boolean;
  /** Objects that may have lost their owners, looked at in one go. */
  batch?: number;
  log(message: string): void;
}

/** Level-triggered: each run looks at what is stored, and forgets it. What fails is tried again with the next run. */
export class Collector {
  private cancel: Cancel = () => {};
  private unsubscribe = () => {};
  private running: Promise<void> = Promise.resolve();
  private closed = false;
  private waits = false;
  private revision = "0";
  private lookedAt = Number.NEGATIVE_INFINITY;
  /** Uids of what was found in use. */
  private readonly kept = new Set<string>();

  constructor(private readonly options: CollectorOptions) {}

  start(): void {
    this.unsubscribe = this.options.signal.subscribe((uid) => {
      if (uid === undefined) this.soon(SETTLE_MS);
    });
    this.soon(SETTLE_MS);
  }

  /** Resolves when the run in hand has ended. */
  async close(): Promise<void> {
    this.closed = true;
    this.unsubscribe();
    this.cancel();
    await this.running;
  }

  private soon(ms: number): void {
    if (this.closed || (this.waits && ms === SETTLE_MS)) return;
    this.cancel();
    this.waits = ms === SETTLE_MS;
    this.cancel = this.options.clock.after(ms, () => {
      this.waits = false;
      this.running = this.running
        .then(() => this.turn())
        .finally(() => {
          if (!this.waits) this.soon(LOOK_MS);
        });
    });
  }

  private async turn(): Promise<void> {
    const { store, mine, clock, log } = this.options;
    if (this.closed || !mine()) return;
    try {
      const { revision, stirred } = await store.stirred(this.revision);
      // Signs of other changes may come for ever: they do not put off the look that needs no sign.
      if (stirred || clock.monotonic() - this.lookedAt >= LOOK_MS) {
        await this.settleAll();
        this.lookedAt = clock.monotonic();
      }
      this.revision = revision;
    } catch (error) {
      log(`garbage collector: ${asSetpointError(error).message}`);
    }
  }

  /** Until nothing is left to do: what one look changes, an owner let go of its last dependent say, is often work for the next. */
  private async settleAll(): Promise<void> {
    for (let look = 0; look < MOST_LOOKS && !this.closed; look++) if ((await this.collect()) === 0) return;
  }

  /** One look at everything. Returns how many objects it changed, or found to be kept. */
  async collect(): Promise<number> {
    const { store } = this.options;
    let changed = 0;
    // What is kept is looked at by itself: however much that is, it is in nobody's way.
    const kept = [...this.kept];
    for (const object of await store.unowned(this.options.batch ?? BATCH, kept)) changed += await this.settle(object);
    for (const uid of kept) changed += await this.settleKept(uid);
    for (const owner of await store.draining(BATCH)) changed += await this.drain(owner);
    return changed;
  }

  private async settleKept(uid: string): Promise<number> {
    const object = await this.options.resources.getByUid(uid);
    if (object && object.metadata.deletionTimestamp === undefined) return this.settle(object);
    this.kept.delete(uid);
    return 0;
  }

  private async settle(object: Resource): Promise<number> {
    const { store, resources } = this.options;
    const { namespace, uid, ownerReferences = [] } = object.metadata;
    const states = new Map<string, OwnerState>();
    for (const reference of ownerReferences.filter(isOurs)) {
      const owner = await resources.getByUid(reference.uid);
      states.set(reference.uid, stateOf(owner?.metadata.namespace === namespace ? owner : undefined));
    }
    const owns = (await store.dependents(namespace, uid, 1)).length > 0;
    if (!decideOwned(object, states, owns)?.deletion) this.kept.delete(uid);
    else {
      const known = this.kept.has(uid);
      // News, though nothing is written: there may be more behind it.
      if (await this.keepWhileUsed(object)) return known ? 0 : 1;
    }
    return this.change(object, (current) => decideOwned(current, states, owns));
  }

  /** What others name in their spec stays until they are gone, or name another: deleting them may need it. That it is kept is said once. */
  private async keepWhileUsed(object: Resource): Promise<boolean> {
    const { kinds, mentioning, history, log } = this.options;
    const key = keyOf(object);
    const { uid } = object.metadata;
    const users = await usersOf(object, kinds, mentioning);
    if (users.length === 0) {
      this.kept.delete(uid);
      return false;
    }
    if (this.kept.has(uid)) return true;
    const named = users.slice(0, SHOWN).map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    const more = users.length > SHOWN ? ` and ${users.length - SHOWN} more` : "";
    const error = `its owners are gone, and it is in use by ${named.join(", ")}${more}: kept until they are gone or name another`;
    await history.audit({ actor: ACTOR.name, verb: "delete", ...key, uid, outcome: "denied", detail: { why: "owner references" }, error });
    log(`garbage collector: ${key.kind} ${key.namespace}/${key.name}: ${error}`);
    this.kept.add(uid);
    return true;
  }

  private async drain(owner: Resource): Promise<number> {
    const { store } = this.options;
    const { namespace, uid, finalizers = [] } = owner.metadata;
    const dependents = await store.dependents(namespace, uid, BATCH);
    if (finalizers.includes(ORPHAN_FINALIZER)) {
      let changed = 0;
      for (const dependent of dependents) changed += await this.change(dependent, (current) => disowned(current, uid));
      if (dependents.length > 0) return changed;
    }
    const above = await this.above(owner);
    const blocked = dependents.some((dependent) => blocks(owner, dependent, above));
    return this.change(owner, (current) => ({ finalizers: freed(current, { named: dependents.length > 0, blocked }) }));
  }

  /** The uids of those that own this one, and their owners. */
  private async above(object: Resource): Promise<Set<string>> {
    const found = new Set<string>();
    let level = [object];
    for (let step = 0; step < DEEPEST && level.length > 0; step++) {
      const uids = level.flatMap(({ metadata }) => (metadata.ownerReferences ?? []).filter(isOurs).map(({ uid }) => uid));
      const fresh = [...new Set(uids)].filter((uid) => !found.has(uid));
      for (const uid of fresh) found.add(uid);
      level = (await Promise.all(fresh.map((uid) => this.options.resources.getByUid(uid)))).filter((owner) => owner !== undefined);
    }
    return found;
  }

  /** Under lock, and only what is still the same object. One that went meanwhile needs nothing. */
  private async change(object: Resource, decide: (current: Resource) => Mutation | undefined): Promise<number> {
    const key = keyOf(object);
    const { uid } = object.metadata;
    const audited = (mutation: Mutation): Mutation => {
      const verb = mutation.deletion ? "delete" : "update";
      return { ...mutation, audit: { actor: ACTOR.name, verb, ...key, uid, outcome: "done", detail: { why: "owner references" } } };
    };
    try {
      const { changed } = await this.options.resources.mutate(key, ACTOR, (current) => {
        const mutation = current.metadata.uid === uid ? decide(current) : undefined;
        return mutation && changes(current, mutation) ? audited(mutation) : {};
      });
      return changed ? 1 : 0;
    } catch (error) {
      const fault = asSetpointError(error);
      if (fault.reason !== "NotFound") this.options.log(`garbage collector: ${key.kind} ${key.namespace}/${key.name}: ${fault.message}`);
      return 0;
    }
  }
}

/** A mutation that changes nothing leaves no line in the audit. */
function changes({ metadata }: Resource, { deletion, finalizers, ownerReferences }: Mutation): boolean {
  if (deletion) return true;
  if (finalizers && finalizers.length !== (metadata.finalizers ?? []).length) return true;
  return ownerReferences !== undefined && ownerReferences.length !== (metadata.ownerReferences ?? []).length;
}
