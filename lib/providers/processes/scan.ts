import type { Clock } from "@/lib/clock";
import { type Mark, markText, readMarks } from "./marks";
import { bootId, pids, readEnviron, readStat, type Stat } from "./proc";

/** A living process with this installation's mark. */
export interface Marked extends Stat {
  mark: Mark;
  template: string | null;
  port: number | null;
  bootId: string;
}

/** Processes read between two turns of the event loop. */
const BATCH = 64;
const LONGEST_REST_MS = 25;

/**
 * One scan of /proc for everybody who asks while the one before runs. A scan that answers a call always starts after the call, so it can
 * never be older than the caller's own last write. Between two scans there is a rest, so that they never take a whole core.
 */
export class Scanner {
  readonly #installation: string;
  readonly #clock: Clock;
  #running: Promise<Marked[]> | undefined;
  #next: Promise<Marked[]> | undefined;
  #lastEnd = Number.NEGATIVE_INFINITY;
  #lastTook = 0;

  constructor(installation: string, clock: Clock) {
    this.#installation = installation;
    this.#clock = clock;
  }

  /** Every marked process; members of a marked process's group or children of one in the same slot are part of it and not listed. */
  scan(): Promise<Marked[]> {
    if (this.#next) return this.#next;
    const next = this.#scanAfter(this.#running);
    this.#next = next;
    return next;
  }

  async #scanAfter(before: Promise<Marked[]> | undefined): Promise<Marked[]> {
    await before?.catch(() => undefined);
    const rest = this.#lastEnd + Math.min(this.#lastTook / 2, LONGEST_REST_MS) - this.#clock.monotonic();
    if (rest > 0) await this.#clock.sleep(rest);
    // Whoever calls from here on needs a scan that starts later than this one.
    const reading = this.#read();
    this.#running = reading;
    this.#next = undefined;
    return reading;
  }

  async #read(): Promise<Marked[]> {
    const began = this.#clock.monotonic();
    const found: Marked[] = [];
    const boot = bootId();
    const all = pids();
    for (const [index, pid] of all.entries()) {
      if (index % BATCH === BATCH - 1) await new Promise<void>((resolve) => setImmediate(resolve));
      const marked = readMarked(pid, boot);
      if (marked?.mark.installation === this.#installation) found.push(marked);
    }
    this.#lastEnd = this.#clock.monotonic();
    this.#lastTook = this.#lastEnd - began;
    return withoutMembers(found);
  }
}

function readMarked(pid: number, boot: string): Marked | undefined {
  const environ = readEnviron(pid);
  const marks = environ && readMarks(environ);
  if (!marks) return undefined;
  const stat = readStat(pid);
  // Read again: the pid may have become another process between the two reads.
  const again = stat && readEnviron(pid);
  const same = again && readMarks(again);
  if (!stat || !same || markText(same.mark) !== markText(marks.mark)) return undefined;
  return { ...stat, ...same, bootId: boot };
}

/** Children inherit the mark. What hangs on another marked process of the same slot, by group or by parent, is part of it. */
export function withoutMembers(found: readonly Marked[]): Marked[] {
  const slots = new Map(found.map((process) => [process.pid, markText(process.mark)]));
  const partOf = (other: number, process: Marked) => other !== process.pid && slots.get(other) === markText(process.mark);
  return found.filter((process) => !partOf(process.group, process) && !partOf(process.ppid, process));
}
