import { accessSync, constants, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { SetpointError } from "@/lib/errors";

/** What an allowed command comes to. */
export interface Executable {
  /** Free of symlinks: what is executed is what was checked. */
  file: string;
  /** The path as it was allowed: what the program sees as its own name. */
  name: string;
}

function realpath(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    return undefined;
  }
}

/**
 * The executable that `command[0]` stands for: an absolute path on the allow-list (symlinks resolved on both sides), or a bare name that
 * is the basename, with or without extension, of exactly one entry. Throws InvalidSpec naming what is allowed.
 */
export function resolveExecutable(allowed: readonly string[], command: readonly string[]): Executable {
  const wanted = command[0] ?? "";
  const list = allowed.length === 0 ? "nothing is (SETPOINT_ALLOW_EXEC)" : `${allowed.join(", ")} (SETPOINT_ALLOW_EXEC)`;
  const refuse = (why: string) => new SetpointError("InvalidSpec", `command[0] "${wanted}" ${why}; allowed: ${list}`);
  if (command.some((part) => part.includes("\0"))) throw new SetpointError("InvalidSpec", "command holds a NUL character");

  const entry = path.isAbsolute(wanted) ? byPath(allowed, wanted) : byName(allowed, wanted);
  if (entry === "many") throw refuse("is the name of several allowed executables: give the absolute path");
  if (entry === undefined)
    throw refuse(wanted.includes("/") && !path.isAbsolute(wanted) ? "is not an absolute path" : "is not allowed here");
  const file = realpath(entry);
  if (file === undefined || !statSync(file, { throwIfNoEntry: false })?.isFile()) throw refuse("is allowed, but there is no such file");
  try {
    accessSync(file, constants.X_OK);
  } catch {
    throw new SetpointError("AccessDenied", `${file} is not executable by this user`);
  }
  return { file, name: entry };
}

function byPath(allowed: readonly string[], wanted: string): string | undefined {
  const literal = allowed.find((entry) => entry === wanted);
  if (literal !== undefined) return literal;
  const real = realpath(wanted);
  return real === undefined ? undefined : allowed.find((entry) => realpath(entry) === real);
}

function byName(allowed: readonly string[], wanted: string): string | "many" | undefined {
  if (wanted === "" || wanted.includes("/")) return undefined;
  const found = [...new Set(allowed)].filter((entry) => path.basename(entry) === wanted || path.parse(entry).name === wanted);
  return found.length > 1 ? "many" : found[0];
}
