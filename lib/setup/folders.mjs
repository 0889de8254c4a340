// Where things are, for the scripts that run before anything is installed.
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the clone. */
export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

export const inRoot = (...parts) => path.join(ROOT, ...parts);

/** One line for the person at the terminal. */
export const say = (line) => process.stdout.write(`${line}\n`);
