import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { systemClock } from "@/lib/clock";
import { freePort } from "@/lib/conformance/postgres";

export interface Redis {
  port: number;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 10_000;

/** Starts Debian's redis-server in a temporary folder; undefined when there is none. `durable`: each write is on disk before its answer. */
export async function startRedis(durable: boolean): Promise<Redis | undefined> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "setpoint-redis-"));
  const port = await freePort();
  const persistence = durable ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"];
  const child = spawn("redis-server", ["--bind", "127.0.0.1", "--port", String(port), "--dir", folder, "--save", "", ...persistence], {
    stdio: "ignore",
  });
  const stop = async () => {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    await rm(folder, { recursive: true, force: true });
  };
  if (!(await started(child))) {
    await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  const deadline = systemClock.monotonic() + READY_WITHIN_MS;
  while (!(await answers(port))) {
    if (systemClock.monotonic() > deadline) {
      await stop();
      throw new Error("redis-server did not answer");
    }
    await systemClock.sleep(20);
  }
  return { port, stop };
}

async function started(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
  });
}

async function answers(port: number): Promise<boolean> {
  const socket = net.connect({ host: "127.0.0.1", port });
  return new Promise((resolve) => {
    const end = (good: boolean) => {
      socket.destroy();
      resolve(good);
    };
    socket.once("error", () => end(false));
    socket.once("data", () => end(true));
    socket.write("PING\r\n");
  });
}
