import type { ApplyContext } from "@/lib/controller";
import type { Files } from "@/lib/providers/files";
import type { Resource } from "@/lib/resource";
import { claimOf } from "./observe";
import type { FileAction } from "./plan";
import type { ConfigFileSpec } from "./schema";

/** One atomic write or removal; safe to repeat. */
export async function apply(files: Files, action: FileAction, resource: Resource<ConfigFileSpec>, context: ApplyContext): Promise<void> {
  const { path, content } = resource.spec;
  const { signal } = context;
  if (action.type === "Delete") return files.remove(path, claimOf(resource), { signal });
  const { mode, uid, gid, adopt } = action.input;
  await files.put(path, { content, mode, uid, gid }, claimOf(resource), { signal, adopt });
}
