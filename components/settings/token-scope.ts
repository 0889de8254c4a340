import type { JsonObject } from "@/lib/resource";

/** What a token may be made for, in the words of the form. Its owner's rights are narrowed to it. */
export const RIGHTS = {
  all: { label: "everything its owner may", verbs: ["*"] },
  read: { label: "read", verbs: ["get", "list", "watch"] },
  control: { label: "read, pause, resume and reconcile", verbs: ["get", "list", "watch", "control", "reconcile"] },
  edit: {
    label: "read, declare, edit, delete and control",
    verbs: ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "control", "reconcile", "preview"],
  },
} as const;
export type Rights = keyof typeof RIGHTS;
export const ALL_RIGHTS: readonly Rights[] = ["all", "read", "control", "edit"];

export function rightsOf(text: string): Rights {
  return ALL_RIGHTS.find((rights) => rights === text) ?? "read";
}

const wordsAt = (scope: JsonObject, key: string): string[] => {
  const list = scope[key];
  return Array.isArray(list) ? list.filter((word) => typeof word === "string") : [];
};

/** A scope as a sentence: "read, configfiles, in default". */
export function scopeText(scope: JsonObject): string {
  const verbs = wordsAt(scope, "verbs");
  const known = ALL_RIGHTS.find((rights) => [...RIGHTS[rights].verbs].sort().join() === [...verbs].sort().join());
  const [kinds, places] = [wordsAt(scope, "kinds"), wordsAt(scope, "namespaces")];
  return [
    known ? RIGHTS[known].label : verbs.join(", "),
    kinds.includes("*") ? "all kinds" : kinds.join(", "),
    places.includes("*") ? "all namespaces" : `in ${places.join(", ")}`,
  ].join("; ");
}
