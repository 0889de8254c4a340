// Which kubectl do the tests drive? Always 1.20, the oldest that is promised, as Debian packages it; and every other one on the machine.
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { say } from "./folders.mjs";
import { run } from "./run.mjs";

/** Outside of the clone: one download serves them all. */
const CACHE = path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "setpoint");
const OLDEST = path.join(CACHE, "kubectl-1.20", "usr", "bin", "kubectl");
const CLOUD_SDK = "/usr/lib/google-cloud-sdk/bin";

/** Every kubectl found here, the oldest first: `{ version: "1.20", file }`. Version `?` is one on the PATH that is none of the others. */
export function findKubectls() {
  const found = [];
  if (isExecutable(OLDEST)) found.push({ version: "1.20", file: OLDEST });
  if (existsSync(CLOUD_SDK)) {
    const versions = readdirSync(CLOUD_SDK).flatMap((name) => /^kubectl\.(1\.\d+)$/.exec(name)?.[1] ?? []);
    found.push(...versions.map((version) => ({ version, file: path.join(CLOUD_SDK, `kubectl.${version}`) })));
  }
  const other = (process.env.PATH ?? "")
    .split(path.delimiter)
    .map((folder) => path.join(folder, "kubectl"))
    .find(isExecutable);
  // The SDK's own `kubectl` only picks one of those above.
  if (other && !realpathSync(other).startsWith(CLOUD_SDK)) found.push({ version: "?", file: other });
  return found.filter(({ file }) => isExecutable(file)).sort((a, b) => a.version.localeCompare(b.version, "en", { numeric: true }));
}

/** The command that brings kubectl 1.20 to where the tests look for it. */
export function kubectlCommand() {
  return `apt-get download kubernetes-client && dpkg-deb -x kubernetes-client_*.deb ${path.join(CACHE, "kubectl-1.20")}`;
}

/** Whether kubectl 1.20 is there; gets it where that needs nobody's permission: unpacked, not installed, because another package may own the name. */
export async function ensureKubectl() {
  if (isExecutable(OLDEST)) return true;
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return false;
  say("Getting kubectl 1.20 with apt-get …");
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(path.join(CACHE, "kubectl-"));
  try {
    await unpackInto(folder);
  } catch (error) {
    say(`kubectl 1.20 could not be had: ${error.message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return isExecutable(OLDEST);
}

async function unpackInto(folder) {
  const download = () => run("sh", ["-c", `cd '${folder}' && apt-get download --quiet=2 kubernetes-client`], { quiet: true });
  if ((await download()) !== 0) {
    await run("apt-get", ["update", "--quiet=2"], { quiet: true });
    await download();
  }
  const [archive] = readdirSync(folder).filter((name) => name.endsWith(".deb"));
  if (!archive) throw new Error("the package kubernetes-client was not found");
  const unpacked = path.join(folder, "unpacked");
  if ((await run("dpkg-deb", ["-x", path.join(folder, archive), unpacked], { quiet: true })) !== 0) throw new Error("dpkg-deb failed");
  // Moved whole: whoever looks finds all of it or nothing.
  if (!existsSync(OLDEST)) renameSync(unpacked, path.join(CACHE, "kubectl-1.20"));
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
