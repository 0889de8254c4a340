// The environment of everything the scripts start: `.env` beside the code, and what Next needs to be told.
import { existsSync } from "node:fs";
import { inRoot, ROOT } from "./folders.mjs";

/** Reads `.env` (what is already set wins) and goes to the root: relative paths mean the clone, wherever the command was given. */
export function enterRoot() {
  process.chdir(ROOT);
  if (existsSync(inRoot(".env"))) process.loadEnvFile(inRoot(".env"));
  process.env.NEXT_TELEMETRY_DISABLED = "1";
}
