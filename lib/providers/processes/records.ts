/**
 * The folder of each slot, `<data>/instances/<uid>/<ordinal>/`: what its process was started with (`instance.json`), how the last one
 * ended (`exit.json`), what it wrote (`output.log`, and `output.previous.log` of the one before) and its working directory (`work/`).
 * One process writes them, so they are read from disk once and kept in memory.
 */
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import type { Exit, Identity } from "./contract";

const startRecord = z.object({
  pid: z.int(),
  startTicks: z.int(),
  bootId: z.string(),
  startedAt: z.number(),
  template: z.string(),
  port: z.int().nullable(),
  command: z.array(z.string()),
  env: z.record(z.string(), z.string()),
});
export type StartRecord = z.infer<typeof startRecord>;

const exitRecord = z.object({
  ordinal: z.int(),
  template: z.string().nullable(),
  code: z.int().nullable(),
  signal: z.string().nullable(),
  at: z.number(),
  crashes: z.int(),
  output: z.string(),
});

/** Output beyond this is cut down to its end when looked after, and at the next start. */
export const OUTPUT_LIMIT_BYTES = 1024 * 1024;
const OUTPUT_KEPT_BYTES = 64 * 1024;

interface SlotRecords {
  start?: StartRecord;
  exit?: Exit;
}

export class Records {
  readonly #root: string;
  readonly #known = new Map<string, Map<number, SlotRecords>>();

  constructor(dataDir: string) {
    this.#root = path.resolve(dataDir, "instances");
  }

  folder(uid: string, ordinal: number): string {
    // Both come from the store; a path is still never made of what could leave the folder.
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(uid) || !Number.isSafeInteger(ordinal) || ordinal < 0)
      throw new SetpointError("InvalidSpec", `"${uid}/${ordinal}" cannot name a folder`);
    return path.join(this.#root, uid, String(ordinal));
  }

  /** The slots that have a folder now. Only what is in them is remembered. */
  slots(uid: string): Map<number, SlotRecords> {
    const known = this.#known.get(uid) ?? new Map<number, SlotRecords>();
    const present = new Set(this.#ordinals(uid));
    for (const ordinal of known.keys()) if (!present.has(ordinal)) known.delete(ordinal);
    for (const ordinal of present) if (!known.has(ordinal)) known.set(ordinal, this.#read(uid, ordinal));
    // Nothing to remember of an object without a folder: it may be one that is gone.
    if (known.size > 0) this.#known.set(uid, known);
    else this.#known.delete(uid);
    return known;
  }

  /** Reads a slot again: another process of Setpoint, the one before or after this one, may have written to it. */
  refresh(uid: string, ordinal: number): void {
    const slot = this.#known.get(uid)?.get(ordinal);
    if (!slot) return;
    const { start, exit } = this.#read(uid, ordinal);
    slot.start = start ?? slot.start;
    slot.exit = exit ?? slot.exit;
  }

  #read(uid: string, ordinal: number): SlotRecords {
    const folder = this.folder(uid, ordinal);
    return {
      start: readRecord(path.join(folder, "instance.json"), startRecord),
      exit: readRecord(path.join(folder, "exit.json"), exitRecord),
    };
  }

  #ordinals(uid: string): number[] {
    try {
      return readdirSync(path.join(this.#root, uid))
        .filter((name) => /^(0|[1-9]\d{0,8})$/.test(name))
        .map(Number);
    } catch {
      return [];
    }
  }

  /** Makes the folder and opens an empty output file to append to; the one before is kept as `output.previous.log`. */
  prepare(uid: string, ordinal: number): { work: string; output: number } {
    const folder = this.folder(uid, ordinal);
    const work = path.join(folder, "work");
    mkdirSync(work, { recursive: true, mode: 0o700 });
    this.#slot(uid, ordinal);
    const file = path.join(folder, "output.log");
    trimOutput(file, OUTPUT_LIMIT_BYTES);
    try {
      renameSync(file, path.join(folder, "output.previous.log"));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
    }
    return { work, output: openSync(file, "a", 0o600) };
  }

  started(uid: string, ordinal: number, record: StartRecord): void {
    this.#slot(uid, ordinal).start = record;
    writeRecord(path.join(this.folder(uid, ordinal), "instance.json"), record);
  }

  /** Records an end, unless the slot has a later process or has been given up since. */
  ended(uid: string, identity: Identity, exit: Exit): void {
    const slot = this.#known.get(uid)?.get(exit.ordinal);
    if (!slot?.start || slot.start.pid !== identity.pid || slot.start.startTicks !== identity.startTicks) return;
    slot.exit = exit;
    attempt(() => writeRecord(path.join(this.folder(uid, exit.ordinal), "exit.json"), exit));
  }

  /** The slot's last process was ended on purpose: how an earlier one ended explains nothing any more. */
  endedOnPurpose(uid: string, ordinal: number): void {
    const slot = this.#known.get(uid)?.get(ordinal);
    if (!slot?.exit) return;
    slot.exit = undefined;
    rmSync(path.join(this.folder(uid, ordinal), "exit.json"), { force: true });
  }

  forget(uid: string, ordinal: number): void {
    const folder = this.folder(uid, ordinal);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (this.slots(uid).size === 0) rmSync(path.dirname(folder), { recursive: true, force: true });
  }

  /** The telling line of the end of a slot's output. */
  lastWords(uid: string, ordinal: number): string {
    return tellingLine(readEnd(path.join(this.folder(uid, ordinal), "output.log"), 8 * 1024));
  }

  boundOutput(uid: string, ordinal: number): void {
    attempt(() => trimOutput(path.join(this.folder(uid, ordinal), "output.log"), OUTPUT_LIMIT_BYTES));
  }

  #slot(uid: string, ordinal: number): SlotRecords {
    const slots = this.slots(uid);
    const slot = slots.get(ordinal) ?? {};
    slots.set(ordinal, slot);
    this.#known.set(uid, slots);
    return slot;
  }
}

/**
 * For what happens in the background and only helps people: a full disk or a removed folder costs the record, and must not end Setpoint.
 * False when it did not work.
 */
function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}

/** A record that is missing, cut short or of another version is no record: marks alone still find every process. */
function readRecord<T>(file: string, schema: z.ZodType<T>): T | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(readFileSync(file, "utf8")));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function writeRecord(file: string, record: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function readEnd(file: string, bytes: number): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r");
  } catch {
    return "";
  }
  try {
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const length = readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** The writer appends, so cutting under it is safe: its next line lands at the new end. */
function trimOutput(file: string, limit: number): void {
  let descriptor: number;
  try {
    descriptor = openSync(file, "r+");
  } catch {
    return;
  }
  try {
    if (fstatSync(descriptor).size <= limit) return;
    const end = readEnd(file, OUTPUT_KEPT_BYTES);
    ftruncateSync(descriptor, 0);
    writeFileSync(descriptor, `[Setpoint cut the older output]\n${end}`);
  } finally {
    closeSync(descriptor);
  }
}

/** The last line that speaks of an error, else the last line at all: runtimes end with stack frames and version lines. */
export function tellingLine(text: string): string {
  // Colours first, then every other control character: this text ends up in messages.
  const printable = text.replace(/\p{Cc}\[[0-9;]*m/gu, "").replace(/[^\P{C}\n]/gu, " ");
  const lines = printable
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const telling = lines.findLast((line) => /error|exception|fatal|panic|fail|cannot|denied/i.test(line) && !/^at /.test(line));
  return (telling ?? lines.at(-1) ?? "").slice(0, 200);
}
