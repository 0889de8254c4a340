import type { Cancel, Clock } from "@/lib/clock";
import type { AnyController } from "@/lib/controller";
import type { KindStats, TargetTrouble } from "@/lib/store";
import { type Trigger, Workqueue } from "./workqueue";

const DEFAULT_CONCURRENCY = 8;
/** The timer for the next due key never sleeps longer: insurance against a lost or wrong timer. */
const HEARTBEAT_MS = 10_000;
/** What only comes due waits up to this long for others that do: waking a process costs more than a look. What is new never waits. */
const TICK_MS = 50;
/** So many keys are taken before all else in the process gets its turn: passes that end at once would keep it from everything, even its leases. */
const LONGEST_TURN = 256;

/** What is chained to it comes right after what runs now; `queueMicrotask` does the same at several times the cost. */
const THIS_TURN = Promise.resolve();

export interface LaneRules {
  /** False: nothing is taken until the lane is woken. */
  open(): boolean;
  /** Whose turn a key takes within its band: its namespace. */
  groupOf(key: string): string;
  /** Asked when a key is taken: where it goes instead of running. Undefined: it runs. */
  holdBack(key: string, trigger: Trigger): { at: number; trigger: Trigger } | undefined;
}

/** The queue of one kind and its running passes, up to the kind's concurrency. One timer, for the head of the queue. */
export class Lane {
  readonly queue: Workqueue;
  readonly concurrency: number;
  looks = 0;
  private running = 0;
  private cancel: Cancel = () => {};
  /** When the timer fires; one that fires early finds out what to wait for. */
  private armedFor = Number.POSITIVE_INFINITY;
  private stopped = false;
  private pumping = false;
  /** Keys taken in this turn. */
  private taken = 0;

  constructor(
    readonly controller: AnyController,
    private readonly clock: Clock,
    /** Runs one pass; resolves when the lane may take another key. It ends the key's run in the queue itself. */
    private readonly run: (key: string, trigger: Trigger) => Promise<void>,
    private readonly onIdle: () => void,
    private readonly rules: LaneRules,
  ) {
    this.queue = new Workqueue(rules.groupOf);
    this.concurrency = controller.kind.concurrency ?? DEFAULT_CONCURRENCY;
  }

  add(key: string, trigger: Trigger): void {
    this.queue.add(key, trigger, this.clock.now());
    this.wake();
  }

  addAt(key: string, trigger: Trigger, at: number): void {
    this.queue.addAt(key, trigger, at);
    this.wake();
  }

  /** Takes what is ready soon; many adds in one turn cost one run of the pump. */
  wake(): void {
    if (this.pumping || this.stopped) return;
    this.pumping = true;
    void THIS_TURN.then(() => {
      this.pumping = false;
      this.pump();
    });
  }

  private pump(): void {
    if (this.stopped) return;
    while (this.running < this.concurrency && this.taken < LONGEST_TURN && this.rules.open()) {
      const now = this.clock.now();
      const next = this.queue.take(now);
      if (!next) break;
      this.taken += 1;
      const held = this.rules.holdBack(next.key, next.trigger);
      if (held) {
        this.queue.reschedule(next.key, held.trigger, held.at);
        this.queue.done(next.key, now);
        continue;
      }
      this.running += 1;
      this.looks += 1;
      void this.run(next.key, next.trigger).finally(this.ended);
    }
    const untilDue = (this.queue.nextDue() ?? Number.POSITIVE_INFINITY) - this.clock.now();
    this.arm(this.taken < LONGEST_TURN ? Math.min(HEARTBEAT_MS, Math.max(TICK_MS, untilDue)) : 0);
    if (this.idle) this.onIdle();
  }

  private readonly ended = () => {
    this.running -= 1;
    this.wake();
  };

  private arm(waitMs: number): void {
    const now = this.clock.now();
    if (this.armedFor <= now + waitMs) return;
    this.cancel();
    this.armedFor = now + waitMs;
    this.cancel = this.clock.after(waitMs, () => {
      this.armedFor = Number.POSITIVE_INFINITY;
      this.taken = 0;
      this.pump();
    });
  }

  /** Nothing runs and nothing is ready; keys may still wait for their time. */
  get idle(): boolean {
    return this.running === 0 && this.queue.depth === 0;
  }

  stop(): void {
    this.stopped = true;
    this.cancel();
  }

  stats(retrying: number, troubles: TargetTrouble[]): KindStats {
    return {
      queueDepth: this.queue.depth,
      inFlight: this.running,
      concurrency: this.concurrency,
      backlogAgeMs: this.queue.backlogAgeMs(this.clock.now()),
      retrying,
      looks: this.looks,
      ...(troubles.length > 0 ? { targets: troubles } : {}),
    };
  }
}
