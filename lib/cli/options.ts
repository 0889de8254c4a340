/** Words and options of one call. */
import { type ParseArgsConfig, parseArgs } from "node:util";
import { Failure } from "./failure";

const OPTIONS = {
  server: { type: "string" },
  token: { type: "string" },
  ca: { type: "string" },
  namespace: { type: "string", short: "n" },
  "all-namespaces": { type: "boolean", short: "A" },
  selector: { type: "string", short: "l" },
  output: { type: "string", short: "o" },
  filename: { type: "string", short: "f", multiple: true },
  "dry-run": { type: "boolean" },
  force: { type: "boolean" },
  message: { type: "string", short: "m" },
  reason: { type: "string" },
  for: { type: "string" },
  timeout: { type: "string" },
  generation: { type: "string" },
  help: { type: "boolean", short: "h" },
} as const satisfies ParseArgsConfig["options"];

export const FORMATS = ["table", "json", "yaml", "name"] as const;
export type Format = (typeof FORMATS)[number];

export type Options = ReturnType<typeof parse>["values"];

function parse(argv: readonly string[]) {
  return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true, strict: true });
}

export interface Given {
  command?: string;
  words: string[];
  options: Options;
}

/** Throws a Failure for an option that does not exist. */
export function given(argv: readonly string[]): Given {
  try {
    const { values, positionals } = parse(argv);
    const [command, ...words] = positionals;
    return { command, words, options: values };
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : String(error)}\nSee setpoint --help.`);
  }
}

export function formatOf({ output }: Options, fallback: Format = "table"): Format {
  if (output === undefined) return fallback;
  const found = FORMATS.find((format) => format === output);
  if (!found) throw new Failure(`-o must be one of ${FORMATS.join(", ")}`);
  return found;
}

const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `5m`, `2h`, `1d` in milliseconds. */
export function durationOf(text: string, option: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (amount === undefined || unit === undefined) throw new Failure(`${option} must be a time such as 90s, 5m, 2h or 1d`);
  return Number(amount) * (UNITS[unit] ?? 0);
}
