import { createHash } from "node:crypto";
import pg from "pg";
import type { Cancel, Clock } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { asTargetError } from "./errors";
import type { Target } from "./model";

/** Connections at once per server and user, over all its databases. */
const MOST_PER_SERVER = 4;
const CONNECT_WITHIN_MS = 5_000;
/** The server ends what takes longer, even when we are gone. */
const STATEMENT_WITHIN_MS = 8_000;
const IDLE_FOR_MS = 10_000;

export interface Session {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

interface Held {
  client: pg.Client;
  key: string;
  dead: boolean;
  cancelIdle?: Cancel;
}

interface Server {
  busy: number;
  idle: Held[];
  waiting: (() => void)[];
}

function tlsOf({ tls, host }: Target): pg.ClientConfig["ssl"] {
  if (tls === false || tls === "disable") return false;
  return tls === "require" ? { rejectUnauthorized: false } : { rejectUnauthorized: true, servername: host };
}

/** Few connections per server, used one caller at a time, closed when idle. Nothing that happens to one ends the process. */
export class Connections {
  private readonly servers = new Map<string, Server>();
  private closed = false;

  constructor(private readonly clock: Clock) {}

  /** Runs `work` on a connection to `database`. A connection whose work failed or was aborted is not used again. */
  async use<T>(target: Target, database: string, signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    const where = `PostgreSQL at ${target.host}:${target.port}`;
    const server = this.serverOf(target);
    await this.slot(server, signal);
    let held: Held | undefined;
    const stop = () => held && cut(held);
    try {
      held = this.takeIdle(server, keyOf(target, database)) ?? this.prepare(target, database);
      signal.addEventListener("abort", stop, { once: true });
      signal.throwIfAborted();
      if (held.cancelIdle === undefined) await held.client.connect();
      const result = await work(held.client);
      this.giveBack(server, held);
      return result;
    } catch (thrown) {
      if (held) cut(held);
      throw signal.aborted && signal.reason instanceof SetpointError ? signal.reason : asTargetError(thrown, where);
    } finally {
      signal.removeEventListener("abort", stop);
      server.busy -= 1;
      server.waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const server of this.servers.values()) for (const held of server.idle.splice(0)) cut(held);
  }

  private serverOf({ host, port, user }: Target): Server {
    const key = JSON.stringify([host, port, user]);
    const server = this.servers.get(key) ?? { busy: 0, idle: [], waiting: [] };
    this.servers.set(key, server);
    return server;
  }

  private async slot(server: Server, signal: AbortSignal): Promise<void> {
    while (server.busy >= MOST_PER_SERVER) {
      signal.throwIfAborted();
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          signal.removeEventListener("abort", stop);
          resolve();
        };
        const stop = () => {
          server.waiting.splice(server.waiting.indexOf(go), 1);
          reject(signal.reason);
        };
        server.waiting.push(go);
        signal.addEventListener("abort", stop, { once: true });
      });
    }
    server.busy += 1;
    // Idle connections to other databases count too.
    while (server.busy + server.idle.length > MOST_PER_SERVER + 1) {
      const oldest = server.idle.shift();
      if (oldest) cut(oldest);
    }
  }

  private takeIdle(server: Server, key: string): Held | undefined {
    const held = server.idle.findLast((candidate) => candidate.key === key && !candidate.dead);
    if (!held) return undefined;
    server.idle = server.idle.filter((candidate) => candidate !== held && !candidate.dead);
    held.cancelIdle?.();
    return held;
  }

  private prepare(target: Target, database: string): Held {
    const client = new pg.Client({
      host: target.host,
      port: target.port,
      user: target.user,
      // Never from the environment of this process.
      password: target.password ?? "",
      database,
      ssl: tlsOf(target),
      application_name: "setpoint",
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      query_timeout: STATEMENT_WITHIN_MS + 2_000,
      statement_timeout: STATEMENT_WITHIN_MS,
      lock_timeout: STATEMENT_WITHIN_MS / 2,
      idle_in_transaction_session_timeout: STATEMENT_WITHIN_MS,
      keepAlive: true,
    });
    const held: Held = { client, key: keyOf(target, database), dead: false };
    // Without a listener a server's restart would end this process.
    client.on("error", () => {
      held.dead = true;
    });
    client.on("end", () => {
      held.dead = true;
    });
    return held;
  }

  private giveBack(server: Server, held: Held): void {
    if (held.dead || this.closed) {
      cut(held);
      return;
    }
    held.cancelIdle = this.clock.after(IDLE_FOR_MS, () => {
      server.idle = server.idle.filter((candidate) => candidate !== held);
      cut(held);
    });
    server.idle.push(held);
  }
}

function keyOf(target: Target, database: string): string {
  const password = createHash("sha256")
    .update(target.password ?? "")
    .digest("hex");
  return JSON.stringify([database, password, target.tls]);
}

/** Ends a connection now; whatever is pending on it fails. */
function cut(held: Held): void {
  held.dead = true;
  held.cancelIdle?.();
  // `end` on a connection that is busy destroys its socket, on an idle one it says goodbye; its failure says nothing new.
  held.client.end().catch(() => undefined);
}
