/** Writing a file whole or not at all. */
import { constants } from "node:fs";
import { link, open, rename, unlink } from "node:fs/promises";
import { errnoOf } from "./faults";
import type { Folder } from "./folders";

/** Bits and owner of a new file; absent ones stay as the system gives them. */
export interface Permissions {
  mode: number;
  uid?: number;
  gid?: number;
}

/** A complete, durable file under the temporary `name`; owner and mode are set before anything else can find it. */
export async function writeTemporary(folder: Folder, name: string, content: Uint8Array, permissions: Permissions): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(folder.at(name), flags, 0o600);
  try {
    await handle.writeFile(content);
    // Owner before mode: a change of owner clears bits.
    if (permissions.uid !== undefined || permissions.gid !== undefined) await chownTo(handle, permissions);
    await handle.chmod(permissions.mode);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function chownTo(handle: import("node:fs/promises").FileHandle, { uid, gid }: Permissions): Promise<void> {
  const now = await handle.stat();
  const wanted = { uid: uid ?? now.uid, gid: gid ?? now.gid };
  if (wanted.uid !== now.uid || wanted.gid !== now.gid) await handle.chown(wanted.uid, wanted.gid);
}

/** Gives the temporary file its name; false when something is there already, which stays as it is. */
export async function publishNew(folder: Folder, temporary: string, name: string): Promise<boolean> {
  try {
    await link(folder.at(temporary), folder.at(name));
  } catch (thrown) {
    if (errnoOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
  await folder.sync();
  return true;
}

/** Puts the temporary file in the place of whatever has the name. */
export async function publishOver(folder: Folder, temporary: string, name: string): Promise<void> {
  await rename(folder.at(temporary), folder.at(name));
  await folder.sync();
}

/** Removes a name; false when it was not there. */
export async function removeName(folder: Folder, name: string): Promise<boolean> {
  try {
    await unlink(folder.at(name));
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return false;
    throw thrown;
  }
  return true;
}
