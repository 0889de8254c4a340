import type { ChangeNotice } from "@/lib/api/contract";
import { type Cancel, type Clock, fromIso, type Instant } from "@/lib/clock";
import type { Urgency } from "./keys";

/** `live`: the stream is open. `polling`: no stream, answers still come. `stale`: nothing has answered since `lastOkAt`. */
export type LiveStatus = "connecting" | "live" | "reconnecting" | "polling" | "stale" | "paused";

export interface LiveState {
  status: LiveStatus;
  /** Server time minus this browser's, in milliseconds. */
  offsetMs: number;
  /** Browser time of the last sign of life; undefined before the first. */
  lastOkAt?: Instant;
  /** Notices held back while paused. */
  held: number;
}

/** What the hub needs of an event stream; `EventSource` in the browser. */
export interface Stream {
  readonly readyState: number;
  addEventListener(type: string, listener: (event: { data?: string }) => void): void;
  close(): void;
}

export interface LiveOptions {
  clock: Clock;
  open: () => Stream;
  /** Outdates what the notices concern; `"everything"` after a gap. */
  outdate: (notices: readonly ChangeNotice[] | "everything", urgency: Urgency | "everything") => void;
  /** One request that proves the server answers: its time, as ISO 8601. */
  probe: () => Promise<string>;
}

const CLOSED = 2;
const POLL_MS = 15_000;
const REOPEN_FIRST_MS = 1000;
/** How long notices are gathered before the cache is asked to refetch. */
const BATCH_MS: Record<Urgency, number> = { object: 150, list: 1000, total: 3000 };
const URGENCIES: Urgency[] = ["object", "list", "total"];

/** The one event stream of a tab: gathers notices, measures the server's clock, polls while there is no stream. */
export class LiveHub {
  #state: LiveState = { status: "connecting", offsetMs: 0, held: 0 };
  #listeners = new Set<() => void>();
  #stream: Stream | undefined;
  #pending: Record<Urgency, Map<string, ChangeNotice>> = { object: new Map(), list: new Map(), total: new Map() };
  #timers = new Map<Urgency | "poll" | "reopen", Cancel>();
  #reopenMs = REOPEN_FIRST_MS;
  #interrupted = false;
  #paused = false;
  #missedAll = false;

  constructor(private readonly options: LiveOptions) {}

  getState = (): LiveState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  start(): void {
    if (!this.#stream && !this.#timers.has("reopen")) this.#open();
  }

  stop(): void {
    this.#stream?.close();
    this.#stream = undefined;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  /** Holds everything back until resumed; then what was missed is caught up at once. */
  setPaused(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    if (!paused) {
      if (this.#missedAll) this.#everything();
      else for (const urgency of URGENCIES) this.#flush(urgency);
    }
    this.#set({ held: paused ? this.#state.held : 0, status: paused ? "paused" : this.#unpausedStatus() });
  }

  #unpausedStatus(): LiveStatus {
    if (this.#stream && !this.#interrupted) return this.#state.lastOkAt === undefined ? "connecting" : "live";
    return "reconnecting";
  }

  #open(): void {
    const stream = this.options.open();
    this.#stream = stream;
    stream.addEventListener("hello", (event) => this.#hello(event.data));
    stream.addEventListener("change", (event) => this.#change(event.data));
    stream.addEventListener("gap", () => {
      this.#alive();
      this.#everything();
    });
    stream.addEventListener("error", () => this.#broken(stream));
  }

  #hello(data: string | undefined): void {
    const server = fromIso(readServerTime(data));
    if (server !== undefined) this.#set({ offsetMs: server - this.options.clock.now() });
    this.#cancel("poll");
    this.#reopenMs = REOPEN_FIRST_MS;
    // The stream resumes only where the browser itself reconnected; asking again is cheap and always right.
    const missed = this.#interrupted;
    this.#interrupted = false;
    this.#alive();
    if (missed) this.#everything();
  }

  #alive(): void {
    this.#set({ lastOkAt: this.options.clock.now(), status: this.#paused ? "paused" : "live" });
  }

  #change(data: string | undefined): void {
    this.#alive();
    const notices = readNotices(data);
    for (const notice of notices) {
      const key = `${notice.kind}/${notice.namespace}/${notice.name}`;
      for (const urgency of URGENCIES) this.#pending[urgency].set(key, notice);
    }
    if (this.#paused) {
      this.#set({ held: this.#pending.object.size });
      return;
    }
    for (const urgency of URGENCIES) if (!this.#timers.has(urgency)) this.#after(urgency, BATCH_MS[urgency], () => this.#flush(urgency));
  }

  #flush(urgency: Urgency): void {
    const notices = [...this.#pending[urgency].values()];
    if (notices.length === 0 || this.#paused) return;
    this.#pending[urgency].clear();
    this.options.outdate(notices, urgency);
  }

  #everything(): void {
    if (this.#paused) {
      this.#missedAll = true;
      return;
    }
    this.#missedAll = false;
    for (const urgency of URGENCIES) this.#pending[urgency].clear();
    this.options.outdate("everything", "everything");
  }

  #broken(stream: Stream): void {
    if (stream !== this.#stream) return;
    this.#interrupted = true;
    if (this.#state.status === "live" || this.#state.status === "connecting") this.#set({ status: "reconnecting" });
    if (!this.#timers.has("poll")) this.#after("poll", POLL_MS, () => void this.#poll());
    if (stream.readyState !== CLOSED) return;
    // The browser gave up (the server refused the stream): open a new one ourselves, ever more slowly.
    stream.close();
    this.#stream = undefined;
    this.#after("reopen", this.#reopenMs, () => this.#open());
    this.#reopenMs = Math.min(this.#reopenMs * 2, POLL_MS);
  }

  async #poll(): Promise<void> {
    try {
      const server = fromIso(await this.options.probe());
      const now = this.options.clock.now();
      if (!this.#interrupted) return;
      this.#set({
        lastOkAt: now,
        status: this.#paused ? "paused" : "polling",
        ...(server === undefined ? {} : { offsetMs: server - now }),
      });
      this.#everything();
    } catch {
      // Not an error to show by itself: the pill says since when nothing has answered, and the next poll tries again.
      this.#set({ status: this.#paused ? "paused" : "stale" });
    }
    if (this.#interrupted) this.#after("poll", POLL_MS, () => void this.#poll());
  }

  #after(name: Urgency | "poll" | "reopen", delayMs: number, run: () => void): void {
    this.#cancel(name);
    const cancel = this.options.clock.after(delayMs, () => {
      this.#timers.delete(name);
      run();
    });
    this.#timers.set(name, cancel);
  }

  #cancel(name: Urgency | "poll" | "reopen"): void {
    this.#timers.get(name)?.();
    this.#timers.delete(name);
  }

  #set(change: Partial<LiveState>): void {
    const next = { ...this.#state, ...change };
    const same = next.status === this.#state.status && next.offsetMs === this.#state.offsetMs && next.held === this.#state.held;
    this.#state = next;
    // A sign of life alone changes nothing that is drawn while the stream is up.
    if (!same || next.status !== "live") for (const listener of this.#listeners) listener();
  }
}

function readServerTime(data: string | undefined): string | undefined {
  const value = readJson(data);
  return typeof value === "object" && value !== null && "serverTime" in value && typeof value.serverTime === "string"
    ? value.serverTime
    : undefined;
}

function readNotices(data: string | undefined): ChangeNotice[] {
  const value = readJson(data);
  return Array.isArray(value) ? value.filter(isNotice) : [];
}

function isNotice(value: unknown): value is ChangeNotice {
  return typeof value === "object" && value !== null && "kind" in value && "namespace" in value && "name" in value;
}

function readJson(data: string | undefined): unknown {
  try {
    return JSON.parse(data ?? "null");
  } catch {
    // A broken line is a lost hint; the next one or the next poll brings the same news.
    return undefined;
  }
}
