import { SetpointError } from "@/lib/errors";
import type { Faults } from "./faults";
import { Random } from "./random";
import type { Process, Schedule } from "./schedule";
import type { Sometimes } from "./sometimes";
import type { Trace } from "./trace";

/** What becomes of one call on its way there and back. */
interface Fate {
  /** Milliseconds until it arrives, and until its answer is there. */
  there: number;
  back: number;
  /** Refused on arrival, with nothing done. */
  refused?: Error;
  /** Half of it is done, then it fails. */
  half?: boolean;
  /** The answer never comes as it should: this error instead, or silence until the caller gives up. */
  broken?: Error | "silence";
  /** It never arrives. */
  lost?: boolean;
}

export interface TargetCall {
  write: boolean;
  /** Late arrival of it can be told apart by the target (a version, an id that is never used again). */
  conditional: boolean;
  label: string;
}

const STORE_TIMEOUT_MS = 2_000;

/** The wires between processes, the store and the targets: delays, losses, lost answers. */
export class Network {
  /** Until when the store is away. */
  storeAwayUntil = 0;
  /** Told when a rare state is reached. */
  onReach: (state: Sometimes) => void = () => undefined;
  private readonly delays: Random;

  constructor(
    private readonly schedule: Schedule,
    private readonly faults: Faults,
    private readonly trace: Trace,
    seed: string,
  ) {
    this.delays = new Random(`${seed}/delays`);
  }

  /** One call of the store. The error of a lost answer is the same whether it was done or not. */
  callStore<T>(process: Process, label: string, effect: () => Promise<T>): Promise<T> {
    const fate = this.storeFate();
    return new Promise((resolve, reject) => {
      const answer = (delay: number, settle: () => void) => void this.schedule.add(delay, process, settle);
      const fail = (delay: number) =>
        answer(delay, () => reject(new SetpointError("ServiceUnavailable", "The store cannot be reached right now.")));
      this.schedule.add(fate.there, undefined, () => {
        if (fate.lost || this.schedule.time < this.storeAwayUntil || (process.feedCut && label === "feed")) {
          this.note(process, `${label} lost`);
          return fail(fate.lost ? STORE_TIMEOUT_MS : 10);
        }
        this.note(process, fate.broken ? `${label} done, answer lost` : label);
        if (fate.broken) this.onReach("a commit happened and its answer was lost");
        effect().then(
          (value) => (fate.broken ? fail(STORE_TIMEOUT_MS) : answer(fate.back, () => resolve(value))),
          (error: unknown) => (fate.broken ? fail(STORE_TIMEOUT_MS) : answer(fate.back, () => reject(error))),
        );
      });
    });
  }

  /** One call of a target; gives up when `signal` does. `effect` is told whether only half of it may be done. */
  callTarget<T>(process: Process, call: TargetCall, signal: AbortSignal, effect: (half: boolean) => T): Promise<T> {
    const fate = this.targetFate(call);
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(signal.reason);
      if (signal.aborted) return giveUp();
      signal.addEventListener("abort", giveUp);
      const answer = (settle: () => void) =>
        void this.schedule.add(fate.back, process, () => {
          signal.removeEventListener("abort", giveUp);
          settle();
        });
      this.schedule.add(fate.there, undefined, () => {
        if (fate.lost || fate.refused) {
          this.note(process, `${call.label} ${fate.refused ? `refused: ${fate.refused.message}` : "lost"}`);
          const error = fate.refused ?? fate.broken;
          if (error instanceof Error) answer(() => reject(error));
          return;
        }
        let settle: () => void;
        try {
          const value = effect(fate.half === true);
          settle = () => resolve(value);
        } catch (error) {
          settle = () => reject(error);
        }
        const { broken } = fate;
        if (call.write && broken !== undefined) this.onReach("a target did it and its answer was lost");
        this.note(process, `${call.label}${fate.half ? " by half" : ""}${broken ? ", answer lost" : ""}`);
        if (broken === undefined) answer(settle);
        else if (broken !== "silence") answer(() => reject(broken));
      });
    });
  }

  private storeFate(): Fate {
    const { faults, delays } = this;
    const slow = faults.strikes("storeSlow", 0.03) ? faults.stream("storeSlow").between(200, 4_000) : 0;
    const fate: Fate = { there: delays.between(0.2, 3), back: delays.between(0.2, 3) + slow };
    if (faults.strikes("storeLost", 0.04)) fate.lost = true;
    else if (faults.strikes("storeUnknown", 0.06)) fate.broken = "silence";
    return fate;
  }

  private targetFate({ write, conditional }: TargetCall): Fate {
    const { faults, delays } = this;
    const fate: Fate = { there: delays.between(1, 30), back: delays.between(1, 30) };
    const broken = (stream: Random) => (stream.chance(0.5) ? new SetpointError("Unreachable", "Connection reset.") : "silence");
    if (faults.strikes("targetSlow", 0.06)) {
      const late = faults.stream("targetSlow").between(100, 9_000);
      // What cannot be told apart when it arrives late is only answered late.
      if (write && conditional) fate.there += late;
      else fate.back += late;
    }
    if (faults.strikes("targetLost", 0.06)) return { ...fate, lost: true, broken: broken(faults.stream("targetLost")) };
    if (faults.strikes("targetUnknown", write ? 0.15 : 0.03)) return { ...fate, broken: broken(faults.stream("targetUnknown")) };
    if (faults.strikes("targetError", 0.08)) return { ...fate, refused: new SetpointError("TargetError", "500 of the target.") };
    if (faults.strikes("targetThrottle", 0.05))
      return { ...fate, refused: new SetpointError("Throttled", "429 of the target.", { retryAfterSeconds: 7 }) };
    if (write && faults.strikes("targetReject", 0.05)) return { ...fate, refused: new SetpointError("Rejected", "400 of the target.") };
    if (write && faults.strikes("halfApplied", 0.15)) return { ...fate, half: true, broken: broken(faults.stream("halfApplied")) };
    return fate;
  }

  private note(process: Process, what: string): void {
    this.trace.add(`${this.schedule.time.toFixed(1)} ${process.name} ${what}`);
  }
}
