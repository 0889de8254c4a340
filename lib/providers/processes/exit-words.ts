import type { Exit } from "./contract";

/** How it ended, in words that continue a sentence about it; the same end gives the same words. */
export function exitWords({ code, signal, output }: Pick<Exit, "code" | "signal" | "output">): string {
  const how = signal === null ? `exited with code ${code ?? "unknown"}` : `was ended by ${signal}`;
  return output === "" ? how : `${how}: ${output}`;
}
