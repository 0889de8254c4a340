// Which Chromium do the browser tests drive? The system's, else Playwright's own, else the package of Debian.
import { accessSync, constants, existsSync } from "node:fs";
import path from "node:path";
import { inRoot, say } from "./folders.mjs";
import { node, run } from "./run.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Chromium cannot use its sandbox as root; the rest keeps it from talking to the Internet on its own. */
export const BROWSER_ARGUMENTS = [
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
  ...["--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
];

/** The executable of an installed Chromium, or undefined. */
export async function findBrowser() {
  const folders = [...(process.env.PATH ?? "").split(path.delimiter), "/usr/bin", "/snap/bin"];
  const system = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name))).find(isExecutable);
  if (system) return system;
  const { chromium } = await import("playwright");
  return [chromium.executablePath()].find(isExecutable);
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The command that would install a browser here. */
export function installCommand() {
  return existsSync("/etc/debian_version") ? "apt-get install --yes chromium" : "npx playwright install chromium";
}

/** Finds a browser, and installs one where that needs nobody's permission. */
export async function ensureBrowser() {
  const found = await findBrowser();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync("/etc/debian_version")) {
    say("Installing chromium with apt-get …");
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    await run("apt-get", ["update", "--quiet"], { env, quiet: true });
    await run("apt-get", ["install", "--yes", "--no-install-recommends", "chromium"], { env, quiet: true });
  } else {
    say("Installing Playwright's Chromium …");
    await node(inRoot("node_modules", "playwright", "cli.js"), ["install", "chromium"], { quiet: true, timeoutMs: 300_000 });
  }
  return findBrowser();
}
