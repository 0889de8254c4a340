/**
 * Starts the built product as a user would, for black-box tests: one process with its own data folder per spec file.
 * `npm test` has built it; this never builds anything else than what is there.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ROOT = path.resolve(import.meta.dirname, "..");

export interface ServerOptions {
  /** More environment, or `undefined` to unset what is set by default. */
  env?: Record<string, string | undefined>;
  /** A folder to use again, e.g. after `kill`; a new one otherwise. */
  dataDir?: string;
  /** How long it may take until /readyz answers 200. */
  readyWithinMs?: number;
}

export interface Server {
  url: string;
  port: number;
  pid: number;
  /** An API token with the administrator's rights. */
  token: string;
  admin: { email: string; password: string };
  dataDir: string;
  /** What it has printed so far. */
  log(): string;
  /** Sends a signal and waits until the process is gone. Data and instances stay: start again with the same `dataDir`. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Stops it and removes all of it: the process, its PostgreSQL, the instances it started, its folder. */
  stop(): Promise<void>;
}

/** Starts the product and waits until it is ready. Throws with its output when it does not become so. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const dataDir = options.dataDir ?? mkdtempSync(path.join(os.tmpdir(), "setpoint-e2e-"));
  const port = await freePort();
  const token = credential(dataDir, "token");
  const admin = { email: "admin@example.org", password: credential(dataDir, "password") };
  const env = environment({
    PORT: String(port),
    SETPOINT_DATA_DIR: dataDir,
    SETPOINT_ADMIN_EMAIL: admin.email,
    SETPOINT_ADMIN_PASSWORD: admin.password,
    SETPOINT_BOOTSTRAP_TOKEN: token,
    ...options.env,
  });
  const child = spawn(process.execPath, [path.join(ROOT, "lib", "setup", "start.mjs")], {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const url = `http://127.0.0.1:${port}`;
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await until(() => ended(child), 15_000, "the process did not end");
  };
  const stop = async () => {
    if (!ended(child)) await kill("SIGTERM");
    await cleanUp(dataDir);
  };
  try {
    await until(() => ended(child) || answers(`${url}/readyz`), options.readyWithinMs ?? 120_000, "it did not become ready");
    if (ended(child)) throw new Error("it ended");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const printed = output;
    // A folder that was given belongs to the caller, and may be in use by another process.
    if (options.dataDir === undefined) await stop();
    else if (!ended(child)) await kill("SIGKILL");
    throw new Error(`The product did not start (${why}). It printed:\n${printed}`, { cause: error });
  }
  return { url, port, pid: child.pid ?? 0, token, admin, dataDir, log: () => output, kill, stop };
}

/** The same folder gives the same credentials, so that a second start knows those of the first. */
function credential(dataDir: string, name: string): string {
  const kept = credentials.get(`${dataDir} ${name}`) ?? randomBytes(18).toString("base64url");
  credentials.set(`${dataDir} ${name}`, kept);
  return kept;
}
const credentials = new Map<string, string>();

/** Only what the product needs of ours, so that a developer's own settings change no test. */
function environment(own: Record<string, string | undefined>): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TMPDIR } = process.env;
  const given = { PATH, HOME, LANG, TMPDIR, NODE_ENV: "production" as const, ...own };
  return { ...given, NODE_ENV: "production" };
}

async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

const ended = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  await response?.body?.cancel();
  return response?.status === 200;
}

/** Waits for a state, with a deadline. */
export async function until(holds: () => boolean | Promise<boolean>, withinMs: number, otherwise: string): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${otherwise} within ${withinMs} ms`);
    await sleep(50);
  }
}

/** Ends what outlives the product on purpose, its PostgreSQL and its instances, and removes the folder. */
async function cleanUp(dataDir: string): Promise<void> {
  const left = () => processesOf(dataDir);
  for (const pid of left()) sendTo(pid, "SIGTERM");
  await until(() => left().length === 0, 5_000, "").catch(() => {
    for (const pid of left()) sendTo(pid, "SIGKILL");
  });
  await until(() => left().length === 0, 5_000, `processes of ${dataDir} are left`);
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
}

/** Processes that carry the folder in their command line, environment or working folder: whatever was started for it. */
function processesOf(dataDir: string): number[] {
  if (!existsSync("/proc/self/stat")) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      const at = `/proc/${pid}`;
      const texts = [
        () => readFileSync(`${at}/cmdline`, "utf8"),
        () => readFileSync(`${at}/environ`, "utf8"),
        () => readlinkSync(`${at}/cwd`),
      ];
      return texts.some((text) => orNothing(text).includes(dataDir));
    });
}

function orNothing(text: () => string): string {
  try {
    return text();
  } catch {
    // The process ended while it was looked at, or is somebody else's.
    return "";
  }
}

function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
