/** Worker processes as seen from outside. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { systemClock } from "@/lib/clock";
import { type Orders, type Passed, passedSchema } from "./orders";
import { until } from "./until";

const OUTPUT_KEPT = 50;

export interface WorkerProcess {
  pid: number;
  /** Every crash point it passed, in order. */
  passed: Passed[];
  /** Undefined while it lives. */
  ended(): { code: number | null; signal: NodeJS.Signals | null } | undefined;
  /** Resolves when its controllers run; throws with its last words when it ends before. */
  started(): Promise<void>;
  /** Resolves when it has ended, however. */
  gone(timeoutMs?: number): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** It is stopped by a signal, all of it. */
  frozen(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Ends it in order. */
  close(): Promise<void>;
  lastWords(): string;
}

/** Starts a worker, bundled in `file`, with this environment and nothing else. */
export function spawnWorker(file: string, orders: Orders, env: Record<string, string>): WorkerProcess {
  const child = spawn(process.execPath, [file, JSON.stringify(orders)], {
    env: { ...env, NODE_ENV: "test" },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const passed: Passed[] = [];
  const output: string[] = [];
  let running = false;
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      if (line.startsWith("passed ")) passed.push(passedSchema.parse(JSON.parse(line.slice("passed ".length))));
      else if (line.startsWith("started ")) running = true;
      else output.push(line);
      output.splice(0, output.length - OUTPUT_KEPT);
    });
  const exited = once(child, "exit");
  const ended = () =>
    child.exitCode === null && child.signalCode === null ? undefined : { code: child.exitCode, signal: child.signalCode };
  const lastWords = () => output.join("\n");
  return {
    pid: child.pid ?? 0,
    passed,
    ended,
    lastWords,
    async started() {
      await until("a worker runs", () => running || ended() !== undefined, 120_000);
      const end = ended();
      if (end && end.signal !== "SIGKILL") throw new Error(`a worker ended before it ran (${end.code ?? end.signal}):\n${lastWords()}`);
    },
    async gone(timeoutMs = 120_000) {
      await until(`worker ${child.pid} is gone`, () => ended() !== undefined, timeoutMs).catch((error: unknown) => {
        throw new Error(`${error instanceof Error ? error.message : error}\n${lastWords()}`);
      });
      return ended() ?? { code: null, signal: null };
    },
    frozen: () => stateOf(child.pid) === "T",
    signal: (name) => void child.kill(name),
    close: () => close(child, exited),
  };
}

async function close(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGCONT");
  child.kill("SIGTERM");
  // One that does not end in time is ended.
  const cancel = systemClock.after(10_000, () => child.kill("SIGKILL"));
  await exited;
  cancel();
}

/** The state letter of /proc/<pid>/stat; undefined when there is no such process. */
function stateOf(pid: number | undefined): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).charAt(0);
  } catch {
    return undefined;
  }
}
