import type { Clock } from "@/lib/clock";
import type { OwnerIds } from "./owners";
import type { Actual } from "./reading";

/** Who wants a file: the resource behind it. */
export interface Claim {
  uid: string;
  namespace: string;
  name: string;
}

/** Who has it, as far as its mark says. */
export interface Holder extends Claim {
  installation: string;
  /** It is the claim that asked. */
  mine: boolean;
}

/** A path as it was when looked at. */
export interface FileLook {
  actual: Actual;
  /** Absent when the path carries no mark. */
  holder?: Holder;
  /** What is there is what the holder wrote, or took the place of it. False for what appeared beside an unfinished first write. */
  owned: boolean;
  /** A first write was cut off: the mark is pending or the temporary file still there. Another `put` finishes it. */
  unfinished: boolean;
  /** Why nothing can be done at this path, e.g. a link on the way to it. */
  obstacle?: { reason: "InvalidSpec" | "NotOurs"; message: string };
  /** File of this path's mark, below the root. */
  markLocation: string;
}

/** A file as it should be. Absent mode or owner: what an existing file has is kept, a new one gets 0644 and the process's owner. */
export interface DesiredFile {
  content: string;
  mode?: number;
  uid?: number;
  gid?: number;
}

export interface FileOptions {
  signal?: AbortSignal;
}

/**
 * Files below one root. Paths are relative to it; none that could leave it is accepted and no link is followed. A file is
 * touched only for the claim that its mark names. Every method throws only SetpointError with a reason of the catalogue.
 */
export interface Files {
  /** Reads; never writes. */
  look(path: string, claim: Claim, options?: FileOptions): Promise<FileLook>;
  /**
   * Writes the file whole or not at all. NotOurs when something without the claim's mark is there and `adopt` is not set; with
   * `adopt` it, and the mark of another claim, are taken over. Safe to repeat.
   */
  put(path: string, file: DesiredFile, claim: Claim, options?: FileOptions & { adopt?: boolean }): Promise<void>;
  /** Removes the claim's file, if it is still a file, and then its mark. Does nothing for other claims. Safe to repeat. */
  remove(path: string, claim: Claim, options?: FileOptions): Promise<void>;
  /** `user` or `user:group`, names or numbers, as ids of this host. Rejected when it does not know a name. */
  resolveOwner(owner: string): Promise<OwnerIds>;
  /** Ids as text in the form of `like` (names or numbers, with or without group). */
  spellOwner(like: string, uid: number, gid: number): Promise<string>;
}

/** Side effects after which a crash is tried in tests. */
export type FileStep = "marked" | "written" | "published" | "finished" | "removed";

export interface FilesConfig {
  /** The only folder below which files are written; made when first needed. */
  root: string;
  /** Id of this installation, part of every mark. */
  installation: string;
  clock: Clock;
  /** Called after each side effect; a promise that never settles is a crash at that point. For tests. */
  onStep?: (step: FileStep) => Promise<void>;
}
