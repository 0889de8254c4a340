import { type Cancel, systemClock } from "@/lib/clock";

/** One timer for every clock on the page. */
const listeners = new Set<() => void>();
let users = 0;
let cancel: Cancel | undefined;
let lastTick = 0;

function tick(): void {
  lastTick = systemClock.now();
  for (const listener of listeners) listener();
  // Aligned to the second, so that all countdowns turn together.
  cancel = systemClock.after(1000 - (lastTick % 1000), tick);
}

/** Keeps the timer running while anybody uses it; returns what gives it up. */
export function startTicker(): Cancel {
  users++;
  if (users === 1) tick();
  return () => {
    users--;
    if (users === 0) cancel?.();
  };
}

export function subscribeTick(listener: () => void): Cancel {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The browser's time at the last tick, rounded down so that a slow clock redraws rarely. */
export function tickNow(everyMs: number): number {
  if (lastTick === 0) lastTick = systemClock.now();
  return Math.floor(lastTick / everyMs) * everyMs;
}
