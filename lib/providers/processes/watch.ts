import type { Cancel, Clock } from "@/lib/clock";
import type { Identity } from "./contract";
import { identityText, lives } from "./proc";

const POLL_MS = 500;

export interface Watched extends Identity {
  uid: string;
  ordinal: number;
  /** A child of this process: its exit event says more, and sooner. */
  own: boolean;
}

/**
 * Notices that a known process ended and says whose it was. Only a hint: own children are reported at once by their exit, adopted ones
 * by a cheap look (one small file each) twice a second, and what both miss is found by the next resync.
 */
export class Watch {
  readonly #clock: Clock;
  readonly #onGone: (gone: Watched) => void;
  readonly #known = new Map<string, Watched>();
  readonly #listeners = new Set<(uid: string) => void>();
  #timer: Cancel | undefined;

  constructor(clock: Clock, onGone: (gone: Watched) => void) {
    this.#clock = clock;
    this.#onGone = onGone;
  }

  subscribe(wake: (uid: string) => void): () => void {
    // A wrapper of its own, so that one function subscribed twice is two subscriptions.
    const listener = (uid: string) => wake(uid);
    this.#listeners.add(listener);
    this.#schedule();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#timer?.();
      this.#timer = undefined;
    };
  }

  add(process: Watched): void {
    this.#known.set(identityText(process), process);
  }

  /** Its end is known already, or is our own doing: nobody needs to be woken. */
  drop(process: Identity): void {
    this.#known.delete(identityText(process));
  }

  wake(uid: string): void {
    for (const listener of this.#listeners) listener(uid);
  }

  *known(): Iterable<Watched> {
    yield* this.#known.values();
  }

  #schedule(): void {
    if (this.#timer || this.#listeners.size === 0) return;
    this.#timer = this.#clock.after(POLL_MS, () => {
      this.#timer = undefined;
      this.#poll();
      this.#schedule();
    });
  }

  #poll(): void {
    const gone = [...this.#known.values()].filter((process) => !process.own && !lives(process));
    for (const process of gone) {
      this.#known.delete(identityText(process));
      this.#onGone(process);
    }
    for (const uid of new Set(gone.map((process) => process.uid))) this.wake(uid);
  }
}
