import { SetpointError } from "@/lib/errors";
import type { Processes } from "./contract";
import { LinuxProcesses, type ProcessesOptions } from "./linux";

export * from "./contract";
export { environmentFault } from "./environment";
export { exitWords } from "./exit-words";
export type { ProcessesOptions } from "./linux";

/** The processes of this machine. Linux only: elsewhere everything is refused as Unsupported, with a plain message. */
export function createProcesses(options: ProcessesOptions, platform: string = process.platform): Processes {
  if (platform === "linux") return new LinuxProcesses(options);
  const error = () => new SetpointError("Unsupported", `Processes are managed on Linux only; this machine runs ${platform}.`);
  const refuse = () => Promise.reject(error());
  return { look: refuse, start: refuse, stop: refuse, clear: refuse, probe: refuse, refusal: error, subscribe: () => () => {} };
}
