/** Port of the garbage collector: which objects may have lost their owners, and which owners wait for it. */
import type { Resource } from "@/lib/resource";

export interface CollectionStore {
  /** The newest revision, and whether since `revision` something happened that can leave work: a deletion, or a change of an owned object. */
  stirred(revision: string): Promise<{ revision: string; stirred: boolean }>;
  /** Owned objects that are not being deleted, with an owner of ours that is gone or is being deleted in the foreground; but for these uids. */
  unowned(limit: number, except: readonly string[]): Promise<Resource[]>;
  /** Objects that are being deleted and carry a finalizer of the collector's. */
  draining(limit: number): Promise<Resource[]>;
  /** Objects of that namespace that name this uid as an owner. */
  dependents(namespace: string, uid: string, limit: number): Promise<Resource[]>;
}
