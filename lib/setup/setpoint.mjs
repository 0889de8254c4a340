#!/usr/bin/env node
// The command line: lib/cli, bundled at its first call and whenever its sources have changed. Node 20 reads no TypeScript.
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { inRoot, ROOT } from "./folders.mjs";

const folder = inRoot("node_modules", ".cache", "setpoint-cli");
const bundle = path.join(folder, "cli.mjs");
const stamp = path.join(folder, "inputs.json");

/** Each source with what tells whether it has changed. */
const marks = (files) => files.map((file) => [file, statSync(inRoot(file), { throwIfNoEntry: false })?.mtimeMs ?? 0]);

function isCurrent() {
  if (!existsSync(stamp) || !existsSync(bundle)) return false;
  const known = JSON.parse(readFileSync(stamp, "utf8"));
  return JSON.stringify(marks(known.map(([file]) => file))) === JSON.stringify(known);
}

async function bundleNow() {
  const { build } = await import("esbuild");
  const result = await build({
    absWorkingDir: ROOT,
    entryPoints: ["lib/cli/index.ts"],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    metafile: true,
    write: false,
    logLevel: "error",
    // Packages that are CommonJS inside ask for `require`.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
  mkdirSync(folder, { recursive: true });
  // Two first calls at once write the same; none ever reads half of it.
  put(bundle, result.outputFiles[0].contents);
  put(stamp, JSON.stringify(marks(Object.keys(result.metafile.inputs))));
}

function put(file, content) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, content);
  renameSync(draft, file);
}

async function readInput() {
  const chunks = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

if (!existsSync(inRoot("node_modules", "esbuild"))) {
  process.stderr.write(`Run npm ci in ${ROOT} first.\n`);
  process.exit(2);
}
if (!isCurrent()) await bundleNow();
const { main } = await import(pathToFileURL(bundle).href);
// A reader that goes away (| head) is no fault.
process.stdout.on("error", (error) => process.exit(error.code === "EPIPE" ? 0 : 2));
process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  stdin: readInput,
});
