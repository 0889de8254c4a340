/**
 * Whose a file is, in side records below `<root>/.setpoint/marks`, one per path. Recorded before the file is first
 * written: a crash in between leaves a pending mark and no file, never a file of ours without a mark.
 */
import { createHash, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import { publishNew, publishOver, removeName, writeTemporary } from "./atomic";
import { errnoOf, fileFault } from "./faults";
import { type Folder, withFolder } from "./folders";
import { PRIVATE_FOLDER, TEMPORARY_PREFIX } from "./paths";

const markSchema = z.strictObject({
  version: z.literal(1),
  path: z.string(),
  installation: z.string(),
  uid: z.string(),
  namespace: z.string(),
  name: z.string(),
  /** `pending` until the first version of the file is known to have its name. */
  state: z.enum(["pending", "done"]),
  /** Digest of what was last about to be written. */
  sha256: z.string(),
  /** Name, beside the file, that it was written under first. While pending, the file is ours only if it is the same inode. */
  temporary: z.string().regex(/^\.setpoint-[0-9a-f-]+$/),
  markedAt: z.string(),
});

/** One side record. */
export type Mark = z.infer<typeof markSchema>;

export class Marks {
  constructor(private readonly root: string) {}

  async read(path: string): Promise<Mark | undefined> {
    return this.#within(undefined, `read the mark of ${path}`, async (folder) => {
      if (!folder) return undefined;
      const text = await readFile(folder.at(nameOf(path)), "utf8").catch((thrown: unknown) => {
        if (errnoOf(thrown) === "ENOENT") return undefined;
        throw thrown;
      });
      return text === undefined ? undefined : parse(path, text);
    });
  }

  /** False when somebody else's mark got there first. */
  create(mark: Mark): Promise<boolean> {
    return this.#write(mark, publishNew);
  }

  async replace(mark: Mark): Promise<void> {
    await this.#write(mark, async (...names) => {
      await publishOver(...names);
      return true;
    });
  }

  async remove(path: string): Promise<void> {
    await this.#within(undefined, `remove the mark of ${path}`, async (folder) => {
      if (folder && (await removeName(folder, nameOf(path)))) await folder.sync();
    });
  }

  #write(mark: Mark, publish: (folder: Folder, temporary: string, name: string) => Promise<boolean>): Promise<boolean> {
    return this.#within(0o700, `mark ${mark.path} as ours`, async (folder) => {
      if (!folder) throw new SetpointError("TargetError", "the folder of marks vanished while it was made");
      const temporary = temporaryName();
      try {
        await writeTemporary(folder, temporary, Buffer.from(`${JSON.stringify(mark, null, 2)}\n`), { mode: 0o600 });
        return await publish(folder, temporary, nameOf(mark.path));
      } finally {
        await removeName(folder, temporary);
      }
    });
  }

  async #within<T>(create: 0o700 | undefined, what: string, use: (folder: Folder | undefined) => Promise<T>): Promise<T> {
    try {
      return await withFolder(this.root, [PRIVATE_FOLDER, "marks"], { create }, use);
    } catch (thrown) {
      throw fileFault(thrown, what);
    }
  }
}

/** A name nobody else will choose. */
export function temporaryName(): string {
  return `${TEMPORARY_PREFIX}${randomUUID()}`;
}

/** File of the mark for `path`, below the root; told to people who must remove one by hand. */
export function markLocation(path: string): string {
  return `${PRIVATE_FOLDER}/marks/${nameOf(path)}`;
}

function nameOf(path: string): string {
  return `${createHash("sha256").update(path).digest("hex")}.json`;
}

function parse(path: string, text: string): Mark {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (thrown) {
    throw damaged(path, thrown);
  }
  const result = markSchema.safeParse(json);
  if (!result.success || result.data.path !== path) throw damaged(path, result.error);
  return result.data;
}

function damaged(path: string, cause: unknown): SetpointError {
  const advice = `make sure that ${path} is nobody else's, then remove ${markLocation(path)} below the root`;
  return new SetpointError("TargetError", `the ownership mark of ${path} is damaged; ${advice}`, { cause });
}
