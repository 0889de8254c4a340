import type { Exit } from "./contract";

/** Signals that a program brings upon itself. */
const FAULTS = new Set(["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP"]);

/** How it ended, in words that continue a sentence about it. Its last words are told only when it failed: they explain nothing else. */
export function exitWords({ code, signal, output }: Pick<Exit, "code" | "signal" | "output">): string {
  const how = signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`;
  const failed = signal === null ? code !== 0 : FAULTS.has(signal);
  return output === "" || !failed ? how : `${how}: ${output}`;
}
