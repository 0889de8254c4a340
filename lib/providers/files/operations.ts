import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { toIso } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { type Permissions, publishNew, publishOver, removeName, writeTemporary } from "./atomic";
import type { Claim, DesiredFile, FileLook, FileOptions, FileStep, FilesConfig } from "./contract";
import { checkSignal, fileFault } from "./faults";
import { type Folder, withFolder } from "./folders";
import { type Mark, Marks, markLocation, temporaryName } from "./marks";
import { pathFault } from "./paths";
import { LARGEST_CONTENT, readActual, statOf } from "./reading";

const DEFAULT_MODE = 0o644;
/** Of folders made on the way to a file. They carry no mark, may come to hold other people's things, and so are never removed. */
const FOLDER_MODE = 0o755;
const NOTHING = { actual: { type: "absent" }, owned: false, unfinished: false } as const;

/** The path split into where and what; InvalidSpec when it cannot name a file below the root. */
function placeOf(path: string): { folders: string[]; name: string } {
  const fault = pathFault(path);
  if (fault !== undefined) throw new SetpointError("InvalidSpec", `path ${fault}`);
  const folders = path.split("/");
  const name = folders.pop() ?? "";
  return { folders, name };
}

/** Look, put and remove over folders and marks. */
export class FileStore {
  readonly #marks: Marks;

  constructor(private readonly config: FilesConfig) {
    this.#marks = new Marks(config.root);
  }

  async look(path: string, claim: Claim, { signal }: FileOptions = {}): Promise<FileLook> {
    const what = `look at ${path}`;
    checkSignal(signal, what);
    try {
      const { folders, name } = placeOf(path);
      const mark = await this.#marks.read(path);
      const base = { markLocation: markLocation(path), ...(mark ? { holder: this.#holder(mark, claim) } : {}) };
      try {
        return await withFolder(this.config.root, folders, {}, async (folder) => {
          if (!folder) return { ...NOTHING, ...base, unfinished: mark?.state === "pending" };
          const actual = await readActual(folder, name, signal);
          const temporary = mark ? await statOf(folder, mark.temporary) : undefined;
          const owned = mark !== undefined && (mark.state === "done" || (await isSame(folder, name, temporary)));
          const unfinished = mark !== undefined && (mark.state === "pending" || temporary !== undefined);
          return { actual, owned: owned && actual.type === "file", unfinished, ...base };
        });
      } catch (thrown) {
        return { ...NOTHING, ...base, obstacle: obstacleOf(thrown) };
      }
    } catch (thrown) {
      if (thrown instanceof SetpointError && thrown.reason === "InvalidSpec")
        return { ...NOTHING, obstacle: obstacleOf(thrown), markLocation: markLocation(path) };
      throw fileFault(thrown, what);
    }
  }

  async put(
    path: string,
    file: DesiredFile,
    claim: Claim,
    { signal, adopt = false }: FileOptions & { adopt?: boolean } = {},
  ): Promise<void> {
    const what = `write ${path}`;
    const { folders, name } = placeOf(path);
    const content = Buffer.from(file.content, "utf8");
    if (content.length > LARGEST_CONTENT) throw new SetpointError("InvalidSpec", `content must be no more than ${LARGEST_CONTENT} bytes`);
    try {
      checkSignal(signal, what);
      const next = this.#newMark(path, claim, content);
      const ours = await this.#claim(path, claim, next, adopt);
      await withFolder(this.config.root, folders, { create: FOLDER_MODE }, async (folder) => {
        if (!folder) throw new SetpointError("TargetError", `cannot ${what}: its folder vanished`);
        const standing = await this.#settle(folder, name, ours, next, adopt);
        const permissions = permissionsOf(file, standing);
        checkSignal(signal, what);
        await this.#write({ folder, name, mark: next, content, permissions, over: standing !== undefined });
      });
    } catch (thrown) {
      throw fileFault(thrown, what);
    }
  }

  async remove(path: string, claim: Claim, { signal }: FileOptions = {}): Promise<void> {
    const what = `remove ${path}`;
    const { folders, name } = placeOf(path);
    try {
      checkSignal(signal, what);
      const mark = await this.#marks.read(path);
      if (!mark || !this.#holder(mark, claim).mine) return;
      const look = await this.look(path, claim, { signal });
      if (!look.obstacle)
        await withFolder(this.config.root, folders, {}, async (folder) => {
          if (!folder) return;
          // The file before its temporary twin: the twin is what proves an unfinished file to be ours.
          if (look.owned) await removeName(folder, name);
          await removeName(folder, mark.temporary);
          await folder.sync();
        });
      await this.#step("removed");
      // The mark last: a crash before this line leaves a mark without a file, never a file of ours without a mark.
      await this.#marks.remove(path);
    } catch (thrown) {
      throw fileFault(thrown, what);
    }
  }

  #holder(mark: Mark, claim: Claim) {
    const { installation, uid, namespace, name } = mark;
    return { installation, uid, namespace, name, mine: installation === this.config.installation && uid === claim.uid };
  }

  #newMark(path: string, claim: Claim, content: Uint8Array): Mark {
    return {
      version: 1,
      path,
      installation: this.config.installation,
      uid: claim.uid,
      namespace: claim.namespace,
      name: claim.name,
      state: "pending",
      sha256: createHash("sha256").update(content).digest("hex"),
      temporary: temporaryName(),
      markedAt: toIso(this.config.clock.now()),
    };
  }

  /** Makes sure that the mark of the path is the claim's, and returns the one that was there or has been made. */
  async #claim(path: string, claim: Claim, next: Mark, adopt: boolean): Promise<Mark> {
    const before = await this.#marks.read(path);
    if (before && this.#holder(before, claim).mine) return before;
    if (before && !adopt)
      throw new SetpointError("NotOurs", `${path} belongs to ConfigFile ${before.namespace}/${before.name}; choose another path`);
    if (before) await this.#marks.replace({ ...next, state: before.state, temporary: before.temporary });
    else if (!(await this.#marks.create(next)))
      throw new SetpointError("NotOurs", `another ConfigFile claimed ${path} at the same moment; choose another path`);
    await this.#step("marked");
    return before ?? next;
  }

  /**
   * What stands in the place of the file and may be replaced, after `next` has been recorded; undefined when the place is
   * free. Tidies what an earlier attempt left. Throws NotOurs or InvalidSpec for what may not be replaced.
   */
  async #settle(folder: Folder, name: string, before: Mark, next: Mark, adopt: boolean): Promise<Stats | undefined> {
    const shown = folder.shownAt(name);
    const standing = await statOf(folder, name);
    if (standing?.isSymbolicLink()) throw new SetpointError("InvalidSpec", linkMessage(shown));
    if (standing && !standing.isFile())
      throw new SetpointError("NotOurs", `${shown} is not a regular file; remove it or choose another path`);
    const proven = before.state === "done" || (await isSame(folder, name, await statOf(folder, before.temporary)));
    if (standing && !proven && !adopt)
      throw new SetpointError("NotOurs", `${shown} exists and is not ours; choose another path, or take it over with control.adopt`);
    const known = standing !== undefined || before.state === "done";
    // Done before the old twin goes: from here on the mark alone proves that what stands there is ours.
    if (known && before.state !== "done") await this.#marks.replace({ ...next, temporary: before.temporary, state: "done" });
    if (before.temporary !== next.temporary) {
      await removeName(folder, before.temporary);
      await this.#marks.replace({ ...next, state: known ? "done" : "pending" });
    }
    return standing;
  }

  async #write(job: {
    folder: Folder;
    name: string;
    mark: Mark;
    content: Uint8Array;
    permissions: Permissions;
    over: boolean;
  }): Promise<void> {
    const { folder, name, mark } = job;
    try {
      await writeTemporary(folder, mark.temporary, job.content, job.permissions);
    } catch (thrown) {
      await removeName(folder, mark.temporary);
      throw fileFault(thrown, `write ${mark.path}`);
    }
    await this.#step("written");
    if (job.over) {
      await publishOver(folder, mark.temporary, name);
      await this.#step("published");
      return;
    }
    if (!(await publishNew(folder, mark.temporary, name))) {
      await removeName(folder, mark.temporary);
      throw new SetpointError("NotOurs", `${folder.shownAt(name)} appeared while it was being written; it is left alone`);
    }
    await this.#step("published");
    await this.#marks.replace({ ...mark, state: "done" });
    await this.#step("finished");
    await removeName(folder, mark.temporary);
  }

  async #step(step: FileStep): Promise<void> {
    await this.config.onStep?.(step);
  }
}

/** Both names are one file: the proof that a half-finished first write is ours. */
async function isSame(folder: Folder, name: string, temporary: Stats | undefined): Promise<boolean> {
  if (!temporary) return false;
  const standing = await statOf(folder, name);
  return standing !== undefined && standing.ino === temporary.ino && standing.dev === temporary.dev;
}

/** Absent wishes keep what an existing file has. */
function permissionsOf(file: DesiredFile, standing: Stats | undefined): Permissions {
  const mode = file.mode ?? (standing ? standing.mode & 0o7777 : DEFAULT_MODE);
  const uid = file.uid ?? standing?.uid;
  const gid = file.gid ?? standing?.gid;
  return { mode, ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) };
}

function linkMessage(shown: string): string {
  return `${shown} is a symbolic link; Setpoint follows no links below its root`;
}

/** Faults of the place become part of the look; all others end it. */
function obstacleOf(thrown: unknown): FileLook["obstacle"] {
  if (thrown instanceof SetpointError && (thrown.reason === "InvalidSpec" || thrown.reason === "NotOurs"))
    return { reason: thrown.reason, message: thrown.message };
  throw thrown;
}
