import { spawn } from "node:child_process";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { type EmbeddedServer, startEmbedded } from ".";
import { identityOf, isAlive } from "./identity";

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const asRoot = process.getuid?.() === 0;

let folder: string;
const lines: string[] = [];
const log = { info: (line: string) => lines.push(line), warn: (line: string) => lines.push(line) };

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "setpoint-embedded-"));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function ask(url: string, text: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

async function until<T>(look: () => Promise<T | undefined>, withinMs = 30_000): Promise<T> {
  const deadline = systemClock.monotonic() + withinMs;
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
    if (systemClock.monotonic() > deadline) throw new Error(`not within ${withinMs} ms`);
    await systemClock.sleep(20);
  }
}

const pidIn = async (dataDir: string) =>
  Number((await readFile(path.join(dataDir, "postgres/data/postmaster.pid"), "utf8")).split("\n")[0]);

describe("the embedded server", () => {
  let dataDir: string;
  let server: EmbeddedServer;
  beforeAll(async () => {
    dataDir = path.join(folder, "main");
    server = await startEmbedded({ dataDir, log });
  });
  afterAll(() => server.close());

  test("keeps what it acknowledges: fsync and synchronous commit are on", async () => {
    expect(await ask(server.url, "show fsync")).toBe("on");
    expect(await ask(server.url, "show synchronous_commit")).toBe("on");
  });

  test("listens on loopback only, and takes nobody without its password", async () => {
    expect(await ask(server.url, "show listen_addresses")).toBe("127.0.0.1");
    expect(await ask(server.url, "show unix_socket_directories")).toBe("");
    const wrong = new URL(server.url);
    wrong.password = "wrong";
    await expect(ask(wrong.href, "select 1")).rejects.toMatchObject({ code: "28P01" });
    expect((await stat(path.join(dataDir, "postgres/password"))).mode & 0o777).toBe(0o600);
  });

  test.runIf(asRoot)("does not run as root, and reads data nobody else may read", async () => {
    expect((await stat(`/proc/${await pidIn(dataDir)}`)).uid).toBe(65534);
    expect((await stat(path.join(dataDir, "postgres/data"))).mode & 0o777).toBe(0o700);
  });

  test("belongs to one process: a second start on the folder is refused and harms nothing", async () => {
    await expect(startEmbedded({ dataDir, log })).rejects.toMatchObject({
      reason: "InUse",
      message: expect.stringContaining(`pid ${process.pid}`),
    });
    expect(await ask(server.url, "select 1")).toBe(1);
  });

  test("runs again at the same address after it was killed, with what was committed", async () => {
    await ask(server.url, "create table kept as select 42 as answer");
    const before = await pidIn(dataDir);
    process.kill(before, "SIGKILL");
    expect(
      await until(async () => ((await pidIn(dataDir)) === before ? undefined : await ask(server.url, "select answer from kept"))),
    ).toBe(42);
  });
});

/** Starts an embedded server in a process of its own and kills that process, so that the server is left over. */
async function abandon(dataDir: string): Promise<number> {
  const script = `import { startEmbedded } from "@/lib/store/prisma/embedded";
    const log = { info() {}, warn() {} };
    await startEmbedded({ dataDir: ${JSON.stringify(dataDir)}, log });
    process.kill(process.pid, "SIGKILL");`;
  const file = path.join(ROOT, "lib/store/prisma/embedded", `.abandon-${process.pid}.mts`);
  await writeFile(file, script);
  try {
    const child = spawn(process.execPath, ["--import", "tsx", file], { cwd: ROOT, stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => {
      errors += chunk.toString();
    });
    const signal = await new Promise((resolve) => child.on("close", (_code, name) => resolve(name)));
    expect(signal, errors).toBe("SIGKILL");
  } finally {
    await rm(file, { force: true });
  }
  return pidIn(dataDir);
}

describe("after a crash of Setpoint", () => {
  test("the server that is left over is adopted, not started twice, and stops with its new owner", async () => {
    const dataDir = path.join(folder, "orphan");
    const orphan = await abandon(dataDir);
    const identity = await identityOf(orphan);
    const server = await startEmbedded({ dataDir, log });
    expect(await pidIn(dataDir)).toBe(orphan);
    expect(await ask(server.url, "select 1")).toBe(1);
    await server.close();
    expect(identity && (await isAlive(identity))).toBe(false);
  });

  test("a pid file whose number now belongs to somebody else is no server, and that process is left alone", async () => {
    const dataDir = path.join(folder, "orphan");
    const stranger = spawn("sleep", ["600"], { ...(asRoot ? { uid: 65534, gid: 65534 } : {}) });
    try {
      const lines = [stranger.pid, path.join(dataDir, "postgres/data"), 1, 5432, "", "127.0.0.1", "  12345         1", "ready   "];
      const file = path.join(dataDir, "postgres/data/postmaster.pid");
      await writeFile(file, `${lines.join("\n")}\n`);
      await chmod(file, 0o644);
      const server = await startEmbedded({ dataDir, log });
      expect(await ask(server.url, "select 1")).toBe(1);
      await server.close();
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    } finally {
      stranger.kill("SIGKILL");
    }
  });

  test("what a creation that was cut off left behind does not count as data", async () => {
    const dataDir = path.join(folder, "half");
    await mkdir(path.join(dataDir, "postgres/init-dead"), { recursive: true });
    const server = await startEmbedded({ dataDir, log });
    expect(await ask(server.url, "select 1")).toBe(1);
    await server.close();
    await expect(stat(path.join(dataDir, "postgres/init-dead"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

describe.runIf(asRoot)("as root, below a folder that is closed to others", () => {
  test("a configured data folder is refused with the folder in the way", async () => {
    const closed = path.join(folder, "closed");
    await mkdir(closed, { mode: 0o700 });
    await expect(startEmbedded({ dataDir: path.join(closed, "data"), log })).rejects.toMatchObject({
      reason: "Unsupported",
      message: expect.stringContaining(`${closed} is closed to others`),
    });
    expect((await stat(closed)).mode & 0o777).toBe(0o700);
  });

  test("when nothing was configured, data is kept elsewhere, the log says where, and the next start finds it", async () => {
    const dataDir = path.join(folder, "closed", "default");
    const sharedRoot = path.join(folder, "shared");
    const first = await startEmbedded({ dataDir, dataDirConfigured: false, sharedRoot, log });
    await ask(first.url, "create table kept as select 7 as answer");
    await first.close();
    expect(lines.some((line) => line.includes(`keeps its data in ${sharedRoot}`))).toBe(true);
    const second = await startEmbedded({ dataDir, dataDirConfigured: false, sharedRoot, log });
    expect(await ask(second.url, "select answer from kept")).toBe(7);
    await second.close();
  });
});

test("data of another major version of PostgreSQL is refused and left alone", async () => {
  const dataDir = path.join(folder, "old");
  await mkdir(path.join(dataDir, "postgres/data"), { recursive: true });
  await writeFile(path.join(dataDir, "postgres/data/PG_VERSION"), "12\n");
  await expect(startEmbedded({ dataDir, log })).rejects.toMatchObject({
    reason: "Unsupported",
    message: expect.stringContaining("made by PostgreSQL 12"),
  });
});
