/** What one principal may ask of this process: requests a minute and streams open at once. Counted in memory; several processes each count for themselves. */
import { RateLimiterMemory } from "rate-limiter-flexible";
import { SetpointError } from "@/lib/errors";
import type { Principal } from "@/lib/policies/access";

/** Where a token says nothing else. Enough for the pages and for a busy client. */
const REQUESTS_A_MINUTE = 6_000;
const STREAMS = 100;
/** Of all principals together. */
const STREAMS_IN_ALL = 2_000;
/** Low limits are counted over a minute, high ones over ten seconds, so that nobody waits long. */
const SLOW = { seconds: 60, upTo: 600 };
const FAST_SECONDS = 10;
const STREAM_RETRY_SECONDS = 5;

export class Limits {
  private readonly slow = new RateLimiterMemory({ keyPrefix: "slow", points: 1, duration: SLOW.seconds });
  private readonly fast = new RateLimiterMemory({ keyPrefix: "fast", points: 1, duration: FAST_SECONDS });
  private readonly streams = new Map<string, number>();
  private open = 0;

  /** Counts one request. Throws TooManyRequests with the seconds to wait. The token of the configuration is not counted. */
  async request(principal: Principal): Promise<void> {
    const key = keyOf(principal);
    if (key === undefined) return;
    const most = principal.token?.limits?.requestsPerMinute ?? REQUESTS_A_MINUTE;
    const slow = most <= SLOW.upTo;
    // `penalty` counts without throwing, so that each token can have a limit of its own.
    const state = await (slow ? this.slow : this.fast).penalty(key, 1);
    if (state.consumedPoints <= (slow ? most : Math.floor((most * FAST_SECONDS) / 60))) return;
    throw new SetpointError("TooManyRequests", `${principal.name} may send ${most} requests a minute: wait as long as Retry-After says`, {
      retryAfterSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1_000)),
    });
  }

  /** Counts one stream until the function it gives is called; calling that twice is the same as once. Throws TooManyRequests. */
  stream(principal: Principal): () => void {
    const key = keyOf(principal);
    const held = key === undefined ? 0 : (this.streams.get(key) ?? 0);
    const most = principal.token?.limits?.streams ?? STREAMS;
    if (key !== undefined && held >= most) throw tooMany(`${principal.name} has ${held} streams open, and may have ${most}`);
    if (this.open >= STREAMS_IN_ALL) throw tooMany(`${this.open} streams are open, and this process serves no more`);
    if (key !== undefined) this.streams.set(key, held + 1);
    this.open += 1;
    let counted = true;
    return () => {
      if (!counted) return;
      counted = false;
      this.open -= 1;
      if (key === undefined) return;
      const left = (this.streams.get(key) ?? 1) - 1;
      if (left > 0) this.streams.set(key, left);
      else this.streams.delete(key);
    };
  }
}

function tooMany(why: string): SetpointError {
  return new SetpointError("TooManyRequests", `${why}: close one, or try again later`, { retryAfterSeconds: STREAM_RETRY_SECONDS });
}

/** By token, else by account; undefined for the token of the configuration. */
function keyOf({ token, userId }: Principal): string | undefined {
  if (token) return `token/${token.id}`;
  return userId === undefined ? undefined : `user/${userId}`;
}
