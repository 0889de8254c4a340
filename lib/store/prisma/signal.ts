import pg from "pg";
import type { Cancel, Clock } from "@/lib/clock";
import type { ChangeSignal } from "..";

/** How often the feed is looked at without a notification. */
const POLL_MS = { healthy: 5_000, unhealthy: 1_000 };
const PROBE_MS = 10_000;
const PROBE_TIMEOUT_MS = 5_000;
const CHANNEL = "setpoint_change";
/** Payload: the uid somebody wants looked at now. */
export const WAKE_CHANNEL = "setpoint_wake";
/** Leases changed hands, or may be taken now. */
const LEASE_CHANNEL = "setpoint_lease";
const PROBE_CHANNEL = "setpoint_probe";

/**
 * LISTEN as a hint: one dedicated connection that proves itself by a round trip every 10 s and is replaced when it does not
 * answer, and a poll that never stops, so that nothing depends on it. With `notify` off there is only the poll.
 */
export function changeSignal(
  databaseUrl: string,
  clock: Clock,
  notify: boolean,
  log: (message: string) => void,
): ChangeSignal & { close(): Promise<void> } {
  const listeners = new Set<(uid?: string) => void>();
  const moveListeners = new Set<() => void>();
  let client: pg.Client | undefined;
  let healthy = false;
  let closed = false;
  let failures = 0;
  let cancelPoll: Cancel = () => {};
  let cancelProbe: Cancel = () => {};

  const wake = (uid?: string) => {
    for (const listener of listeners) listener(uid);
  };
  const poll = () => {
    if (closed) return;
    wake();
    cancelPoll = clock.after(healthy ? POLL_MS.healthy : POLL_MS.unhealthy, poll);
  };

  const lose = (dead: pg.Client, why: string) => {
    if (client !== dead || closed) return;
    client = undefined;
    healthy = false;
    failures += 1;
    log(`store: notifications lost (${why}); polling meanwhile`);
    dead.end().catch(() => undefined);
    cancelProbe();
    cancelPoll();
    poll();
    clock.after(Math.min(30_000, 500 * 2 ** Math.min(failures, 6)) * (0.5 + clock.random() / 2), connect);
  };

  const probe = (current: pg.Client) => {
    if (client !== current || closed) return;
    const overdue = clock.after(PROBE_TIMEOUT_MS, () => lose(current, "no answer to a probe"));
    current.once("setpoint-probe", () => {
      overdue();
      cancelProbe = clock.after(PROBE_MS, () => probe(current));
    });
    current.query(`notify ${PROBE_CHANNEL}`).catch((error: Error) => lose(current, error.message));
  };

  const connect = async () => {
    if (closed) return;
    const next = new pg.Client({
      connectionString: databaseUrl,
      keepAlive: true,
      connectionTimeoutMillis: 5_000,
      // A connection that goes silent while it is being set up is replaced like one that does later.
      query_timeout: PROBE_TIMEOUT_MS,
      application_name: "setpoint-listen",
    });
    client = next;
    next.on("error", (error) => lose(next, error.message));
    next.on("end", () => lose(next, "connection ended"));
    next.on("notification", ({ channel, payload }) => {
      if (channel === PROBE_CHANNEL) next.emit("setpoint-probe");
      else if (channel === LEASE_CHANNEL) for (const listener of moveListeners) listener();
      else wake(channel === WAKE_CHANNEL ? payload : undefined);
    });
    try {
      await next.connect();
      await next.query(`listen ${CHANNEL}; listen ${WAKE_CHANNEL}; listen ${LEASE_CHANNEL}; listen ${PROBE_CHANNEL}`);
      healthy = true;
      failures = 0;
      // Whatever was said meanwhile was missed: everything is read again.
      wake();
      for (const listener of moveListeners) listener();
      probe(next);
    } catch (error) {
      lose(next, error instanceof Error ? error.message : String(error));
    }
  };

  poll();
  if (notify) void connect();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onMove(listener) {
      moveListeners.add(listener);
      return () => moveListeners.delete(listener);
    },
    healthy: () => healthy,
    async close() {
      closed = true;
      cancelPoll();
      cancelProbe();
      listeners.clear();
      moveListeners.clear();
      await client?.end().catch(() => undefined);
    },
  };
}
