import type { Clock } from "@/lib/clock";
import { Bag, type Placed } from "./bag";
import { Stop } from "./deadline";

/**
 * What runs, work that outlived its deadline included. One key is never run twice at once, also when its slice left and came back;
 * and a slice is handed over only when nothing runs in it.
 */
export class Running {
  private readonly passes = new Bag<Pass>();
  private term = new Stop();

  constructor(private readonly clock: Clock) {}

  has(uid: string): boolean {
    return this.passes.some((pass) => pass.uid === uid);
  }

  /** What stops all that runs now: at the end, and when the term of the leases ended. */
  get current(): Stop {
    return this.term;
  }

  /** `end` must be called with what it answers when the work is over. */
  begin(uid: string, slice: string): Pass {
    const pass = { uid, slice, place: -1 };
    this.passes.add(pass);
    return pass;
  }

  end(pass: Pass): void {
    this.passes.remove(pass);
    for (const tell of pass.waiters ?? []) tell();
  }

  /** Stops what runs; what begins later is not concerned. */
  stop(): void {
    this.term.stop();
    this.term = new Stop();
  }

  /** Resolves when all that runs now is over. */
  async idle(): Promise<void> {
    await Promise.all([...this.passes].map(endOf));
  }

  /** Waits for what runs in these slices now, at most so long; answers with the slices in which nothing runs. Nothing new may begin there. */
  async without(slices: string[], withinMs: number): Promise<string[]> {
    const wanted = new Set(slices);
    const running = [...this.passes].filter(({ slice }) => wanted.has(slice));
    await new Promise<void>((resolve) => {
      const cancel = this.clock.after(withinMs, resolve);
      void Promise.all(running.map(endOf)).then(() => {
        cancel();
        resolve();
      });
    });
    for (const { slice } of this.passes) wanted.delete(slice);
    return [...wanted];
  }
}

/** A pass under way. */
export interface Pass extends Placed {
  uid: string;
  slice: string;
  waiters?: (() => void)[];
}

function endOf(pass: Pass): Promise<void> {
  return new Promise((resolve) => {
    pass.waiters ??= [];
    pass.waiters.push(resolve);
  });
}
