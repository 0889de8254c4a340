import type { Files, FilesConfig } from "./contract";
import { FileStore } from "./operations";
import { resolveOwner, spellOwner } from "./owners";

export type * from "./contract";
export type { OwnerIds } from "./owners";
export { pathFault } from "./paths";
export { type Actual, type ActualFile, LARGEST_CONTENT } from "./reading";

/** The real adapter. */
export function createFiles(config: FilesConfig): Files {
  const store = new FileStore(config);
  return {
    look: (path, claim, options) => store.look(path, claim, options),
    put: (path, file, claim, options) => store.put(path, file, claim, options),
    remove: (path, claim, options) => store.remove(path, claim, options),
    resolveOwner,
    spellOwner,
  };
}
