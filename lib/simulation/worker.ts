import type { AnyController } from "@/lib/controller";
import { Engine } from "@/lib/engine";
import type { ChangeSignal, EngineStore, Report, ResourceStore } from "@/lib/store";
import { isExpired } from "@/lib/store/feed";
import { clientOf, type Temptation } from "./client";
import { controllerOf, type KindName } from "./kinds";
import { Process } from "./schedule";
import { INSTALLATION, type Universe } from "./universe";

const POLL_MS = { healthy: 5_000, unhealthy: 1_000 };

/** A simulated process with the real engine in it. */
export interface Worker {
  process: Process;
  engine: Engine;
  /** Stops in order; the process ends when that is done. */
  leave(): Promise<void>;
}

export function startWorker(universe: Universe, name: string, tempt: Temptation): Worker {
  const process = new Process(name, universe.schedule, universe.seed, universe.wide?.host());
  universe.processes.push(process);
  const { faults } = universe;
  if (faults.strikes("skew", 0.5)) process.rate = 1 + faults.stream("skew").between(-0.02, 0.02);
  const engine = newEngine(universe, process, name, tempt);
  if (universe.plant?.twin) void newEngine(universe, process, name, tempt).start();
  universe.note(`${name} starts`);
  void engine.start();
  return {
    process,
    engine,
    async leave() {
      universe.note(`${name} leaves`);
      await engine.close(2_000);
      universe.oracle.reach("a worker left in order");
      universe.noteHosts();
      process.state = "dead";
    },
  };
}

function newEngine(universe: Universe, process: Process, id: string, tempt: Temptation): Engine {
  const { plant, store, canary } = universe;
  const engineStore = plant?.engineStore?.(store.engine, universe) ?? store.engine;
  const controller = (kind: KindName): AnyController => {
    const made = controllerOf(kind, clientOf(universe, process, kind, tempt), ({ warmAt }) => warmAt <= universe.schedule.time);
    return plant?.controller?.(made, universe) ?? made;
  };
  return new Engine({
    store: watchedStore(universe, process, engineStore, tempt),
    resources: overNetwork<ResourceStore>(universe, process, store.resources),
    history: overNetwork(universe, process, store.history),
    signal: signalOf(universe, process),
    clock: process.clock,
    controllers: universe.kinds.map(controller),
    installation: INSTALLATION,
    secret: async () => canary,
    worker: { id, host: process.host, pid: 1, role: "all", version: "simulated" },
    log: (message) => universe.note(`${id} log: ${message}`),
    leaseTtlMs: universe.leaseMs,
    // So small that there is a second one while the first is on its way.
    largestBatch: universe.wide ? 2 : undefined,
  });
}

type Method = (...args: unknown[]) => Promise<unknown>;

/** The same port, each call over the network. */
function overNetwork<T extends object>(universe: Universe, process: Process, port: T): T {
  const wrapped = new Map<PropertyKey, Method>();
  return new Proxy(port, {
    get(target, property) {
      const known = wrapped.get(property);
      if (known) return known;
      const method: unknown = Reflect.get(target, property);
      if (typeof method !== "function") return method;
      const call: Method = (...args) =>
        universe.network.callStore(process, String(property), async () => Reflect.apply(method, target, args));
      wrapped.set(property, call);
      return call;
    },
  });
}

/** The engine's store as a worker reaches it: the oracle stands beside the store and sees what was sent and what became of it. */
function watchedStore(universe: Universe, process: Process, store: EngineStore, tempt: Temptation): EngineStore {
  const { oracle } = universe;
  const sent = new Set<string>();
  // Passes start at a time of their own: enough to tell that the same report comes again.
  const nameOf = (reports: Report[]) => reports.map(({ uid, pass }) => `${uid}@${pass?.startedAt}`).join();
  const judged: EngineStore = {
    ...store,
    feed: (revision, limit) =>
      store.feed(revision, limit).catch((error: unknown) => {
        if (isExpired(error)) oracle.reach("a worker's place in the feed was no longer kept");
        throw error;
      }),
    async renew(beat) {
      const { tables } = universe.store;
      const orphaned = [...tables.leases].filter(([, { holder }]) => holder !== undefined && oracle.dead.has(holder));
      const answer = await store.renew(beat);
      if (orphaned.some(([slice]) => tables.leases.get(slice)?.holder === process.name))
        oracle.reach("a lease was taken over from a dead worker");
      return answer;
    },
    async permit(uid, generation, fence, action, deleting) {
      const verdict = await store.permit(uid, generation, fence, action, deleting);
      oracle.judgeClaims(uid, verdict);
      oracle.permitAnswered(process, uid, generation, fence, verdict);
      tempt(process);
      return verdict;
    },
    report: (reports, batch) => {
      const text = nameOf(reports);
      if (sent.has(text)) oracle.reach("a report was sent again after a lost answer");
      sent.add(text);
      if (batch?.line) oracle.reach("two batches of reports were on their way at once");
      return oracle.judgeReports(process, reports, (each) => store.report(each, batch));
    },
  };
  return overNetwork(universe, process, judged);
}

/** Notifications as hints: late, lost or doubled; and the poll that does not need them. */
function signalOf({ store, schedule, faults, oracle }: Universe, process: Process): ChangeSignal {
  const deaf = faults.strikes("notifyLost", 0.4);
  return {
    subscribe(listener) {
      let left = false;
      const leave = store.signal.subscribe((uid) => {
        if (deaf || faults.strikes("notifyLost", 0.3)) return oracle.reach("a notification was lost");
        const times = faults.strikes("notifyDoubled", 0.3) ? 2 : 1;
        for (let i = 0; i < times; i++) schedule.add(1 + i * 40, process, () => left || listener(uid));
      });
      const poll = () => {
        if (left) return;
        listener();
        process.clock.after(deaf ? POLL_MS.unhealthy : POLL_MS.healthy, poll);
      };
      process.clock.after(POLL_MS.healthy, poll);
      return () => {
        left = true;
        leave();
      };
    },
    onMove(listener) {
      return store.signal.onMove(() => {
        if (!deaf && !faults.strikes("notifyLost", 0.3)) schedule.add(1, process, listener);
      });
    },
    healthy: () => !deaf,
  };
}
