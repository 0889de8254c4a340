import { toIso } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { type Control, DEFAULT_CONTROL, FINALIZER, type JsonObject, type Key, keyText, type Pause, type Resource } from "@/lib/resource";
import type { Mutation, ResourceStore } from "@/lib/store";
import { ClaimTaken } from "@/lib/store/claims";
import { LOOSE, STRICT } from "./kinds";
import { Random } from "./random";
import { EPOCH, Process } from "./schedule";
import { HOPELESS, STICKY } from "./target";
import type { Universe } from "./universe";
import { claimsOf, sliceOf } from "./wide";

const BY = { name: "operator" };

/** What the operator was told was kept, by uid. */
export interface Acknowledged {
  resource: Resource;
  /** The operator was told that it has left, or asked for that. */
  mayLeave: boolean;
}

/** The person at the console: declares, edits, deletes, pauses; reads again when an answer is lost, and never guesses. */
export class Operator {
  readonly acknowledged = new Map<string, Acknowledged>();
  private readonly process: Process;
  private readonly random: Random;
  private readonly store: ResourceStore;
  private readonly keys: Key[];

  constructor(private readonly universe: Universe) {
    const { schedule, seed, store, plant } = universe;
    this.process = new Process("operator", schedule, seed);
    this.random = new Random(`${seed}/operator`);
    this.store = plant?.operatorStore?.(store.resources, universe) ?? store.resources;
    const count = this.random.int(2, 5);
    this.keys = Array.from({ length: count }, (_, index) => ({
      kind: index % 2 === 0 ? STRICT : LOOSE,
      namespace: "default",
      name: `o${index}`,
    }));
    this.keys.push(...(universe.wide?.keys ?? []));
  }

  get names(): string[] {
    return this.keys.map(({ namespace, name }) => `${namespace}/${name}`);
  }

  /** Works until faults are over. */
  async work(): Promise<void> {
    for (const key of this.keys) if (this.random.chance(0.7)) await this.create(key);
    while (!this.universe.faults.over) {
      await this.process.clock.sleep(this.random.between(200, 5_000));
      if (this.universe.faults.over) return;
      await this.act();
    }
  }

  private async act(): Promise<void> {
    if (this.universe.wide?.upgrades()) return this.upgrade();
    const key = this.random.pick(this.keys);
    if (!key) return;
    const dice = this.random.next();
    const current = await this.read(key);
    if (!current) return this.create(key);
    const { control } = current;
    if (dice < 0.4) return this.change(key, this.newIntent(key));
    if (dice < 0.55) return this.change(key, { deletion: true });
    if (dice < 0.7) return this.change(key, { control: { ...control, paused: control.paused ? undefined : this.newPause() } });
    if (dice < 0.78) return this.change(key, { control: { ...control, mode: control.mode === "Auto" ? this.otherMode() : "Auto" } });
    if (dice < 0.84) {
      const deletionPolicy = control.deletionPolicy === "Delete" ? "Orphan" : "Delete";
      return this.change(key, { control: { ...control, deletionPolicy } });
    }
    if (dice < 0.9) return this.pauseKind(key.kind);
    await this.universe.store.engine.requestLook(current.metadata.uid);
  }

  /** Everything that keeps loops from acting is lifted, but for some objects. */
  async letGo(): Promise<void> {
    for (const kind of this.universe.kinds) this.setKindPause(kind, undefined);
    if (this.universe.wide) this.upgrade();
    for (const key of this.keys) {
      const current = await this.read(key);
      if (current && this.random.chance(0.7)) await this.change(key, { control: { ...current.control, mode: "Auto", paused: undefined } });
    }
  }

  private newIntent(key: Key): Mutation {
    const spec = this.newSpec(key);
    return this.universe.wide ? { spec, claims: claimsOf(spec) } : { spec };
  }

  /** From now on all claims are kept: those that were not yet are taken in order of age, as a start of the product does. */
  private upgrade(): void {
    const { tables } = this.universe.store;
    this.universe.note("all claims are kept from now on");
    for (const [uid, { resource }] of tables.rows) if (!tables.claims.has(uid)) tables.claims.set(uid, claimsOf(resource.spec));
  }

  private newSpec(key: Key): JsonObject {
    const { kind } = key;
    const dice = this.random.next();
    const value = dice < 0.08 ? HOPELESS : dice < 0.13 ? STICKY : `v${this.random.int(1, 3)}`;
    const after: JsonObject = kind === STRICT && this.random.chance(0.25) ? { after: "o1" } : {};
    const spec = { value, size: this.random.int(1, 4), ...after };
    return this.universe.wide?.extended(key, spec) ?? spec;
  }

  private otherMode(): Control["mode"] {
    return this.random.chance(0.5) ? "DryRun" : "Observe";
  }

  private newPause(): Pause {
    const now = EPOCH + this.universe.schedule.time;
    return {
      by: BY.name,
      reason: "maintenance",
      since: toIso(now),
      ...(this.random.chance(0.5) ? { until: toIso(now + this.random.between(1_000, 20_000)) } : {}),
    };
  }

  private async pauseKind(kind: string): Promise<void> {
    this.setKindPause(kind, this.universe.store.tables.kindPauses.has(kind) ? undefined : this.newPause());
  }

  private setKindPause(kind: string, pause: Pause | undefined): void {
    const { store, oracle, schedule } = this.universe;
    this.universe.note(`operator ${pause ? "pauses" : "resumes"} all ${kind}`);
    if (pause) {
      store.tables.kindPauses.set(kind, pause);
      oracle.pauses.set(kind, { since: schedule.time, until: endOf(pause) });
    } else {
      store.tables.kindPauses.delete(kind);
      oracle.pauses.delete(kind);
    }
  }

  private async create(key: Key): Promise<void> {
    const control: Control = DEFAULT_CONTROL;
    const spec = this.newSpec(key);
    const audit = { actor: BY.name, verb: "create", ...key, outcome: "done" as const };
    const parts = { labels: {}, annotations: {}, finalizers: [FINALIZER], ownerReferences: [], spec, control };
    const claims = this.universe.wide?.isOlderVersion() ? [] : claimsOf(spec);
    const input = { ...key, ...parts, slice: sliceOf(spec), claims };
    this.universe.note(`operator creates ${key.name} ${JSON.stringify(spec)}`);
    const before = this.universe.oracle.left.has(key.name);
    try {
      const created = await this.call(`create ${key.name}`, () => this.store.create(input, BY, "", audit));
      if (before) this.universe.oracle.reach("a name was used again after its object had left");
      this.acknowledge(created);
    } catch (error) {
      await this.readAgain(key, error);
    }
  }

  private async change(key: Key, mutation: Mutation): Promise<void> {
    const audit = { actor: BY.name, verb: "update", ...key, outcome: "done" as const };
    this.universe.note(`operator changes ${key.name} ${JSON.stringify(mutation)}`);
    const uid = this.universe.store.tables.byKey(key)?.resource.metadata.uid;
    const known = uid === undefined ? undefined : this.acknowledged.get(uid);
    if (mutation.deletion && known) known.mayLeave = true;
    // A pause that may be lifted by this very call is not counted on any more.
    if (uid !== undefined && mutation.control) this.universe.oracle.pauses.delete(uid);
    try {
      const { resource, removed } = await this.call(`change ${key.name}`, () => this.store.mutate(key, BY, () => ({ ...mutation, audit })));
      this.acknowledge(resource, removed);
    } catch (error) {
      await this.readAgain(key, error);
    }
  }

  /** An unknown outcome is read again, never guessed. */
  private async readAgain(key: Key, error: unknown): Promise<void> {
    if (!(error instanceof SetpointError)) throw error;
    if (error instanceof ClaimTaken) this.universe.oracle.reach("a claim was refused at the door");
    if (error.reason !== "ServiceUnavailable") return;
    this.universe.oracle.reach("an operator read again because an answer was lost");
    const resource = await this.read(key);
    if (resource) this.acknowledge(resource);
  }

  private async read(key: Key): Promise<Resource | undefined> {
    for (;;) {
      try {
        return await this.call(`read ${keyText(key)}`, () => this.store.get(key));
      } catch {
        await this.process.clock.sleep(500);
      }
    }
  }

  private call<T>(label: string, effect: () => Promise<T>): Promise<T> {
    return this.universe.network.callStore(this.process, label, effect);
  }

  private acknowledge(resource: Resource, removed = false): void {
    const { uid, deletionTimestamp } = resource.metadata;
    const { oracle, schedule } = this.universe;
    this.acknowledged.set(uid, { resource, mayLeave: removed || deletionTimestamp !== undefined });
    const { paused } = resource.control;
    if (paused) oracle.pauses.set(uid, { since: schedule.time, until: endOf(paused) });
    else oracle.pauses.delete(uid);
  }
}

function endOf({ until }: Pause): number {
  return until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until) - EPOCH;
}
