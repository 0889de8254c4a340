/**
 * Folders as opened handles. A name is always looked up in the folder that was opened and checked, through
 * `/proc/self/fd/N/name`, so that swapping a folder for a link between check and use leads nowhere.
 */
import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, realpath } from "node:fs/promises";
import path from "node:path";
import { SetpointError } from "@/lib/errors";
import { errnoOf, fileFault } from "./faults";

/** Without /proc (macOS), paths are used as they are; README.md says what that leaves open. */
const HANDLE_PATHS = existsSync("/proc/self/fd");
const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** An opened folder. */
export class Folder {
  constructor(
    readonly handle: FileHandle,
    /** Where it was found; for messages, and for look-ups where handles have no paths. */
    readonly location: string,
    /** The same, below the root. */
    readonly shown: string,
  ) {}

  /** Path of `name` in exactly this folder. `name` must be a single segment. */
  at(name: string): string {
    return HANDLE_PATHS ? `/proc/self/fd/${this.handle.fd}/${name}` : path.join(this.location, name);
  }

  shownAt(name: string): string {
    return this.shown === "" ? name : `${this.shown}/${name}`;
  }

  /** Makes the names in it durable. */
  async sync(): Promise<void> {
    await this.handle.sync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** The root, followed through links: it is the operator's choice. Undefined when it does not exist and `create` is false. */
async function openRoot(root: string, create: boolean): Promise<Folder | undefined> {
  try {
    if (create) await mkdir(root, { recursive: true, mode: 0o755 });
    const location = await realpath(root);
    return new Folder(await open(location, constants.O_RDONLY | constants.O_DIRECTORY), location, "");
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return undefined;
    if (errnoOf(thrown) === "ENOTDIR" || errnoOf(thrown) === "EEXIST")
      throw new SetpointError("TargetError", "the root of files is not a folder", { cause: thrown });
    throw fileFault(thrown, "open the root of files");
  }
}

/** Says what stands where a folder is needed. */
async function obstacle(parent: Folder, name: string): Promise<SetpointError> {
  const shown = parent.shownAt(name);
  const stat = await lstat(parent.at(name));
  if (stat.isSymbolicLink())
    return new SetpointError("InvalidSpec", `${shown} is a symbolic link; Setpoint follows no links below its root`);
  return new SetpointError("NotOurs", `${shown} is not a folder; remove it or choose another path`);
}

/** Makes a folder where nothing is, durably; whatever else is there is judged when it is opened. */
async function makeChild(parent: Folder, name: string): Promise<boolean> {
  try {
    await mkdir(parent.at(name), { mode: 0o700 });
  } catch (thrown) {
    if (errnoOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
  await parent.sync();
  return true;
}

async function openChild(parent: Folder, name: string, create: number | undefined): Promise<Folder | undefined> {
  const shown = parent.shownAt(name);
  try {
    const made = create !== undefined && (await makeChild(parent, name));
    const folder = new Folder(await open(parent.at(name), OPEN_FOLDER), path.join(parent.location, name), shown);
    // Not left to mkdir, which would take the process's umask into account.
    if (made && create !== 0o700) await folder.handle.chmod(create);
    return folder;
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ENOENT") return undefined;
    if (code === "ENOTDIR" || code === "ELOOP") throw await obstacle(parent, name);
    throw fileFault(thrown, `open the folder ${shown}`);
  }
}

/**
 * Opens the folder `segments` below the root, one segment at a time and never through a link, and hands it to `use`; closed
 * afterwards. With `create` (a mode), missing folders are made; without, `use` gets undefined when one is missing.
 */
export async function withFolder<T>(
  root: string,
  segments: readonly string[],
  { create }: { create?: number },
  use: (folder: Folder | undefined) => Promise<T>,
): Promise<T> {
  let folder = await openRoot(root, create !== undefined);
  try {
    for (const segment of segments) {
      if (!folder) break;
      const parent: Folder = folder;
      folder = await openChild(parent, segment, create).finally(() => parent.close());
    }
  } catch (thrown) {
    throw fileFault(thrown, `open the folder ${segments.join("/")}`);
  }
  try {
    return await use(folder);
  } finally {
    await folder?.close();
  }
}
