import type { AnyController } from "@/lib/controller";
import type { EngineStore, LeaseState, ResourceStore } from "@/lib/store";
import { type MemoryStore, openMemoryStore } from "@/lib/store/memory";
import { type Fault, Faults } from "./faults";
import { BOUND, type KindName, LOOSE, STRICT } from "./kinds";
import { Network } from "./network";
import { Oracle } from "./oracle";
import { EPOCH, type Process, Schedule } from "./schedule";
import { Target } from "./target";
import { Trace } from "./trace";
import type { Invariant } from "./violation";
import { Wide } from "./wide";

/** A bug put in from outside, to prove that it is found. Everything a worker gets goes through here; the product has no way to it. */
export interface Plant {
  name: string;
  /** What it breaks. */
  invariants: Invariant[];
  engineStore?(store: EngineStore, universe: Universe): EngineStore;
  /** What the operator writes through. */
  operatorStore?(store: ResourceStore, universe: Universe): ResourceStore;
  controller?(controller: AnyController, universe: Universe): AnyController;
  /** What pages reckon freshness from. */
  leases?(leases: LeaseState[]): LeaseState[];
  /** A second engine runs under the same identity. */
  twin?: boolean;
}

export interface RunOptions {
  disabled?: ReadonlySet<Fault>;
  plant?: Plant;
  /** Without what only some seeds have: as seeds were when there was nothing else. */
  plain?: boolean;
  /** How long a lease lasts. */
  leaseMs?: number;
}

/** Milliseconds a lease lasts in simulations. */
const LEASE_MS = 6_000;
/** Of a small world: each worker has some. */
const SHARDS = 6;
export const INSTALLATION = "simulated";

/** All of one run: time, wires, store, targets, and who watches. */
export class Universe {
  readonly trace = new Trace();
  readonly schedule: Schedule;
  readonly faults: Faults;
  readonly network: Network;
  readonly store: MemoryStore;
  readonly targets: Map<string, Target>;
  readonly oracle: Oracle;
  /** Plaintext that must never be seen anywhere but at the target. */
  readonly canary: string;
  readonly plant: Plant | undefined;
  readonly wide: Wide | undefined;
  readonly leaseMs: number;
  /** Of workers, also of those that have ended. */
  readonly processes: Process[] = [];
  private readonly seenHosts = new Map<string, number>();
  private uids = 0;

  constructor(
    readonly seed: string,
    { disabled = new Set(), plant, plain = false, leaseMs = LEASE_MS }: RunOptions = {},
  ) {
    this.leaseMs = leaseMs;
    this.wide = plain ? undefined : Wide.of(seed);
    this.plant = plant;
    this.schedule = new Schedule(seed);
    this.faults = new Faults(seed, disabled);
    this.network = new Network(this.schedule, this.faults, this.trace, seed);
    this.store = openMemoryStore({ now: () => this.now }, () => this.newUid(), SHARDS);
    const time = () => this.schedule.time;
    this.targets = new Map([
      [STRICT, new Target(true, time)],
      [LOOSE, new Target(false, time)],
    ]);
    if (this.wide) this.targets.set(BOUND, new Target(true, time));
    this.oracle = new Oracle(this.schedule, this.store.tables, this.targets);
    this.network.onReach = (state) => this.oracle.reach(state);
    this.canary = `canary-${seed}-plaintext`;
  }

  /** The true wall-clock time: the store's. */
  get now(): number {
    return Math.floor(EPOCH + this.schedule.time);
  }

  target(kind: string): Target {
    const target = this.targets.get(kind);
    if (!target) throw new Error(`no target of ${kind}`);
    return target;
  }

  note(what: string): void {
    this.trace.add(`${this.schedule.time.toFixed(1)} ${what}`);
  }

  /** All kinds of this world. */
  get kinds(): KindName[] {
    return this.wide ? [STRICT, LOOSE, BOUND] : [STRICT, LOOSE];
  }

  /** Takes note of the machines on which a worker is not dead. */
  noteHosts(): void {
    for (const { host, state } of this.processes) if (state !== "dead") this.seenHosts.set(host, this.schedule.time);
  }

  /** When a worker was seen on that machine last. */
  hostSeenAt(host: string): number {
    return this.seenHosts.get(host) ?? Number.NEGATIVE_INFINITY;
  }

  /** What is in the feed has been there for as long as it is kept: only the newest change stays. Answers with its revision. */
  compact(): string | undefined {
    const { changes } = this.store.tables;
    changes.splice(0, changes.length - 1);
    return changes[0]?.resourceVersion;
  }

  private newUid(): string {
    this.uids += 1;
    return `00000000-0000-4000-8000-${String(this.uids).padStart(12, "0")}`;
  }
}
