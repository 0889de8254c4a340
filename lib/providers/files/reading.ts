/** Looking at what has a name, without following links, blocking on pipes or reading without bound. */
import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { type FileHandle, lstat, open } from "node:fs/promises";
import { checkSignal, errnoOf } from "./faults";
import type { Folder } from "./folders";

/** The most that a file of ours can hold, and the most that is read into memory. */
export const LARGEST_CONTENT = 1024 * 1024;
/** Files up to here are digested; of larger ones only the size is told. */
const LARGEST_DIGESTED = 16 * 1024 * 1024;

/** A regular file as it was when looked at. */
export interface ActualFile {
  type: "file";
  bytes: number;
  /** Absent for files too large to digest at every look. */
  sha256?: string;
  /** Absent when binary (not UTF-8) or larger than LARGEST_CONTENT. */
  text?: string;
  /** Permission bits, setuid, setgid and sticky included. */
  mode: number;
  uid: number;
  gid: number;
}

export type Actual = ActualFile | { type: "absent" } | { type: "folder" | "link" | "special" };

function typeOf(stat: Stats): "file" | "folder" | "link" | "special" {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  return stat.isSymbolicLink() ? "link" : "special";
}

/** Without opening it. */
export async function statOf(folder: Folder, name: string): Promise<Stats | undefined> {
  try {
    return await lstat(folder.at(name));
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

export async function readActual(folder: Folder, name: string, signal?: AbortSignal): Promise<Actual> {
  const seen = await statOf(folder, name);
  if (!seen) return { type: "absent" };
  const type = typeOf(seen);
  if (type !== "file") return { type };
  let handle: FileHandle;
  try {
    handle = await open(folder.at(name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    // Gone, or swapped for a link, since it was seen.
    if (errnoOf(thrown) === "ENOENT") return { type: "absent" };
    if (errnoOf(thrown) === "ELOOP") return { type: "link" };
    throw thrown;
  }
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) return { type: "special" };
    return { type: "file", ...(await digest(handle, stat.size, signal)), mode: stat.mode & 0o7777, uid: stat.uid, gid: stat.gid };
  } finally {
    await handle.close();
  }
}

async function digest(handle: FileHandle, size: number, signal?: AbortSignal): Promise<Pick<ActualFile, "bytes" | "sha256" | "text">> {
  if (size > LARGEST_DIGESTED) return { bytes: size };
  const hash = createHash("sha256");
  const kept: Buffer[] = [];
  let bytes = 0;
  for (;;) {
    checkSignal(signal, "read the file");
    const chunk = Buffer.allocUnsafe(64 * 1024);
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, bytes);
    if (bytesRead === 0) break;
    bytes += bytesRead;
    // It may grow while it is read.
    if (bytes > LARGEST_DIGESTED) return { bytes };
    hash.update(chunk.subarray(0, bytesRead));
    if (bytes <= LARGEST_CONTENT) kept.push(chunk.subarray(0, bytesRead));
  }
  const text = bytes <= LARGEST_CONTENT ? utf8(Buffer.concat(kept)) : undefined;
  return { bytes, sha256: hash.digest("hex"), ...(text === undefined ? {} : { text }) };
}

function utf8(content: Buffer): string | undefined {
  const text = content.toString("utf8");
  return Buffer.from(text, "utf8").equals(content) ? text : undefined;
}
