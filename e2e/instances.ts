/** Instances as the machine has them: processes found in /proc by the mark in their environment, never by what Setpoint says. */
import { readdirSync, readFileSync } from "node:fs";
import { until } from "./server";

export interface Instance {
  pid: number;
  ordinal: number;
  env: Record<string, string>;
}

/** Living processes of the object with this uid, by ordinal. */
export function instancesOf(uid: string): Instance[] {
  const found: Instance[] = [];
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const env = environmentOf(Number(name));
    const [, owner, ordinal] = /^.+\/([^/]+)\/(\d+)$/.exec(env?.SETPOINT_INSTANCE ?? "") ?? [];
    if (env && owner === uid) found.push({ pid: Number(name), ordinal: Number(ordinal), env });
  }
  return found.sort((a, b) => a.ordinal - b.ordinal || a.pid - b.pid);
}

export const pidsOf = (uid: string) => instancesOf(uid).map(({ pid }) => pid);

/** Undefined when the process is gone, or a zombie, which has no environment any more. */
function environmentOf(pid: number): Record<string, string> | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
    return Object.fromEntries(entries.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]));
  } catch {
    // It ended while it was looked at, or is somebody else's.
    return undefined;
  }
}

/** Waits until exactly the ordinals 0 to `count` - 1 run, each once. */
export async function untilInstances(uid: string, count: number, withinMs = 60_000): Promise<Instance[]> {
  const complete = () => {
    const running = instancesOf(uid);
    return running.length === count && running.every(({ ordinal }, index) => ordinal === index);
  };
  await until(complete, withinMs, `there are not exactly ${count} instances of ${uid}, one per slot,`);
  return instancesOf(uid);
}

/** Looks at the instances many times a second until `stop`, which tells the fewest and the most at once, and slots that were taken twice. */
export function watchInstances(uid: string): { stop(): { fewest: number; most: number; doubled: number[] } } {
  let [fewest, most] = [Number.POSITIVE_INFINITY, 0];
  const doubled = new Set<number>();
  const look = () => {
    const ordinals = instancesOf(uid).map(({ ordinal }) => ordinal);
    fewest = Math.min(fewest, ordinals.length);
    most = Math.max(most, ordinals.length);
    for (const ordinal of ordinals) if (ordinals.indexOf(ordinal) !== ordinals.lastIndexOf(ordinal)) doubled.add(ordinal);
  };
  look();
  const timer = setInterval(look, 25);
  return {
    stop() {
      clearInterval(timer);
      look();
      return { fewest, most, doubled: [...doubled] };
    },
  };
}
