import type { ObserveContext } from "@/lib/controller";
import type { Claim, FileLook, Files, Holder } from "@/lib/providers/files";
import type { Resource } from "@/lib/resource";
import type { ConfigFileSpec } from "./schema";

export const KIND = "ConfigFile";

export interface Observed {
  look: FileLook;
  /** The wished owner as ids of this host, and what the file has, in the same form. Absent when no owner is wished. */
  owner?: { uid: number; gid?: number; actual?: string };
  /** When the path is marked for somebody else: whether that ConfigFile is known to be gone, so that its mark may be taken over. */
  holderGone: boolean;
  /** The mark is another installation's: nobody here knows whether its object still lives. */
  holderForeign?: boolean;
}

export function claimOf(resource: Resource<unknown>): Claim {
  const { uid, namespace, name } = resource.metadata;
  return { uid, namespace, name };
}

/** Reads the file, its mark and the names of owners. Writes nothing. */
export async function observe(files: Files, resource: Resource<ConfigFileSpec>, context: ObserveContext): Promise<Observed> {
  const { path } = resource.spec;
  const look = await files.look(path, claimOf(resource), { signal: context.signal });
  const holderForeign = look.holder !== undefined && !look.holder.mine && look.holder.installation !== context.installation;
  const holderGone = !holderForeign && look.holder !== undefined && !look.holder.mine && (await isGone(look.holder, resource, context));
  // An owner that no longer exists on this host must not keep a file from being deleted.
  if (resource.spec.owner === undefined || resource.metadata.deletionTimestamp !== undefined) return { look, holderGone, holderForeign };
  const ids = await files.resolveOwner(resource.spec.owner);
  if (look.actual.type !== "file") return { look, holderGone, holderForeign, owner: ids };
  const actual = await files.spellOwner(resource.spec.owner, look.actual.uid, look.actual.gid);
  return { look, holderGone, holderForeign, owner: { ...ids, actual } };
}

/** Only what can be looked up counts as gone: another namespace's objects cannot. */
async function isGone(holder: Holder, resource: Resource<unknown>, context: ObserveContext): Promise<boolean> {
  if (holder.namespace !== resource.metadata.namespace) return false;
  const found = await context.lookup(KIND, holder.name);
  return found?.metadata.uid !== holder.uid;
}
