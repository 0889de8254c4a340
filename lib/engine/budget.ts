import type { Instant } from "@/lib/clock";
import type { SetpointError } from "@/lib/errors";
import type { Band } from "./workqueue";

/** What one account on one target is asked to bear, per worker. One call is one pass: a look and what follows from it. */
export interface TargetLimits {
  /** Calls a second, in the long run. */
  perSecond: number;
  /** Calls that may come at once after a quiet time. */
  burst: number;
  /** Calls in flight. */
  atOnce: number;
}

export const TARGET_LIMITS: TargetLimits = { perSecond: 250, burst: 500, atOnce: 4 };

/** So many objects in a row without an answer, and nobody calls but one at a time. Fewer keep to appointments of their own. */
export const OPENS_AFTER = 5;
const OPEN_BASE_MS = 2_000;
export const OPEN_CAP_MS = 60_000;
const FAIR_SHARE = 8;
/** A target that says when to come back is believed up to this. */
const LONGEST_RETRY_AFTER_MS = 600_000;

export type Admission =
  | { go: true }
  /** `down`: it does not answer, `at` is when the next one may try. `busy`: too many calls just now, `at` is when to ask again. */
  | { go: false; at: Instant; because: "down" | "busy" };

/**
 * Token bucket, concurrency limit and circuit breaker of one account. Tokens are taken when a call begins, so a key that waits costs
 * none however often it is added. Knows no clock: the caller says what time it is, and a wall clock that jumps costs at most one
 * period. Closed, open until `probeAt`, then half-open: one call at a time until one is answered.
 */
export class TargetBudget {
  private tokens: number;
  private filledAt: Instant;
  private running = 0;
  private granted = 0;
  /** Whose calls had no answer since the last that had one. */
  private readonly silent = new Set<string>();
  private opened = 0;
  private probeAt?: Instant;
  private probing = false;
  /** Per band, when the last one that was sent away comes back: so that a thousand waiting do not come back together. */
  private readonly lines: [Instant, Instant, Instant, Instant] = [0, 0, 0, 0];
  /** Why nothing answers; undefined while it does. */
  error?: SetpointError;
  openSince?: Instant;
  usedAt: Instant;

  constructor(
    private readonly limits: TargetLimits,
    now: Instant,
  ) {
    this.tokens = limits.burst;
    this.filledAt = now;
    this.usedAt = now;
  }

  get open(): boolean {
    return this.probeAt !== undefined;
  }

  /** When the next call may find out whether it answers again; undefined while it answers. */
  get nextProbeAt(): Instant | undefined {
    return this.probeAt;
  }

  get inFlight(): number {
    return this.running;
  }

  /** Asks for one call. `go` must be followed by exactly one of `answered`, `unanswered` and `neither`. */
  take(now: Instant, band: Band): Admission {
    this.usedAt = now;
    this.fill(now);
    if (this.probeAt !== undefined) {
      const early = now < this.probeAt && this.probeAt - now <= LONGEST_RETRY_AFTER_MS;
      if (early) return { go: false, at: this.probeAt, because: "down" };
      if (this.probing) return { go: false, at: now + OPEN_BASE_MS, because: "down" };
      this.probing = true;
    } else if (this.tokens < 1 + this.reserved(now, band) || this.running >= this.limits.atOnce) {
      return { go: false, at: this.lineUp(now, band), because: "busy" };
    }
    this.tokens = Math.max(0, this.tokens - 1);
    this.running += 1;
    this.granted += 1;
    return { go: true };
  }

  /** It answered, whatever it said. True when that ends an outage. */
  answered(): boolean {
    this.end();
    const recovered = this.open;
    this.silent.clear();
    this.opened = 0;
    this.probeAt = undefined;
    this.openSince = undefined;
    this.error = undefined;
    return recovered;
  }

  /** It gave no answer to `who`, or asked for peace. True when that begins an outage. */
  unanswered(who: string, error: SetpointError, now: Instant, random: number): boolean {
    const probe = this.probing;
    this.end();
    if (this.silent.size < OPENS_AFTER) this.silent.add(who);
    const asked = error.retryAfterSeconds;
    // Calls that had begun before it opened say nothing new.
    if (this.open && !probe) return false;
    if (this.silent.size < OPENS_AFTER && asked === undefined) return false;
    const began = !this.open;
    const pauseMs = Math.min(OPEN_CAP_MS, OPEN_BASE_MS * 2 ** Math.min(this.opened, 20)) * (0.5 + random / 2);
    const askedMs = asked === undefined ? 0 : Math.min(asked * 1000, LONGEST_RETRY_AFTER_MS);
    this.probeAt = now + Math.max(pauseMs, askedMs);
    this.opened += 1;
    this.openSince ??= now;
    this.error = error;
    return began;
  }

  /** The call ended without telling anything about the target: it was not made, or the account was refused. */
  neither(): void {
    this.end();
  }

  private end(): void {
    this.running = Math.max(0, this.running - 1);
    this.probing = false;
  }

  private fill(now: Instant): void {
    const elapsed = Math.max(0, now - this.filledAt);
    this.tokens = Math.min(this.limits.burst, this.tokens + (elapsed / 1000) * this.limits.perSecond);
    this.filledAt = now;
  }

  /** Tokens that are kept for more urgent keys in line. Every eighth call is for whoever asks, so that nothing starves. */
  private reserved(now: Instant, band: Band): number {
    if (this.granted % FAIR_SHARE === FAIR_SHARE - 1) return 0;
    return this.lines.slice(0, band).reduce((sum, last) => sum + Math.ceil((Math.max(0, last - now) / 1000) * this.limits.perSecond), 0);
  }

  private lineUp(now: Instant, band: Band): Instant {
    const spacing = 1000 / this.limits.perSecond;
    const soonest = now + Math.max(1, (1 - this.tokens) * spacing);
    const last = this.lines[band];
    // A line that lies implausibly far ahead is a clock that was set back.
    const at = Math.max(soonest, last - now > LONGEST_RETRY_AFTER_MS ? 0 : last + spacing);
    this.lines[band] = at;
    return at;
  }
}
