import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { systemClock } from "@/lib/clock";
import { findPlace } from "@/lib/store/prisma/embedded/place";

/** A real PostgreSQL server of a test's own, in a temporary folder, with a superuser that signs in by password. */
export interface TestPostgres {
  host: string;
  port: number;
  user: string;
  password: string;
  /** One statement as the superuser on a connection of its own; `database` is `postgres` unless given. */
  query(sql: string, values?: unknown[], database?: string): Promise<Record<string, unknown>[]>;
  /** Stops it in order (fast) and starts it again on the same port. */
  restart(): Promise<void>;
  /** Ends the postmaster with SIGKILL, or at once with SIGQUIT; `restart` brings it back. */
  kill(how?: "SIGKILL" | "SIGQUIT"): Promise<void>;
  /** Freezes and thaws the postmaster's accepting of connections. */
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  shared_buffers: "16MB",
  max_connections: "60",
  // Tests change a few catalogue rows over and over.
  autovacuum_naptime: "1s",
  jit: "off",
};

/** A port of this machine that nobody listens at just now. */
export async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  if (typeof address !== "object" || address === null) throw new Error("no free port");
  return address.port;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Starts a server from npm's binaries, as `nobody` when we are root. */
export async function startPostgres(settings: Partial<Record<keyof typeof SETTINGS, string>> = {}): Promise<TestPostgres> {
  const base = mkdtempSync(path.join(os.tmpdir(), "setpoint-postgres-"));
  chmodSync(base, 0o711);
  const { binaries, user: runAs } = await findPlace({ dataDir: base, dataDirConfigured: true, log: { info: () => undefined } });
  const home = path.join(base, "server");
  mkdirSync(home, { mode: 0o700 });
  if (runAs) chownSync(home, runAs.uid, runAs.gid);
  const [user, password] = ["keeper", randomBytes(12).toString("hex")];
  const passwordFile = path.join(home, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (runAs) chownSync(passwordFile, runAs.uid, runAs.gid);
  const options = {
    ...(runAs ?? {}),
    cwd: home,
    env: { NODE_ENV: "test" as const, LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin", HOME: home },
  };
  const data = path.join(home, "data");
  const initdb = spawn(
    path.join(binaries.folder, "bin/initdb"),
    ["-D", data, "-U", user, "--auth=scram-sha-256", `--pwfile=${passwordFile}`, "-N", "--no-locale", "-E", "UTF8"],
    { ...options, stdio: "ignore" },
  );
  await ended(initdb);
  if (initdb.exitCode !== 0) throw new Error(`initdb ended with ${initdb.exitCode}`);

  const host = "127.0.0.1";
  const port = await freePort();
  const query: TestPostgres["query"] = async (sql, values = [], database = "postgres") => {
    const client = new pg.Client({ host, port, user, password, database, connectionTimeoutMillis: 5_000 });
    // Tests stop servers under open connections.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  };
  const start = async () => {
    const flags = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(path.join(binaries.folder, "bin/postgres"), ["-D", data, "-p", String(port), ...flags], {
      ...options,
      detached: true,
      stdio: "ignore",
    });
    const deadline = systemClock.monotonic() + READY_WITHIN_MS;
    for (;;) {
      try {
        await query("select 1");
        return child;
      } catch (thrown) {
        if (child.exitCode !== null || systemClock.monotonic() > deadline) throw thrown;
        await systemClock.sleep(20);
      }
    }
  };
  /** After a kill -9 the old server's last processes may hold its memory for a moment, and the new one ends at once. */
  const startPatiently = async () => {
    const deadline = systemClock.monotonic() + READY_WITHIN_MS;
    for (;;) {
      try {
        return await start();
      } catch (thrown) {
        if (systemClock.monotonic() > deadline) throw thrown;
        await systemClock.sleep(50);
      }
    }
  };
  let child = await start();
  const stopAtExit = () => void child.kill("SIGQUIT");
  process.once("exit", stopAtExit);
  const halt = async (signal: NodeJS.Signals) => {
    child.kill("SIGCONT");
    child.kill(signal);
    await ended(child);
  };
  return {
    ...{ host, port, user, password, query },
    async restart() {
      await halt("SIGINT");
      child = await startPatiently();
    },
    kill: (how = "SIGKILL") => halt(how),
    signal: (name) => void child.kill(name),
    async stop() {
      process.off("exit", stopAtExit);
      await halt("SIGINT");
      rmSync(base, { recursive: true, force: true });
    },
  };
}
