/** Limits on guessing. In memory of this process: a restart forgets, several processes each count for themselves. */
import { RateLimiterMemory } from "rate-limiter-flexible";

/** Failed attempts and the seconds they count for: by account and address, by account, by address, and by everybody. */
const LIMITS = {
  pair: { points: 5, duration: 300 },
  account: { points: 20, duration: 900 },
  address: { points: 50, duration: 900 },
  all: { points: 600, duration: 60 },
};

export interface Attempts {
  /** Counts an attempt as failed before it is made, so that many at once cannot pass. Seconds to wait; 0 when it may be made. */
  take(account: string, address: string): Promise<number>;
  /** It was the right password after all. */
  succeeded(account: string, address: string): Promise<void>;
}

export function signInAttempts(): Attempts {
  const limiters = Object.entries(LIMITS).map(([name, limit]) => ({
    name,
    limiter: new RateLimiterMemory({ keyPrefix: name, ...limit }),
    points: limit.points,
    keyOf: (account: string, address: string) => ({ pair: `${account}|${address}`, account, address })[name] ?? "all",
  }));
  return {
    async take(account, address) {
      const waits = await Promise.all(
        limiters.map(async ({ limiter, points, keyOf }) => {
          // `penalty` counts without throwing.
          const state = await limiter.penalty(keyOf(account, address), 1);
          return state.consumedPoints > points ? Math.max(1, Math.ceil(state.msBeforeNext / 1000)) : 0;
        }),
      );
      return Math.max(0, ...waits);
    },
    async succeeded(account, address) {
      await Promise.all(
        limiters.map(({ name, limiter, keyOf }) =>
          name === "pair" ? limiter.delete(keyOf(account, address)) : limiter.reward(keyOf(account, address), 1),
        ),
      );
    },
  };
}
