import { type Cancel, type Clock, clampTimer } from "@/lib/clock";
import { Random } from "./random";

/** When virtual time begins: 2026-01-01T00:00:00Z. */
export const EPOCH = 1_767_225_600_000;

interface Step {
  at: number;
  /** Steps of one instant are ordered by chance. */
  tie: number;
  process?: Process;
  run: () => void;
  cancelled: boolean;
}

/** A process of the simulated machine: frozen, it keeps what falls due for later; dead, it does nothing ever again. */
export class Process {
  state: "running" | "stopped" | "dead" = "running";
  /** Added to the wall clock it sees. */
  wallOffset = 0;
  /** When that changed last. */
  jumpedAt = Number.NEGATIVE_INFINITY;
  /** How fast its monotonic clock runs. */
  rate = 1;
  /** It cannot read the feed. */
  feedCut = false;
  readonly held: Step[] = [];
  readonly clock: Clock;

  constructor(
    readonly name: string,
    schedule: Schedule,
    seed: string,
    /** The machine it runs on. */
    readonly host = "host",
  ) {
    const random = new Random(`${seed}/${name}`);
    const startedAt = schedule.time;
    const after: Clock["after"] = (delayMs, callback) => schedule.add(clampTimer(delayMs) / this.rate, this, callback);
    this.clock = {
      now: () => Math.floor(EPOCH + schedule.time + this.wallOffset),
      monotonic: () => (schedule.time - startedAt) * this.rate,
      random: () => random.next(),
      after,
      sleep: (delayMs, signal) =>
        new Promise((resolve, reject) => {
          if (signal?.aborted) return reject(signal.reason);
          const cancel = after(delayMs, resolve);
          signal?.addEventListener("abort", () => {
            cancel();
            reject(signal.reason);
          });
        }),
    };
  }
}

/**
 * Virtual time and the order of everything: one step at a time, the next being that of the smallest time. Between two steps
 * all promises that can go on have gone on, so that a run is a pure function of the seed. Nothing here waits for real time.
 */
export class Schedule {
  /** Milliseconds since the begin. */
  time = 0;
  steps = 0;
  private readonly heap: Step[] = [];
  private readonly ties: Random;

  constructor(seed: string) {
    this.ties = new Random(`${seed}/ties`);
  }

  add(delayMs: number, process: Process | undefined, run: () => void): Cancel {
    const step: Step = { at: this.time + Math.max(0, delayMs), tie: this.ties.next(), process, run, cancelled: false };
    this.push(step);
    return () => {
      step.cancelled = true;
    };
  }

  /** Runs steps until `end` or until `stop` says so after one. */
  async runUntil(end: number, stop: () => boolean): Promise<void> {
    await turn();
    for (;;) {
      const step = this.heap[0];
      if (!step || step.at > end) break;
      this.pop();
      if (step.cancelled || step.process?.state === "dead") continue;
      if (step.process?.state === "stopped") {
        step.process.held.push(step);
        continue;
      }
      this.time = Math.max(this.time, step.at);
      this.steps += 1;
      step.run();
      await turn();
      if (stop()) return;
    }
    this.time = Math.max(this.time, end);
  }

  /** A stopped process goes on: all it missed is ready now, in an order of chance. */
  resume(process: Process): void {
    if (process.state !== "stopped") return;
    process.state = "running";
    for (const step of process.held.splice(0)) {
      step.at = this.time;
      step.tie = this.ties.next();
      this.push(step);
    }
  }

  private push(step: Step): void {
    const { heap } = this;
    let child = heap.push(step) - 1;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      const above = heap[parent];
      if (!above || before(above, step)) break;
      heap[child] = above;
      child = parent;
    }
    heap[child] = step;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      const [left, right] = [heap[child], heap[child + 1]];
      if (!left) break;
      if (right && before(right, left)) child += 1;
      const least = heap[child];
      if (!least || before(last, least)) break;
      heap[parent] = least;
      parent = child;
    }
    heap[parent] = last;
  }
}

function before(a: Step, b: Step): boolean {
  return a.at < b.at || (a.at === b.at && a.tie <= b.tie);
}

/** Lets every promise go on that can: a turn of the event loop comes after all of them. No real input or timer is involved anywhere. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
