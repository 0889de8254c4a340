import type { Operator } from "./operator";
import { judgePages } from "./pages";
import { Random } from "./random";
import type { Process } from "./schedule";
import { MEDDLED } from "./target";
import type { Universe } from "./universe";
import { startWorker, type Worker } from "./worker";

const TICK_MS = 1_000;
const MOST_WORKERS = 4;

/** Lets workers die, freeze, come and go, clocks jump, the store go away, and strangers meddle; all as the seed says. */
export class Chaos {
  readonly workers: Worker[] = [];
  private started = 0;
  private readonly random: Random;

  constructor(
    private readonly universe: Universe,
    private readonly operator: Operator,
  ) {
    this.random = new Random(`${universe.seed}/chaos`);
  }

  begin(): void {
    const count = this.random.int(1, 3);
    for (let i = 0; i < count; i++) this.start();
    this.tick();
  }

  get alive(): Worker[] {
    return this.workers.filter(({ process }) => process.state !== "dead");
  }

  /** Faults have stopped: the frozen go on, and somebody is there to work. */
  calm(): void {
    const { schedule, network } = this.universe;
    network.storeAwayUntil = 0;
    for (const { process } of this.alive) {
      this.join(process);
      schedule.resume(process);
      if (process.wallOffset !== 0) process.jumpedAt = schedule.time;
      process.wallOffset = 0;
    }
    if (this.alive.length === 0) this.start();
  }

  private start(): void {
    this.started += 1;
    this.workers.push(startWorker(this.universe, `worker-${this.started}`, (process) => this.tempt(process)));
  }

  /** A call is under way: the moment in which a death or a pause hurts most. */
  private tempt(process: Process): void {
    const { faults, schedule } = this.universe;
    if (process.state !== "running") return;
    if (faults.strikes("crash", 0.08)) schedule.add(faults.stream("crash").between(0, 50), undefined, () => this.crash(process));
    else if (faults.strikes("stop", 0.1)) schedule.add(faults.stream("stop").between(0, 20), undefined, () => this.freeze(process));
  }

  private crash(process: Process): void {
    if (process.state === "dead" || this.universe.faults.over) return;
    const { oracle, schedule, faults } = this.universe;
    if ([...oracle.inFlight.values()].some((calls) => calls.has(process))) oracle.reach("a worker died between its permit and the outcome");
    this.universe.note(`${process.name} dies`);
    this.universe.noteHosts();
    process.state = "dead";
    oracle.dead.add(process.name);
    for (const calls of oracle.inFlight.values()) calls.delete(process);
    schedule.add(faults.stream("crash").between(300, 6_000), undefined, () => this.start());
  }

  private freeze(process: Process): void {
    if (process.state !== "running" || this.universe.faults.over) return;
    const { oracle, schedule, faults } = this.universe;
    const ms = faults.stream("stop").between(100, 2.5 * this.universe.leaseMs);
    this.universe.note(`${process.name} is frozen for ${ms.toFixed(0)} ms`);
    process.state = "stopped";
    schedule.add(ms, undefined, () => {
      if (process.state !== "stopped") return;
      this.universe.note(`${process.name} goes on`);
      if (ms > this.universe.leaseMs) oracle.reach("a worker was frozen beyond its lease and came back");
      schedule.resume(process);
    });
  }

  private tick(): void {
    const { faults, schedule } = this.universe;
    if (faults.over) return;
    judgePages(this.universe);
    schedule.add(TICK_MS, undefined, () => this.tick());
    for (const { process } of this.alive) {
      if (faults.strikes("crash", 0.01)) this.crash(process);
      if (faults.strikes("stop", 0.02)) this.freeze(process);
      if (faults.strikes("wallJump", 0.04)) this.jump(process);
      if (!process.feedCut && faults.strikes("feedCut", 0.05)) this.cut(process);
    }
    if (this.alive.length < MOST_WORKERS && faults.strikes("join", 0.06)) this.start();
    const leaver = this.alive.find(({ process }) => process.state === "running");
    if (leaver && this.alive.length > 1 && faults.strikes("leave", 0.05)) void leaver.leave();
    if (faults.strikes("storeOutage", 0.02)) {
      const ms = faults.stream("storeOutage").between(1_000, 12_000);
      this.universe.note(`the store is away for ${ms.toFixed(0)} ms`);
      this.universe.network.storeAwayUntil = schedule.time + ms;
    }
    this.meddle();
  }

  private cut(process: Process): void {
    const { faults, schedule } = this.universe;
    const ms = faults.stream("feedCut").between(1_000, 9_000);
    this.universe.note(`${process.name} cannot read the feed for ${ms.toFixed(0)} ms`);
    process.feedCut = true;
    schedule.add(ms, undefined, () => this.join(process));
  }

  /** It can read the feed again, and what it has missed is no longer in it. */
  private join(process: Process): void {
    if (!process.feedCut) return;
    process.feedCut = false;
    this.universe.note(`${process.name} can read the feed again, which now begins at ${this.universe.compact()}`);
  }

  private jump(process: Process): void {
    const stream = this.universe.faults.stream("wallJump");
    process.wallOffset = stream.chance(0.3) ? 0 : Math.round(stream.between(-3_600_000, 3_600_000));
    process.jumpedAt = this.universe.schedule.time;
    this.universe.note(`${process.name} wall clock is off by ${process.wallOffset} ms`);
    this.universe.oracle.reach("a wall clock was wrong when work fell due");
  }

  private meddle(): void {
    const { faults, targets } = this.universe;
    for (const target of targets.values()) {
      for (const thing of [...target.things.values()]) {
        if (faults.strikes("thirdPartyEdit", 0.03)) {
          this.universe.note(`somebody changes ${thing.key}`);
          target.meddle(thing.id, { value: MEDDLED });
        }
        if (!target.strict && faults.strikes("thirdPartyCopy", 0.03)) {
          this.universe.note(`somebody copies ${thing.key} with its mark`);
          target.create(thing.key, thing.mark, thing);
        }
        if (thing.mark && faults.strikes("thirdPartyDelete", 0.02)) {
          this.universe.note(`somebody removes ${thing.key}`);
          this.universe.oracle.removed.add(thing.mark.uid);
          target.vanish(thing.id);
        }
      }
    }
    this.squat();
  }

  /** An unmarked thing under a name of the strict target that we may want. */
  private squat(): void {
    const { faults, targets, oracle } = this.universe;
    if (!faults.strikes("foreign", 0.05)) return;
    const key = faults.stream("foreign").pick(this.operator.names);
    for (const target of targets.values()) {
      if (!key || !target.strict || target.byKey(key)) continue;
      this.universe.note(`somebody makes ${key}`);
      target.create(key, undefined, { value: "foreign", size: 9, secret: "", generation: 0 });
      oracle.reach("what somebody else made was left alone");
    }
  }
}
