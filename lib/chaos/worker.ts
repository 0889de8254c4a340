/**
 * One real worker process: the product's own runtime with SETPOINT_ROLE=worker. Its orders (JSON, first argument) say where it dies or
 * freezes. It tells every crash point that it passes on a line of its own, and ends when its standard input does: with its parent.
 */
import { writeSync } from "node:fs";
import type { CrashPoint, CrashSite } from "@/lib/engine";
import { startRuntime } from "@/lib/runtime/start";
import { type Orders, ordersSchema } from "./orders";

const orders: Orders = ordersSchema.parse(JSON.parse(process.argv[2] ?? "{}"));
const waiting = new Set<string>();
let frozen = false;

/** Written at once: the process may be gone the next moment. */
function tell(word: string, facts: object): void {
  writeSync(1, `${word} ${JSON.stringify(facts)}\n`);
}

function crashPoint(point: CrashPoint, { kind, name, generation, action }: CrashSite): Promise<void> | undefined {
  const object = `${kind}/${name}@${generation}`;
  tell("passed", { point, object, action: `${action.effect} ${action.type}` });
  const { together, freezeAt, unless } = orders;
  if (unless && !unless.includes(`${point} ${kind} ${action.effect} ${action.type}`)) process.kill(process.pid, "SIGKILL");
  if (freezeAt && !frozen && freezeAt.point === point && freezeAt.object === object) {
    frozen = true;
    process.kill(process.pid, "SIGSTOP");
  }
  if (together?.point !== point || !together.objects.includes(object)) return undefined;
  waiting.add(object);
  if (waiting.size === together.objects.length) process.kill(process.pid, "SIGKILL");
  return new Promise(() => undefined);
}

const runtime = await startRuntime({ crashPoint, leaseTtlMs: orders.leaseTtlMs });
tell("started", { pid: process.pid });
const end = () => void runtime.close().then(() => process.exit(0));
process.on("SIGTERM", end);
process.stdin.on("end", end).resume();
