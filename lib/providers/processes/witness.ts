/** Looking at processes behind the provider's back, with nothing shared but /proc. Imported by tests only. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { systemClock } from "@/lib/clock";

export interface Witnessed {
  pid: number;
  startTicks: string;
  ordinal: number;
  uid: string;
  template: string;
  group: number;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** For an instant while a process is being executed its environment is empty: such a read says nothing and is repeated. */
function environOf(pid: string): string {
  const deadline = systemClock.monotonic() + 50;
  for (;;) {
    const text = read(`/proc/${pid}/environ`);
    const stat = text === "" ? read(`/proc/${pid}/stat`) : undefined;
    const running = stat !== undefined && !/\) [ZX] /.test(stat) && !/\) . [02] /.test(stat);
    if (text !== "" || !running || systemClock.monotonic() > deadline) return text ?? "";
  }
}

/** Every living process whose environment carries a mark of this installation, members of groups included. */
export function witnessed(installation: string): Witnessed[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environ = environOf(pid).split("\0");
      const mark = environ.find((entry) => entry.startsWith(`SETPOINT_INSTANCE=${installation}/`));
      const stat = read(`/proc/${pid}/stat`);
      const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (!mark || !fields || fields[0] === "Z" || fields[0] === "X") return [];
      const [uid = "", ordinal] = mark.slice(`SETPOINT_INSTANCE=${installation}/`.length).split("/");
      const template = environ.find((entry) => entry.startsWith("SETPOINT_TEMPLATE="))?.slice("SETPOINT_TEMPLATE=".length) ?? "";
      return [{ pid: Number(pid), startTicks: fields[19] ?? "", ordinal: Number(ordinal), uid, template, group: Number(fields[2]) }];
    })
    .sort((a, b) => a.ordinal - b.ordinal || a.pid - b.pid);
}

/** Waits for a state, not for a time. */
export async function eventually<T>(
  what: string,
  state: () => T | undefined | false | Promise<T | undefined | false>,
  withinMs = 15_000,
): Promise<T> {
  const deadline = systemClock.monotonic() + withinMs;
  for (;;) {
    const value = await state();
    if (value !== undefined && value !== false) return value;
    if (systemClock.monotonic() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
    await systemClock.sleep(10);
  }
}

/** Ends it the hard way and waits until not even a zombie is left. */
export async function killHard(pid: number): Promise<void> {
  process.kill(pid, "SIGKILL");
  await eventually(`pid ${pid} is gone`, () => read(`/proc/${pid}/stat`) === undefined);
}

/** Ends whatever a failed test left of its own installation. */
export async function sweep(installation: string): Promise<void> {
  await eventually(`nothing is left of ${installation}`, () => {
    const left = witnessed(installation);
    for (const { pid } of left) if (read(`/proc/${pid}/stat`)) process.kill(pid, "SIGKILL");
    return left.length === 0;
  });
}

/** A node process started by hand, around the provider; ready once it has written a line. */
export async function byHand(script: string, env: Record<string, string>, detached = true): Promise<ChildProcess & { pid: number }> {
  const child = spawn(process.execPath, ["-e", `${script}; console.log("ready")`], {
    detached,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { pid, stdout } = child;
  if (pid === undefined || !stdout) throw new Error("node could not be started");
  await once(stdout, "data");
  return Object.assign(child, { pid });
}

export const STAY = "setInterval(() => {}, 1000)";
