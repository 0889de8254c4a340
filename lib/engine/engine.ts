import { type Cancel, type Instant, type SteadyClock, steadyClock } from "@/lib/clock";
import { asSetpointError } from "@/lib/errors";
import type { Resource } from "@/lib/resource";
import type { Change, Fence, KindStats } from "@/lib/store";
import { Feed } from "./feed";
import { Flusher } from "./flusher";
import { Lane } from "./lane";
import { Leases } from "./leases";
import { type EngineOptions, portsOf, type WorkDone } from "./options";
import { type PassPorts, type PassResult, runPass } from "./pass";
import { placeFirst, placeNext, STORE_TROUBLE_MS } from "./placement";
import { orphanEntry, type PassFacts, recordOf } from "./record";
import { repeat } from "./repeat";
import { Roster } from "./roster";
import { Running } from "./running";
import { lastLookOf, refusalOf, remember, reread, resyncMsOf, type Slot, slowDown, survey } from "./slot";
import { statusAfter } from "./status";
import { reportHeld, Targets } from "./targets";
import { Withholding } from "./withholding";
import type { Trigger } from "./workqueue";

const LEASE_TTL_MS = 15_000;
/** With so many reports unwritten no pass is begun. */
const LARGEST_BACKLOG = 4_000;
/** Everything held is compared with the store this often, whatever the feed said. */
const FULL_COMPARE_MS = 300_000;
const PRUNE_MS = 600_000;
/** First looks of what was loaded are spread by this much per object: all are made soon, and those after them over a whole resync. */
const START_SPREAD_MS = 0.005;
const HINT_INTERVAL_MS = 1_000;
/** A pass that outlives its deadline keeps its key locked for at most this long. */
const LONGEST_ABANDONED_MS = 300_000;

/**
 * The loops of one worker: leases, the copy of what it holds, one lane per kind, reports. Knows no kind. Everything in memory can
 * be derived again; losing a notification, a reply or the process costs time, never correctness.
 */
export class Engine {
  private readonly lanes = new Map<string, Lane>();
  private readonly roster: Roster;
  private readonly leases: Leases;
  private readonly flusher: Flusher;
  private readonly feed: Feed;
  private readonly targets: Targets;
  private readonly running: Running;
  private readonly counts = { looks: 0, corrected: 0, converged: 0, failed: 0 };
  private readonly cancels: Cancel[] = [];
  private readonly startedAt: Instant;
  private readonly withholding = new Withholding();
  /** What the queues count by: a wall clock that jumps must not move any appointment. */
  private readonly steady: SteadyClock;
  private idleWaiters: (() => void)[] = [];
  /** What a pass and a preview of the API have in common. */
  readonly ports: PassPorts;

  constructor(private readonly options: EngineOptions) {
    const { clock, controllers, store, worker, log } = options;
    this.ports = portsOf(options);
    this.startedAt = clock.now();
    this.steady = steadyClock(clock);
    this.running = new Running(clock);
    for (const controller of controllers)
      this.lanes.set(
        controller.kind.name,
        new Lane(
          controller,
          this.steady,
          (key, trigger) => this.run(key, trigger),
          () => this.noteIdle(),
          {
            open: () => this.flusher.backlog <= LARGEST_BACKLOG,
            groupOf: (key) => this.roster.slots.get(key)?.resource.metadata.namespace ?? "",
            holdBack: (key, trigger) => this.holdBack(key, trigger),
          },
        ),
      );
    this.roster = new Roster(new Map(controllers.map((controller) => [controller.kind.name, controller])), {
      added: (slot) => {
        const spreadMs = options.eager ? 0 : Math.min(resyncMsOf(slot), this.roster.slots.size * START_SPREAD_MS);
        placeFirst(this.lane(slot), slot.resource, { clock: this.steady, spreadMs, resyncMs: resyncMsOf(slot) });
      },
      changed: (slot, newGeneration) => {
        if (newGeneration) this.beginAnew(slot);
        this.lane(slot).add(slot.resource.metadata.uid, "intent");
      },
      removed: (uid, slot) => {
        this.targets.forget(slot);
        this.lane(slot).queue.forget(uid);
      },
      dependencyChanged: (slot) => {
        this.targets.forget(slot);
        this.lane(slot).add(slot.resource.metadata.uid, "dependency");
      },
    });
    const wakeAt = (slot: Slot, at: Instant) => this.lane(slot).addAt(slot.resource.metadata.uid, "recheck", at);
    this.targets = new Targets(this.steady, options.targetLimits ?? {}, wakeAt, log);
    const loadAnew = () => this.load(this.leases.heldSlices, true);
    this.feed = new Feed(store, (change) => this.apply(change), loadAnew, log);
    const wakeLanes = () => {
      for (const lane of this.lanes.values()) lane.wake();
    };
    this.flusher = new Flusher(store, clock, (uids) => void this.reread(uids), wakeLanes, log, options.largestBatch);
    const { id: holder, ...who } = worker;
    this.leases = new Leases({
      ...{ store, clock, holder, log, ttlMs: this.ttlMs },
      beat: () => {
        const { looks, retrying } = this.survey();
        return { ...who, startedAt: this.startedAt, stats: this.stats(retrying), guest: options.guest ?? false, looks };
      },
      events: {
        load: (slices) => this.load(slices),
        lost: (slices) => this.roster.dropSlices(new Set(slices)),
        drained: async (slices, withinMs) => {
          const drained = await this.running.without(slices, withinMs);
          return this.flusher.idle().then(() => drained);
        },
        lapsed: () => this.running.stop(),
      },
    });
  }

  /** Takes leases, loads, and runs until `close`. Resolves after the first attempt to take leases; an absent store is retried. */
  async start(): Promise<void> {
    const { signal, store, clock, log } = this.options;
    const every = (ms: number, work: () => Promise<void>) => repeat(clock, ms, work, log);
    await this.withholding.refresh(store).catch(() => undefined);
    await this.leases.start();
    this.cancels.push(
      signal.onMove(() => this.leases.renew()),
      signal.subscribe((uid) => {
        if (uid) this.look(uid);
        else this.feed.drain();
      }),
      every(this.ttlMs / 3, () => this.readWithholding()),
      every(FULL_COMPARE_MS, async () => (await this.load(this.leases.heldSlices))()),
      every(PRUNE_MS, () => {
        this.targets.prune();
        return store.prune();
      }),
    );
    for (const { controller } of this.lanes.values()) {
      const unsubscribe = controller.subscribe?.((uid) => this.hint(uid));
      if (unsubscribe) this.cancels.push(unsubscribe);
    }
    this.feed.drain();
  }

  /** Stops taking keys, lets running passes end (at most `graceMs`), writes reports, gives leases back. */
  async close(graceMs = 5_000): Promise<void> {
    for (const cancel of this.cancels.splice(0)) cancel();
    for (const lane of this.lanes.values()) lane.stop();
    const { clock } = this.options;
    const grace = clock.sleep(graceMs * 0.6).then(() => this.running.stop());
    await Promise.race([this.running.idle(), grace.then(() => clock.sleep(graceMs * 0.1))]);
    await Promise.race([this.flusher.idle(), clock.sleep(graceMs * 0.3)]);
    await this.leases
      .close()
      .catch((error: unknown) => this.options.log(`engine: leases not given back: ${asSetpointError(error).message}`));
  }

  /** Somebody asks for a look now. A hint: only a worker that holds the object acts on it. */
  look(uid: string): void {
    const slot = this.roster.slots.get(uid);
    if (slot) this.lane(slot).add(uid, "requested");
  }

  /** When this worker last looked successfully; undefined when it does not hold the object or has not looked yet. */
  lookedAt(uid: string): Instant | undefined {
    const slot = this.roster.slots.get(uid);
    return slot && lastLookOf(slot);
  }

  holds(slice: string): boolean {
    return this.leases.fence(slice) !== undefined;
  }

  /** Waits until nothing is ready or running and all reports are durable, or `ms` are over. */
  async runFor(ms: number): Promise<WorkDone> {
    const before = { ...this.counts };
    const { clock } = this.options;
    const end = clock.monotonic() + ms;
    this.feed.drain();
    while (clock.monotonic() < end) {
      await this.feed.idle();
      if (this.quiet) {
        await this.flusher.idle();
        await this.feed.idle();
        if (this.quiet) break;
      }
      await Promise.race([
        new Promise<void>((resolve) => this.idleWaiters.push(resolve)),
        clock.sleep(Math.max(1, Math.min(250, end - clock.monotonic()))),
      ]);
    }
    const remaining = [...this.lanes.values()].reduce((sum, lane) => sum + lane.queue.depth + lane.queue.inFlight, 0);
    return {
      looks: this.counts.looks - before.looks,
      corrected: this.counts.corrected - before.corrected,
      converged: this.counts.converged - before.converged,
      failed: this.counts.failed - before.failed,
      remaining,
    };
  }

  stats(retrying = this.survey().retrying): Record<string, KindStats> {
    return Object.fromEntries(
      [...this.lanes].map(([kind, lane]) => [kind, lane.stats(retrying.get(kind) ?? 0, this.targets.troubles(kind))]),
    );
  }

  // ---- what comes in ------------------------------------------------------------------------------------------------

  /** `missed`: changes of others are not known, so that what refers to them must look again. */
  private async load(slices: string[], missed = false): Promise<() => void> {
    const { resources, revision } = await this.options.store.load(slices);
    return () => {
      this.feed.from(revision);
      this.roster.reconcile(new Set(slices), new Set(resources.map(({ resource }) => resource.metadata.uid)), revision);
      for (const { resource, slice } of resources) this.roster.take(resource, slice, this.leases.holds(slice));
      if (missed) this.roster.wakeReferring();
      this.feed.drain();
    };
  }

  private apply({ type, resource, slice }: Change): void {
    if (type === "DELETED") this.roster.drop(resource);
    else this.roster.take(resource, slice, this.leases.holds(slice));
  }

  /** A provider saw something: look soon, but never against a waiting retry and at most once a second. */
  private hint(uid: string): void {
    const slot = this.roster.slots.get(uid);
    if (!slot || (slot.resource.status?.attempts ?? 0) > 0) return;
    this.lane(slot).addAt(uid, "hint", Math.max(this.steady.now(), slot.lastPassAt + HINT_INTERVAL_MS));
  }

  /** A report was refused: what is stored is what counts, unless something newer is about to be stored. */
  private async reread(uids: string[]): Promise<void> {
    for (const uid of uids) {
      const slot = this.flusher.holds(uid) ? undefined : this.roster.slots.get(uid);
      if (slot && (await reread(slot, () => this.options.resources.getByUid(uid))) && !slot.forgotten) this.lane(slot).add(uid, "recheck");
    }
  }

  private async readWithholding(): Promise<void> {
    const changed = await this.withholding.refresh(this.options.store);
    if (!changed) return;
    for (const slot of this.roster.slots.values()) if (changed(slot.resource)) this.lane(slot).add(slot.resource.metadata.uid, "intent");
  }

  /** New intent: what earlier corrections and targets had to say does not count for it. */
  private beginAnew(slot: Slot): void {
    slot.corrections = undefined;
    slot.flips = undefined;
    this.targets.forget(slot);
  }

  // ---- one pass -----------------------------------------------------------------------------------------------------

  /** Asked before a key gets a lane: where it goes instead while nothing may be written, or its target answers nobody. */
  private holdBack(uid: string, trigger: Trigger): { at: Instant; trigger: Trigger } | undefined {
    const slot = this.roster.slots.get(uid);
    if (!slot) return undefined;
    const fence = this.leases.fence(slot.slice);
    if (!fence || this.running.has(uid)) return { at: this.steady.now() + STORE_TROUBLE_MS, trigger };
    const held = this.targets.admit(slot, trigger);
    const report = held?.outcome && reportHeld(slot, held.outcome, trigger, fence, this.options.clock);
    if (report) this.flusher.push(report);
    return held;
  }

  private async run(uid: string, trigger: Trigger): Promise<void> {
    const slot = this.roster.slots.get(uid);
    // A key left in flight would never run again once its object is held anew.
    if (!slot) {
      for (const { queue } of this.lanes.values()) queue.forget(uid);
      return;
    }
    const { queue } = this.lane(slot);
    const unresolved = slot.target === undefined;
    if (unresolved) await this.targets.resolve(slot, (kind, name) => this.ports.lookup(slot.resource.metadata.namespace, kind, name));
    if (slot.forgotten) return;
    const held = unresolved ? this.holdBack(uid, trigger) : undefined;
    const fence = this.leases.fence(slot.slice);
    if (held || !fence) {
      if (!held && slot.target) this.targets.ended(slot, slot.target, { type: "outdated", reason: "LeaseLost" }, false);
      queue.reschedule(uid, held?.trigger ?? trigger, held?.at ?? this.steady.now() + STORE_TROUBLE_MS);
      return queue.done(uid, this.steady.now());
    }
    const running = this.running.begin(uid, slot.slice);
    const abandoned = await this.pass(uid, slot, trigger, fence);
    const over = () => {
      this.running.end(running);
      // Forgotten meanwhile, and perhaps known anew: then the runs of that slot are its own.
      if (slot.forgotten) return;
      queue.done(uid, this.steady.now());
      this.lane(slot).wake();
    };
    if (!abandoned) return over();
    // The lane goes on; the key stays locked until the work that ignored its deadline ends, so that it never runs twice at once.
    void Promise.race([abandoned, this.options.clock.sleep(LONGEST_ABANDONED_MS)]).finally(over);
  }

  /** Runs one pass and concludes it; answers with work that outlived its deadline. */
  private async pass(uid: string, slot: Slot, trigger: Trigger, fence: Fence): Promise<Promise<unknown> | undefined> {
    const { clock, log } = this.options;
    const { queue } = this.lane(slot);
    const { resource, target } = slot;
    const stop = this.running.current;
    const startedAt = clock.now();
    const begun = this.steady.now();
    slot.lastPassAt = begun;
    const result = await runPass(
      {
        resource,
        controller: slot.controller,
        fence,
        stop,
        held: () => this.leases.keeps(fence),
        refuse: refusalOf(slot, trigger, begun),
        kindPaused: this.withholding.kindPause(resource.kind),
        contested: this.withholding.contestOf(resource),
      },
      this.ports,
    );
    this.counts.looks += 1;
    if (target) this.targets.ended(slot, target, result.outcome, result.lookedAt !== undefined);
    if (slot.forgotten) return result.abandoned;
    if (stop.stopped) {
      // What it found out may be an effect of stopping it.
      queue.reschedule(uid, "recheck", this.steady.now() + STORE_TROUBLE_MS);
      return result.abandoned;
    }
    try {
      const { outcome } = result;
      if (outcome.type === "gone" && outcome.orphaned) await this.options.history.audit(orphanEntry(resource));
      this.conclude(slot, resource, result, { trigger, startedAt, fence, durationMs: this.steady.now() - begun });
    } catch (error) {
      log(`engine: pass of ${uid} not concluded: ${asSetpointError(error).message}`);
      queue.reschedule(uid, "recheck", this.steady.now() + STORE_TROUBLE_MS);
    }
    return result.abandoned;
  }

  /** The one exit of a pass: status, record, queue. */
  private conclude(slot: Slot, resource: Resource, result: PassResult, how: Omit<PassFacts, "now">): void {
    const { clock } = this.options;
    const now = clock.now();
    const resyncMs = resyncMsOf(slot);
    const outcome = slowDown(slot, result.outcome, resyncMs);
    const early = how.trigger !== "retry" && how.trigger !== "intent" && how.trigger !== "start";
    const after = statusAfter(resource, outcome, {
      now,
      startedAt: how.startedAt,
      lastLookAt: lastLookOf(slot),
      random: clock.random(),
      early,
      resyncMs,
    });
    if (result.lookedAt !== undefined) slot.lastLookAt = result.lookedAt;
    remember(slot, outcome, this.steady.now());
    if (outcome.type === "corrected" || outcome.type === "converged" || outcome.type === "failed") this.counts[outcome.type] += 1;

    const report = recordOf(resource, outcome, after, { ...how, now });
    if (after && after !== resource.status) slot.resource = { ...slot.resource, status: after };
    if (report) this.flusher.push(report);
    // After first looks at many at once, the next ones are anywhere in the period, so that they do not stay together.
    const share = how.trigger === "start" ? clock.random() : 1;
    const next = { at: after?.nextAttempt?.at, resyncMs, share, clock: this.steady };
    placeNext(this.lane(slot).queue, resource.metadata.uid, outcome, next);
  }

  private lane(slot: Slot): Lane {
    const lane = this.lanes.get(slot.resource.kind);
    if (!lane) throw new Error(`no lane for ${slot.resource.kind}`);
    return lane;
  }

  private survey() {
    return survey(this.roster.slots.values(), this.options.clock.now());
  }

  private get ttlMs(): number {
    return this.options.leaseTtlMs ?? LEASE_TTL_MS;
  }

  private get quiet(): boolean {
    return [...this.lanes.values()].every((lane) => lane.idle);
  }

  private noteIdle(): void {
    if (this.idleWaiters.length === 0 || !this.quiet) return;
    for (const resolve of this.idleWaiters.splice(0)) resolve();
  }
}
