/** The running product, as routes and pages find it. Composition is in `start.ts`, loaded once by `instrumentation.ts`. */
import type { Api } from "@/lib/api";
import type { Auth } from "@/lib/auth";
import type { WorkDone } from "@/lib/engine";
import type { Config } from "./config";

export interface Runtime {
  config: Config;
  api: Api;
  auth: Auth;
  /** Runs due work for at most `ms` and says what was done; starts controllers for that long where none run in this process. */
  runDueWork(ms: number): Promise<WorkDone>;
  /** True when the store answers and, where this process runs controllers, they are started. */
  ready(): Promise<boolean>;
  /** Drains and lets go of everything. Calling it twice is the same as once. */
  close(): Promise<void>;
}

const SLOT = Symbol.for("setpoint.runtime");

/** Instrumentation and routes are separate bundles of one process: the global object is what they have in common. */
function slot(): { [SLOT]?: Runtime } {
  return globalThis as { [SLOT]?: Runtime };
}

/** Undefined while starting. */
export function getRuntime(): Runtime | undefined {
  return slot()[SLOT];
}

export function setRuntime(runtime: Runtime): void {
  slot()[SLOT] = runtime;
}
