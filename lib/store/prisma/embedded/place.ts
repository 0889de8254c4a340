import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import { type Binaries, copyBinaries, findBinaries, linkLibraries } from "./binaries";

/** Who the server runs as when Setpoint itself is root, which PostgreSQL refuses to be. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** Where the embedded server lives. */
export interface Place {
  /** Ours: holds `data`, `password`, `port`, `log`, `lock`. */
  home: string;
  binaries: Binaries;
  /** Set only when Setpoint runs as root. */
  user?: ServerUser;
}

export interface PlaceRequest {
  dataDir: string;
  dataDirConfigured: boolean;
  log: { info(message: string): void };
  /** Where root may keep what a closed folder cannot hold; another folder only in tests. */
  sharedRoot?: string;
}

const SHARED_ROOT = "/var/lib/setpoint";
const pointerSchema = z.object({ home: z.string() });

/** `nobody`: there on every system, owns nothing, and no account has to be made. */
const NOBODY: ServerUser = { uid: 65534, gid: 65534 };

/** Decides where data and programs are, so that the user that runs the server reaches both. */
export async function findPlace(request: PlaceRequest): Promise<Place> {
  const installed = await findBinaries();
  if (process.getuid?.() !== 0) return placeAsUser(request, installed);
  await mkdir(request.dataDir, { recursive: true, mode: 0o711 });
  const mode = (await stat(request.dataDir)).mode & 0o777;
  // Opened for passing through, not for listing, and never a folder above it.
  if ((mode & 0o011) !== 0o011) await chmod(request.dataDir, mode | 0o011);
  const home = await homeAsRoot(request);
  await mkdir(home, { recursive: true, mode: 0o711 });
  await chmod(home, 0o711);
  const user = await ownerOfData(home);
  const binaries = await reachableBinaries(installed, user, request);
  return { home, binaries, user };
}

async function placeAsUser({ dataDir }: PlaceRequest, installed: Binaries): Promise<Place> {
  const home = path.join(dataDir, "postgres");
  await mkdir(home, { recursive: true, mode: 0o700 });
  const inPlace = await linkLibraries(installed.folder);
  return { home, binaries: inPlace ? installed : await copyBinaries(installed, home) };
}

async function homeAsRoot(request: PlaceRequest): Promise<string> {
  const { dataDir, dataDirConfigured, log, sharedRoot = SHARED_ROOT } = request;
  const pointer = path.join(dataDir, "postgres.json");
  const recorded = await readFile(pointer, "utf8").catch(() => undefined);
  if (recorded !== undefined) return pointerSchema.parse(JSON.parse(recorded)).home;
  const home = path.join(dataDir, "postgres");
  const closed = await closedAncestor(home, await ownerOfData(home));
  if (!closed) return home;
  const existing = await stat(path.join(home, "data")).catch(() => undefined);
  if (dataDirConfigured || existing) {
    throw new SetpointError(
      "Unsupported",
      `PostgreSQL does not run as root, and the user it runs as cannot reach the data folder ${dataDir}: ${closed} is closed to others. ` +
        `Open it for passing through (chmod o+x ${closed}), set SETPOINT_DATA_DIR to a folder elsewhere, or set DATABASE_URL.`,
    );
  }
  const moved = path.join(sharedRoot, randomBytes(6).toString("hex"), "postgres");
  await openFolder(sharedRoot);
  await openFolder(path.dirname(moved), 0o711);
  await writeFile(`${pointer}.new`, `${JSON.stringify({ home: moved })}\n`, { mode: 0o600 });
  await rename(`${pointer}.new`, pointer);
  log.info(`The embedded PostgreSQL keeps its data in ${moved}: ${closed} is closed to the user it runs as.`);
  return moved;
}

async function reachableBinaries(
  installed: Binaries,
  user: ServerUser,
  { log, sharedRoot = SHARED_ROOT }: PlaceRequest,
): Promise<Binaries> {
  await linkLibraries(installed.folder);
  const program = path.join(installed.folder, "bin", "postgres");
  const closed = await closedAncestor(program, user);
  const readable = ((await stat(program)).mode & 0o005) === 0o005;
  if (!closed && readable) return installed;
  await openFolder(sharedRoot);
  const copied = await copyBinaries(installed, sharedRoot);
  log.info(`The embedded PostgreSQL runs from a copy in ${copied.folder}: ${closed ?? program} is closed to the user it runs as.`);
  return copied;
}

async function openFolder(folder: string, mode = 0o755): Promise<void> {
  if (await stat(folder).catch(() => undefined)) return;
  await mkdir(folder, { recursive: true });
  await chmod(folder, mode);
}

/** Data that a normal user made stays that user's; otherwise the server is `nobody`. */
async function ownerOfData(home: string): Promise<ServerUser> {
  const data = await stat(path.join(home, "data")).catch(() => undefined);
  return data && data.uid !== 0 ? { uid: data.uid, gid: data.gid } : NOBODY;
}

/** The first folder above `target` that `user` cannot pass through. */
export async function closedAncestor(target: string, user: ServerUser): Promise<string | undefined> {
  const above: string[] = [];
  for (let folder = path.dirname(path.resolve(target)); ; folder = path.dirname(folder)) {
    above.unshift(folder);
    if (path.dirname(folder) === folder) break;
  }
  for (const folder of above) {
    const entry = await stat(folder).catch(() => undefined);
    if (!entry) continue;
    const bit = entry.uid === user.uid ? 0o100 : entry.gid === user.gid ? 0o010 : 0o001;
    if ((entry.mode & bit) === 0) return folder;
  }
  return undefined;
}
