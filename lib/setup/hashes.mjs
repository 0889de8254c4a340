// Has anything changed since the last time? Content hashes of files and folders.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { inRoot, ROOT } from "./folders.mjs";

/** Hash over names and contents of files and folders below the root; what is missing counts as missing. */
export function hashOf(names, keep = () => true) {
  const hash = createHash("sha256");
  for (const file of names.flatMap((name) => filesIn(inRoot(name))).sort()) {
    const name = path.relative(ROOT, file).split(path.sep).join("/");
    if (!keep(name)) continue;
    hash.update(`${name}\0`).update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

function filesIn(at) {
  const entry = statSync(at, { throwIfNoEntry: false });
  if (!entry) return [];
  if (!entry.isDirectory()) return [at];
  return readdirSync(at).flatMap((name) => filesIn(path.join(at, name)));
}

/** What `next build` depends on: the sources without tests and texts. */
export function hashOfSources() {
  const names = ["app", "components", "controllers", "lib", "prisma", "public", "instrumentation.ts", "proxy.ts", "next.config.ts"];
  const tools = ["postcss.config.mjs", "tsconfig.json", "package.json", "package-lock.json"];
  const isTest = (name) => /\.test\.tsx?$|\.md$|^lib\/(setup|bench|conformance|simulation)\/|^prisma\/migrations\//.test(name);
  return hashOf([...names, ...tools], (name) => !isTest(name));
}
