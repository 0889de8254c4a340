// Brings a clone to the point where it can run: packages, generated code, build. Each step only when its input changed.
// Needs nothing but Node and npm.
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { inRoot, say } from "./folders.mjs";
import { hashOf, hashOfSources } from "./hashes.mjs";
import { writeRegistry } from "./registry.mjs";
import { node, run } from "./run.mjs";

const quietTools = { NEXT_TELEMETRY_DISABLED: "1", CHECKPOINT_DISABLE: "1" };

/**
 * @param {{ build?: boolean }} [options] without `build`, only packages and generated code
 */
export async function prepare({ build = true } = {}) {
  checkNode();
  await alone(async () => {
    await installPackages();
    await generateClient();
    writeRegistry();
    if (build) await buildPages();
  });
}

function checkNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new Error(`Setpoint needs Node 20.19 or newer; this is ${process.versions.node}.`);
  }
}

/** Two preparations of one clone wait for each other; one that died is not waited for. */
async function alone(work) {
  const lock = inRoot(".setpoint-preparing");
  const draft = `${lock}-${process.pid}`;
  writeFileSync(draft, String(process.pid));
  const release = () => rmSync(lock, { force: true });
  try {
    // A link appears with its content or not at all.
    for (let told = false; !tryLink(draft, lock); told = true) {
      const holder = Number(read(lock));
      if (holder > 0 && !isRunning(holder)) release();
      else if (!told) say(`Waiting for another preparation of this clone (pid ${holder}) …`);
      await sleep(200);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  process.once("exit", release);
  try {
    await work();
  } finally {
    release();
    process.off("exit", release);
  }
}

function tryLink(from, to) {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

async function installPackages() {
  const stamp = inRoot("node_modules", ".setpoint-lock");
  const wanted = hashOf(["package-lock.json"]);
  if (read(stamp) === wanted) return;
  if (!isInstalled()) {
    await step("Installing packages", () =>
      npm(["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"]),
    );
  }
  writeFileSync(stamp, wanted);
}

/** Whether node_modules already is what the lock says (after npm install by hand): npm leaves a list of what it put there. */
function isInstalled() {
  const text = read(inRoot("node_modules", ".package-lock.json"));
  if (!text) return false;
  const there = JSON.parse(text).packages;
  return Object.entries(JSON.parse(read(inRoot("package-lock.json"))).packages).every(
    ([name, entry]) => name === "" || (there[name] ? there[name].version === entry.version : entry.optional === true),
  );
}

function npm(args) {
  const script = process.env.npm_execpath;
  if (script?.endsWith(".js")) return node(script, args);
  return run(process.platform === "win32" ? "npm.cmd" : "npm", args);
}

async function generateClient() {
  const stamp = inRoot("prisma", "generated", ".schema-hash");
  const wanted = hashOf(["prisma/schema.prisma", "node_modules/prisma/package.json"]);
  if (read(stamp) === wanted) return;
  // Generating needs no engine, only a path that exists where one could be; nothing is downloaded.
  const env = { ...quietTools, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath };
  const cli = inRoot("node_modules", "prisma", "build", "index.js");
  await step("Generating the database client", () => node(cli, ["generate"], { env, quiet: true }));
  writeFileSync(stamp, wanted);
}

async function buildPages() {
  const stamp = inRoot(".next", "setpoint-sources");
  const wanted = hashOfSources();
  if (read(stamp) === wanted && existsSync(inRoot(".next", "BUILD_ID"))) return;
  rmSync(stamp, { force: true });
  const cli = inRoot("node_modules", "next", "dist", "bin", "next");
  await step("Building", () => node(cli, ["build"], { env: { ...quietTools, NODE_ENV: "production" }, quiet: true }));
  writeFileSync(stamp, wanted);
}

async function step(name, work) {
  const start = performance.now();
  say(`${name} …`);
  const code = await work();
  if (code !== 0) throw new Error(`${name} failed (exit code ${code}); see above.`);
  say(`${name}: done in ${((performance.now() - start) / 1000).toFixed(1)} s`);
}

function read(file) {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  await prepare({ build: !process.argv.includes("--no-build") }).catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}
