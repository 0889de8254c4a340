import { setMaxListeners } from "node:events";
import type { Clock } from "@/lib/clock";

/**
 * What runs, work that outlived its deadline included. One key is never run twice at once, also when its slice left and came back;
 * and a slice is handed over only when nothing runs in it.
 */
export class Running {
  private readonly passes = new Map<string, Pass>();
  private term = newTerm();

  constructor(private readonly clock: Clock) {}

  has(uid: string): boolean {
    return this.passes.has(uid);
  }

  /** Aborted when what runs now must stop: at the end, and when the term of the leases ended. */
  get signal(): AbortSignal {
    return this.term.signal;
  }

  /** `end` must be called when the work is over. */
  begin(uid: string, slice: string): void {
    this.passes.set(uid, { slice });
  }

  end(uid: string): void {
    const pass = this.passes.get(uid);
    this.passes.delete(uid);
    for (const tell of pass?.waiters ?? []) tell();
  }

  /** Aborts what runs; what begins later is not concerned. */
  stop(): void {
    this.term.abort();
    this.term = newTerm();
  }

  /** Resolves when all that runs now is over. */
  async idle(): Promise<void> {
    await Promise.all([...this.passes.values()].map(endOf));
  }

  /** Waits for what runs in these slices now, at most so long; answers with the slices in which nothing runs. Nothing new may begin there. */
  async without(slices: string[], withinMs: number): Promise<string[]> {
    const wanted = new Set(slices);
    const running = [...this.passes.values()].filter(({ slice }) => wanted.has(slice));
    await new Promise<void>((resolve) => {
      const cancel = this.clock.after(withinMs, resolve);
      void Promise.all(running.map(endOf)).then(() => {
        cancel();
        resolve();
      });
    });
    for (const { slice } of this.passes.values()) wanted.delete(slice);
    return [...wanted];
  }
}

interface Pass {
  slice: string;
  waiters?: (() => void)[];
}

function endOf(pass: Pass): Promise<void> {
  return new Promise((resolve) => {
    pass.waiters ??= [];
    pass.waiters.push(resolve);
  });
}

/** Every running pass listens to it. */
function newTerm(): AbortController {
  const term = new AbortController();
  setMaxListeners(0, term.signal);
  return term;
}
