export { Engine } from "./engine";
export { planHash } from "./hash";
export { BACKOFF, backoffMs, nextAttempt, resyncDelayMs } from "./next-attempt";
export type { EngineOptions, WorkDone } from "./options";
export type { Outcome } from "./outcome";
export { type PassPorts, runPass } from "./pass";
export { type Preview, preview } from "./preview";
export { statusAfter } from "./status";
export { Workqueue } from "./workqueue";
