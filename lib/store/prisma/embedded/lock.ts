import { randomBytes } from "node:crypto";
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { systemClock, toIso } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { identityOf, isAlive } from "./identity";

/** A held lock. Releasing twice does nothing. */
export interface FolderLock {
  release(): Promise<void>;
}

const holderSchema = z.object({ pid: z.number().int(), startedAt: z.string(), since: z.string(), released: z.boolean().optional() });
type Holder = z.infer<typeof holderSchema>;

/**
 * One Setpoint process per data folder. A second one is refused with an error that names the folder and the
 * process that has it; a holder that died is replaced.
 */
export async function lockDataDir(dataDir: string): Promise<FolderLock> {
  await mkdir(dataDir, { recursive: true });
  return lockFolder(
    path.join(dataDir, "lock"),
    ({ pid, since }) =>
      `The data folder ${dataDir} is in use by another Setpoint process: pid ${pid}, started ${since}. ` +
      "Stop that process, or give this one a folder of its own with SETPOINT_DATA_DIR.",
  );
}

/**
 * Takes the lock kept in `folder` as numbered files: the highest number is the holder and numbers only grow, so
 * that of several processes that find a dead holder exactly one can create the next number.
 */
export async function lockFolder(folder: string, refusal: (holder: Holder) => string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const self = await identityOf(process.pid);
  const holder: Holder = { pid: process.pid, startedAt: self?.startedAt ?? "", since: toIso(systemClock.now()) };
  for (;;) {
    const highest = (await numbersIn(folder)).at(-1) ?? 0;
    const current = await readHolder(folder, highest);
    if (current && !current.released && (await isAlive(current))) throw new SetpointError("InUse", refusal(current));
    const mine = highest + 1;
    if (!(await claim(folder, mine, holder))) continue;
    const numbers = await numbersIn(folder);
    if (numbers.at(-1) !== mine) {
      // A slower look: somebody already passed this number. Theirs counts.
      await rm(fileOf(folder, mine), { force: true });
      continue;
    }
    await Promise.all(numbers.filter((number) => number < mine).map((number) => rm(fileOf(folder, number), { force: true })));
    return { release: () => replace(folder, mine, { ...holder, released: true }) };
  }
}

const fileOf = (folder: string, number: number) => path.join(folder, String(number));

async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .filter((name) => /^\d{1,15}$/.test(name))
    .map(Number)
    .sort((a, b) => a - b);
}

/** The holder of this number; undefined when there is none. What cannot be read is held: a lock is never taken by mistake. */
async function readHolder(folder: string, number: number): Promise<Holder | undefined> {
  const file = fileOf(folder, number);
  try {
    return holderSchema.parse(JSON.parse(await readFile(file, "utf8")));
  } catch (cause) {
    if (isCode(cause, "ENOENT")) return undefined;
    const why = cause instanceof Error && "code" in cause ? ` (${cause.message})` : "";
    throw new SetpointError("InUse", `The lock file ${file} cannot be read${why}; remove it if no Setpoint process runs.`, { cause });
  }
}

/** Creates the numbered file with its whole content, or not at all. */
async function claim(folder: string, number: number, holder: Holder): Promise<boolean> {
  const draft = path.join(folder, `draft-${randomBytes(8).toString("hex")}`);
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
  try {
    await link(draft, fileOf(folder, number));
    return true;
  } catch (error) {
    if (isCode(error, "EEXIST")) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function replace(folder: string, number: number, holder: Holder): Promise<void> {
  const current = await readHolder(folder, number);
  if (current === undefined) return;
  const draft = path.join(folder, `draft-${randomBytes(8).toString("hex")}`);
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
  await rename(draft, fileOf(folder, number));
}

/** Whether something thrown is a system error of this code. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
