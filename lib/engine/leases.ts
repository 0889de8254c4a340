import type { Cancel, Clock } from "@/lib/clock";
import type { EngineStore, Fence, Heartbeat } from "@/lib/store";

/** Part of the term that a holder uses itself; the rest is the margin for calls already begun. */
const HOLDERS_SHARE = 0.8;
/** Part of the term after which an answer is not waited for any longer. */
const LONGEST_WAIT = 0.5;
/** What a holder left behind is asked for this soon after its term. */
const AFTER_LAPSE_MS = 20;
/** Shards given away in one step: while they drain nobody looks at them. */
const LARGEST_STEP = 256;

/** What the engine does when leases come and go. */
export interface LeaseEvents {
  /** Newly ours: reads them whole, in one go. What it answers takes them in, once they may be acted on. */
  load(slices: string[]): Promise<() => void>;
  /** No longer ours: forget them. */
  lost(slices: string[]): void;
  /** No new pass begins in these any more: answers with those in which nothing runs and of which everything is written. */
  drained(slices: string[], withinMs: number): Promise<string[]>;
  /** The term ended before it could be renewed: what runs must stop. */
  lapsed(): void;
}

export interface LeaseOptions {
  store: Pick<EngineStore, "renew" | "handOver" | "leave">;
  clock: Clock;
  holder: string;
  ttlMs: number;
  beat(): Omit<Heartbeat, "id" | "ttlMs" | "covers">;
  events: LeaseEvents;
  log(message: string): void;
}

interface Held {
  fence: Fence;
  phase: "loading" | "held" | "draining";
  /** The store knows that it is loaded. */
  covered: boolean;
}

/**
 * Holds the slices this worker may act on. Expiry is decided by the database's clock; the holder stops by its own monotonic clock,
 * counted from before each request, so that it is always the first to know: also after it was frozen.
 */
export class Leases {
  private readonly held = new Map<string, Held>();
  private deadline = Number.NEGATIVE_INFINITY;
  private cancelRenewal: Cancel = () => {};
  private cancelWatch: Cancel = () => {};
  /** Requests follow each other: an answer is never older than the one before. */
  private turn: Promise<void> = Promise.resolve();
  private waiting = false;
  private giving = false;
  private closed = false;

  constructor(private readonly options: LeaseOptions) {}

  /** Renews once, loads what it got, and goes on renewing. */
  async start(): Promise<void> {
    const { loading } = await this.renewNow();
    await loading;
  }

  /** Something may be free, or moved to us: renews now. Calls before it begins are one. */
  renew(): void {
    if (!this.waiting && !this.closed) void this.renewNow();
  }

  /** The fence under which that slice may be written now; undefined when it may not. */
  fence(slice: string): Fence | undefined {
    const lease = this.held.get(slice);
    return lease?.phase === "held" && this.current ? lease.fence : undefined;
  }

  /** Our own part of the term is not over. */
  get current(): boolean {
    return this.options.clock.monotonic() < this.deadline;
  }

  /** What was begun under that fence may still go on: not even our own return to the slice lies in between. */
  keeps({ slice, epoch }: Fence): boolean {
    return this.current && this.held.get(slice)?.fence.epoch === epoch;
  }

  /** Ours, perhaps not loaded yet. */
  holds(slice: string): boolean {
    return this.held.has(slice);
  }

  get heldSlices(): string[] {
    return [...this.held.keys()];
  }

  async close(): Promise<void> {
    this.closed = true;
    this.cancelRenewal();
    this.cancelWatch();
    this.held.clear();
    await this.exclusive(() => this.answered(this.options.store.leave(this.options.holder)));
  }

  /** Answers with the load of what was gained, which renewals do not wait for. Never rejects. */
  private async renewNow(): Promise<{ loading: Promise<void> }> {
    this.waiting = true;
    let loading: Promise<void> = Promise.resolve();
    const everyMs = this.options.ttlMs / 3;
    let nextMs = everyMs;
    try {
      await this.exclusive(async () => {
        this.waiting = false;
        this.cancelRenewal();
        if (this.closed) return;
        const renewed = await this.renewOnce();
        loading = renewed.loading;
        // The others renew as often as this one: a term that ends before its own next renewal is that of a holder which is silent.
        if (renewed.lapseMs !== undefined) nextMs = Math.min(everyMs, renewed.lapseMs + AFTER_LAPSE_MS);
      });
    } catch (error) {
      nextMs = this.options.ttlMs / 10;
      this.options.log(`engine: leases not renewed: ${messageOf(error)}`);
    }
    this.cancelRenewal();
    if (!this.closed) this.cancelRenewal = this.options.clock.after(nextMs, () => this.renew());
    return { loading };
  }

  private async renewOnce(): Promise<{ loading: Promise<void>; lapseMs?: number }> {
    const { store, clock, holder, ttlMs, beat } = this.options;
    const covers = [...this.held.values()].filter((lease) => lease.phase !== "loading" && !lease.covered);
    const sentAt = clock.monotonic();
    const { leases, surplus, lapseMs } = await this.answered(
      store.renew({ ...beat(), id: holder, ttlMs, covers: covers.map(({ fence: { slice, epoch } }) => ({ slice, epoch })) }),
    );
    if (this.closed) return { loading: Promise.resolve() };
    this.extend(sentAt + ttlMs * HOLDERS_SHARE);
    for (const lease of covers) lease.covered = true;
    this.drop(leases);
    const gained = this.take(leases);
    if (surplus > 0) void this.giveAway(surplus);
    return { loading: this.load(gained), lapseMs };
  }

  private extend(deadline: number): void {
    const { clock, events } = this.options;
    this.deadline = deadline;
    this.cancelWatch();
    this.cancelWatch = clock.after(deadline - clock.monotonic(), () => events.lapsed());
  }

  private drop(leases: Fence[]): void {
    // Ours again under a new epoch was another's in between, or could have been: what is known of it is as old.
    const granted = new Map(leases.map(({ slice, epoch }) => [slice, epoch]));
    const lost = [...this.held.values()].filter(({ fence }) => granted.get(fence.slice) !== fence.epoch).map(({ fence }) => fence.slice);
    for (const slice of lost) this.held.delete(slice);
    if (lost.length === 0) return;
    this.note(lost, "lost");
    this.options.events.lost(lost);
  }

  /** Leases that are new, or ours under a new epoch: not acted on until loaded. */
  private take(leases: Fence[]): Held[] {
    const gained: Held[] = [];
    for (const fence of leases) {
      const known = this.held.get(fence.slice);
      if (known?.fence.epoch === fence.epoch) {
        // A hand-over whose outcome was not known did not happen.
        if (known.phase === "draining" && !this.giving) known.phase = "held";
        continue;
      }
      const lease: Held = { fence, phase: "loading", covered: false };
      this.held.set(fence.slice, lease);
      gained.push(lease);
    }
    return gained;
  }

  private async load(gained: Held[]): Promise<void> {
    if (gained.length === 0) return;
    const slices = gained.map(({ fence }) => fence.slice);
    const ours = () => gained.filter((lease) => this.held.get(lease.fence.slice) === lease);
    try {
      const takeIn = await this.options.events.load(slices);
      for (const lease of ours()) lease.phase = "held";
      this.note(slices, "held");
      takeIn();
    } catch (error) {
      // Not loaded is not held: the next renewal tries again.
      for (const { fence } of ours()) this.held.delete(fence.slice);
      this.note(slices, `not loaded: ${messageOf(error)}`);
    }
  }

  /** Hands shards to workers that have fewer. They are drained first, so that no object is looked at by two. */
  private async giveAway(surplus: number): Promise<void> {
    if (this.giving) return;
    this.giving = true;
    let given: string[] = [];
    const { store, holder, ttlMs, events, log } = this.options;
    try {
      const chosen = [...this.held.values()].filter(({ fence, phase }) => phase === "held" && fence.slice.startsWith("shard/"));
      chosen.splice(Math.min(surplus, LARGEST_STEP));
      for (const lease of chosen) lease.phase = "draining";
      const drained = await events.drained(
        chosen.map(({ fence }) => fence.slice),
        ttlMs / 3,
      );
      await this.exclusive(async () => {
        if (!this.closed && drained.length > 0) given = await this.answered(store.handOver(holder, drained));
        for (const slice of given) this.held.delete(slice);
      });
      for (const lease of chosen) lease.phase = "held";
      if (given.length > 0) {
        this.note(given, "handed over");
        events.lost(given);
      }
    } catch (error) {
      log(`engine: shards not handed over: ${messageOf(error)}`);
    } finally {
      this.giving = false;
    }
    // There may be more to give: step by step, so that little stands still at a time.
    if (given.length > 0) this.renew();
  }

  /** A request without an answer is given up, so that the next can be sent: its answer would be too old to act on. */
  private answered<T>(request: Promise<T>): Promise<T> {
    const { clock, ttlMs } = this.options;
    return new Promise((resolve, reject) => {
      const cancel = clock.after(ttlMs * LONGEST_WAIT, () => reject(new Error("the store does not answer")));
      request.then(resolve, reject).finally(cancel);
    });
  }

  /** One line per host and one for all shards. */
  private note(slices: string[], what: string): void {
    const hosts = slices.filter((slice) => !slice.startsWith("shard/"));
    const shards = slices.length - hosts.length;
    if (shards > 0) this.options.log(`engine: leases of ${shards} ${shards === 1 ? "shard" : "shards"} ${what}`);
    for (const host of hosts) this.options.log(`engine: lease of ${host} ${what}`);
  }

  private exclusive(work: () => Promise<void>): Promise<void> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
