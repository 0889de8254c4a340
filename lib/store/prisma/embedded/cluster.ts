import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, chown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { systemClock } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { BARE_ENVIRONMENT } from "./identity";
import type { Place } from "./place";

/** The server's own role and database. */
export const ROLE = "setpoint";

export const dataOf = (place: Place) => path.join(place.home, "data");
export const logOf = (place: Place) => path.join(place.home, "log");

/** What every program of the server is started with: its own user, a folder it can be in, and nothing of our environment. */
export function spawnOptions(place: Place) {
  return {
    ...(place.user ?? {}),
    cwd: place.home,
    env: { ...BARE_ENVIRONMENT, HOME: place.home },
  };
}

export const programOf = (place: Place, name: string) => path.join(place.binaries.folder, "bin", name);

/** Creates the data folder when there is none, and refuses one that another major version made. */
export async function prepareCluster(place: Place): Promise<{ password: string; created: boolean }> {
  const password = await readPassword(place);
  const made = await readFile(path.join(dataOf(place), "PG_VERSION"), "utf8").catch(() => undefined);
  if (made !== undefined) {
    const major = place.binaries.version.split(".")[0];
    if (made.trim() !== major) {
      throw new SetpointError(
        "Unsupported",
        `The data in ${dataOf(place)} was made by PostgreSQL ${made.trim()}, and this Setpoint brings PostgreSQL ${major}. ` +
          "Dump it with the version that made it, or point DATABASE_URL to a server that has the data.",
      );
    }
    return { password, created: false };
  }
  if (await stat(dataOf(place)).catch(() => undefined)) {
    throw new SetpointError(
      "Unsupported",
      `${dataOf(place)} exists but is not, or not readable as, the data folder of a PostgreSQL server.`,
    );
  }
  await initialise(place, password);
  return { password, created: true };
}

async function readPassword(place: Place): Promise<string> {
  const file = path.join(place.home, "password");
  const kept = await readFile(file, "utf8").catch(() => undefined);
  if (kept !== undefined && kept.trim() !== "") return kept.trim();
  const password = randomBytes(24).toString("base64url");
  await writeFile(`${file}.new`, password, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return password;
}

/** Runs initdb aside and moves the result into place, so that dying on the way leaves no half data folder. */
async function initialise(place: Place, password: string): Promise<void> {
  const leftOvers = (await readdir(place.home)).filter((name) => name.startsWith("init-"));
  await Promise.all(leftOvers.map((name) => rm(path.join(place.home, name), { recursive: true, force: true })));
  const draft = path.join(place.home, `init-${randomBytes(4).toString("hex")}`);
  const passwordFile = path.join(place.home, `init-${randomBytes(4).toString("hex")}.password`);
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (place.user) {
    await chown(draft, place.user.uid, place.user.gid);
    await chown(passwordFile, place.user.uid, place.user.gid);
  }
  try {
    await runInitdb(place, [
      ...["-D", draft, "-U", ROLE, "--auth=scram-sha-256", `--pwfile=${passwordFile}`, "--encoding=UTF8"],
      ...["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"],
    ]);
    await rename(draft, dataOf(place));
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

function runInitdb(place: Place, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(programOf(place, "initdb"), args, { ...spawnOptions(place), stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve();
      else reject(new SetpointError("Unsupported", `PostgreSQL could not create its data folder in ${place.home}:\n${output.trim()}`));
    });
  });
}

const serverSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  timezone: "UTC",
  log_timezone: "UTC",
  password_encryption: "scram-sha-256",
  log_checkpoints: "off",
  // Its queries are short: compiling them costs more than running them.
  jit: "off",
};

/** Arguments of the server on this port. Durability (fsync, synchronous_commit) stays as PostgreSQL ships it: on. */
export function serverArguments(place: Place, port: number): string[] {
  return [
    "-D",
    dataOf(place),
    "-p",
    String(port),
    ...Object.entries(serverSettings).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
  ];
}

/** The file that the server writes its log to; started anew when it has grown beyond 10 MB. */
export async function openLog(place: Place): Promise<{ fd: number; close(): Promise<void> }> {
  const file = logOf(place);
  if (((await stat(file).catch(() => undefined))?.size ?? 0) > 10_000_000) await rename(file, `${file}.old`);
  const handle = await open(file, "a", 0o600);
  await chmod(file, 0o600);
  return { fd: handle.fd, close: () => handle.close() };
}

/** The last lines of the server's log, for errors. */
export async function endOfLog(place: Place): Promise<string> {
  const text = await readFile(logOf(place), "utf8").catch(() => "");
  return text.trim().split("\n").slice(-6).join("\n");
}

/** The port of last time when it is free, else another one below the range that systems hand out by themselves. */
export async function choosePort(place: Place): Promise<number> {
  const file = path.join(place.home, "port");
  const last = Number(await readFile(file, "utf8").catch(() => ""));
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = attempt === 0 && last > 0 ? last : 20000 + Math.floor(systemClock.random() * 12000);
    if (await isFree(port)) {
      await writeFile(file, String(port), { mode: 0o600 });
      return port;
    }
  }
  throw new SetpointError("Unsupported", "No free port on 127.0.0.1 was found for the embedded PostgreSQL.");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once("error", () => resolve(false));
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => probe.close(() => resolve(true)));
  });
}
