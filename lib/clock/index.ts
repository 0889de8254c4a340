/**
 * Time, timers and randomness behind one port, so that everything that decides can be replayed.
 * The only place in the product that may call `Date`, `performance`, `setTimeout` or `Math.random`.
 */

/** A moment as milliseconds since the Unix epoch (UTC). */
export type Instant = number;

/** Cancels a timer; calling it twice does nothing. */
export type Cancel = () => void;

/** The longest delay handed to a platform timer: Node fires at once beyond 2^31-1 ms. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Clock {
  /** Wall-clock time, for what people read and what is stored. May jump. */
  now(): Instant;
  /** Monotonic milliseconds, for durations and a holder's own deadlines. Never jumps. */
  monotonic(): number;
  /** Runs `callback` once after `delayMs`, clamped to 0..LONGEST_TIMER_MS. Does not keep the process alive. */
  after(delayMs: number, callback: () => void): Cancel;
  /** Resolves after `delayMs`; rejects with the signal's reason when aborted. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

/** Clamps to what a platform timer accepts; NaN and negative become 0, overlong the maximum. */
export function clampTimer(delayMs: number): number {
  if (!(delayMs > 0)) return 0;
  return Math.min(delayMs, LONGEST_TIMER_MS);
}

let written = { instant: 0, text: "1970-01-01T00:00:00.000Z" };

/** ISO 8601 with milliseconds, UTC: the only way the product writes a time. The newest answer is kept: one report says the same time often. */
export function toIso(instant: Instant): string {
  if (instant !== written.instant) written = { instant, text: new Date(instant).toISOString() };
  return written.text;
}

/** The same instant as the platform's type, for libraries that take no other. */
export function dateOf(instant: Instant): Date {
  return new Date(instant);
}

/** Parses an ISO 8601 time; undefined when it is not one. */
export function fromIso(text: string | undefined | null): Instant | undefined {
  if (!text) return undefined;
  const instant = Date.parse(text);
  return Number.isNaN(instant) ? undefined : instant;
}

function sleepWith(clock: Pick<Clock, "after">, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** The real clock. Timers are unref'd: waiting never keeps a process from ending. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, clampTimer(delayMs));
    if (typeof timer === "object") timer.unref?.();
    return () => clearTimeout(timer);
  },
  sleep: (delayMs, signal) => {
    // A sleep is awaited by somebody, so unlike a bare timer it keeps the process alive.
    return sleepWith(
      {
        after(ms, callback) {
          const timer = setTimeout(callback, clampTimer(ms));
          return () => clearTimeout(timer);
        },
      },
      delayMs,
      signal,
    );
  },
  random: () => Math.random(),
};

/** Wall-clock times are what people read and what is stored; `now` of this clock is for what is to happen in so many milliseconds. */
export interface SteadyClock extends Clock {
  /** The moment of this clock at which the wall clock, as it goes now, will show that time. */
  fromWall(at: Instant): Instant;
  /** What the wall clock, as it goes now, shows at that moment of this clock. */
  toWall(at: Instant): Instant;
}

/** The same clock, but `now` goes on evenly from what it was at the beginning, whatever happens to the wall clock. */
export function steadyClock(clock: Clock): SteadyClock {
  const start = clock.now() - clock.monotonic();
  const now = () => start + clock.monotonic();
  return { ...clock, now, fromWall: (at) => at - clock.now() + now(), toWall: (at) => at - now() + clock.now() };
}

/** A clock that only moves when told to, for tests: `advance(ms)` runs what falls due, in order. */
export interface FakeClock extends Clock {
  advance(ms: number): Promise<void>;
}

/** Starts at `start`; randomness is the constant `random` unless given as a function. */
export function fakeClock(start: Instant = 0, random: number | (() => number) = 0.5): FakeClock {
  let time = start;
  let order = 0;
  const timers: { at: Instant; order: number; callback: () => void }[] = [];
  const clock: FakeClock = {
    now: () => time,
    monotonic: () => time - start,
    after(delayMs, callback) {
      const timer = { at: time + clampTimer(delayMs), order: order++, callback };
      timers.push(timer);
      return () => {
        const index = timers.indexOf(timer);
        if (index >= 0) timers.splice(index, 1);
      };
    },
    sleep: (delayMs, signal) => sleepWith(clock, delayMs, signal),
    random: typeof random === "function" ? random : () => random,
    async advance(ms) {
      const end = time + ms;
      for (;;) {
        for (let i = 0; i < 10; i++) await Promise.resolve();
        timers.sort((a, b) => a.at - b.at || a.order - b.order);
        const next = timers[0];
        if (!next || next.at > end) break;
        timers.shift();
        time = Math.max(time, next.at);
        next.callback();
      }
      time = end;
      for (let i = 0; i < 10; i++) await Promise.resolve();
    },
  };
  return clock;
}
