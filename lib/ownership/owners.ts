/** Whose a field is, for people. */
import type { JsonObject, ManagedFields } from "@/lib/resource";
import { isMap } from "./shape";
import { fieldOf } from "./steps";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** One owner of a field. */
export interface Owner {
  manager: string;
  operation: ManagedFields["operation"];
  /** ISO 8601: when it last changed anything of this object. */
  time: string;
  /** It stands behind a configuration that it applies again: what is changed under it, it will change back. */
  standing: boolean;
}

/** The managers that own the field at a dotted path (`spec.template.env.PORT`), or something below it; newest first. */
export function ownersOf(managed: readonly ManagedFields[], path: string): Owner[] {
  return managed
    .filter(({ fieldsV1 }) => reaches(fieldsV1, path))
    .map((entry) => ({ manager: entry.manager, operation: entry.operation, time: entry.time, standing: isStanding(entry) }))
    .sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0));
}

/** `kubectl apply` without `--server-side` keeps what it applied last beside the object: it will apply again as well. */
export function isStanding({ operation, fieldsV1 }: ManagedFields): boolean {
  return operation === "Apply" || reaches(fieldsV1, `metadata.annotations.${LAST_APPLIED}`);
}

/** Names of fields may hold dots, so every way to cut the path is tried; steps into a list stand for any of its items. */
function reaches(node: JsonObject, path: string): boolean {
  if (path === "") return true;
  return Object.entries(node).some(([step, child]) => {
    if (!isMap(child) || step === ".") return false;
    const name = fieldOf(step);
    if (name === undefined) return reaches(child, path.replace(/^[^.]*\.?/, ""));
    if (path === name) return true;
    if (!path.startsWith(`${name}.`)) return false;
    // A field that is owned as a whole covers what is in it.
    return Object.keys(child).length === 0 || reaches(child, path.slice(name.length + 1));
  });
}
