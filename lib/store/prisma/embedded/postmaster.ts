import { readFile, realpath, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { systemClock } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { dataOf, ROLE } from "./cluster";
import { commandOf, identityOf, type ProcessIdentity } from "./identity";
import type { Place } from "./place";

/** A server that runs on our data folder. */
export interface RunningServer {
  identity: ProcessIdentity;
  port: number;
  /** Resolves when it ends, if it is our own child; one that was adopted has to be asked after. */
  ended?: Promise<unknown>;
}

/** What the server says about itself in its data folder. */
export interface Postmaster {
  pid: number;
  port: number;
  ready: boolean;
}

const fileOf = (place: Place) => path.join(dataOf(place), "postmaster.pid");

/** Reads `postmaster.pid`; undefined when there is none. */
export async function readPostmaster(place: Place): Promise<Postmaster | undefined> {
  const text = await readFile(fileOf(place), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  // pid, data folder, start, port, socket folder, address, shared memory, status
  const lines = text.split("\n");
  return {
    pid: Math.abs(Number.parseInt(lines[0] ?? "", 10)),
    port: Number.parseInt(lines[3] ?? "", 10),
    ready: lines[7]?.trim() === "ready",
  };
}

/** The URL of a database of the server. */
export function urlOf(port: number, password: string, database: string): string {
  return `postgresql://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
}

/**
 * The server that an earlier Setpoint left behind, proven to be ours: the process is a PostgreSQL on this data folder, it takes our
 * password, and it names the same folder itself. Undefined when none runs; a stale file is dealt with.
 */
export async function findOrphan(place: Place, password: string): Promise<RunningServer | undefined> {
  const deadline = systemClock.monotonic() + 60_000;
  for (;;) {
    const postmaster = await readPostmaster(place);
    if (!postmaster || !(postmaster.pid > 0)) return undefined;
    const identity = await identityOf(postmaster.pid);
    if (!identity) return undefined;
    if (!(await runsOn(place, postmaster.pid))) {
      await disown(place);
      return undefined;
    }
    const answer = postmaster.ready ? await folderServedAt(postmaster.port, password) : undefined;
    if (answer === "refused") {
      throw new SetpointError(
        "InUse",
        `A PostgreSQL server (pid ${postmaster.pid}) runs on ${dataOf(place)} but does not take the password in ${path.join(place.home, "password")}.`,
      );
    }
    if (answer !== undefined && answer === (await realpath(dataOf(place)))) return { identity, port: postmaster.port };
    if (systemClock.monotonic() > deadline) {
      throw new SetpointError("InUse", `A PostgreSQL server (pid ${postmaster.pid}) runs on ${dataOf(place)} and does not become ready.`);
    }
    // It is starting, or on its way out.
    await systemClock.sleep(100);
  }
}

async function runsOn(place: Place, pid: number): Promise<boolean> {
  const command = await commandOf(pid);
  return command.includes("postgres") && command.includes(dataOf(place));
}

/**
 * The number in the file belongs to a stranger now. PostgreSQL itself would take that stranger for a server, so the number is
 * replaced by ours, which it knows to be its parent; the rest stays, because it proves that no old backend is left.
 */
async function disown(place: Place): Promise<void> {
  const [, ...rest] = (await readFile(fileOf(place), "utf8")).split("\n");
  const draft = `${fileOf(place)}.new`;
  await writeFile(draft, [String(process.pid), ...rest].join("\n"), { mode: 0o644 });
  await rename(draft, fileOf(place));
}

async function folderServedAt(port: number, password: string): Promise<string | "refused" | undefined> {
  try {
    return await withClient(urlOf(port, password, "postgres"), async (client) => {
      const result = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
      const folder = result.rows[0]?.folder;
      return folder === undefined ? undefined : await realpath(folder);
    });
  } catch (error) {
    // 28P01 wrong password, 28000 no such role: it answers, and it is not ours. Anything else may pass.
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    return code === "28P01" || code === "28000" ? "refused" : undefined;
  }
}

/** Creates our database when the server does not have it yet. */
export async function ensureDatabase(port: number, password: string): Promise<void> {
  await withClient(urlOf(port, password, "postgres"), async (client) => {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [ROLE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${ROLE}`);
  });
}

async function withClient<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000 });
  // A client without a listener ends the whole process when its connection breaks; queries report the same fault.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
