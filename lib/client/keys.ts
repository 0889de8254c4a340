import type { Query, QueryKey } from "@tanstack/react-query";
import type { ChangeNotice } from "@/lib/api/contract";
import type { ObjectRef } from "./paths";

export type ObjectPart = "object" | "plan" | "revisions" | "events" | "passes";

/** The one place that knows how cached answers are keyed. */
export const queryKeys = {
  /** Everything about one object. */
  about: ({ plural, namespace, name }: ObjectRef) => ["object", plural, namespace, name] as const,
  object: (ref: ObjectRef, part: ObjectPart) => [...queryKeys.about(ref), part] as const,
  resources: (query?: string) => (query === undefined ? (["resources"] as const) : (["resources", query] as const)),
  overview: (range?: string) => (range === undefined ? (["overview"] as const) : (["overview", range] as const)),
  controllers: () => ["controllers"] as const,
  kinds: () => ["kinds"] as const,
  me: () => ["me"] as const,
  users: () => ["users"] as const,
  tokens: () => ["tokens"] as const,
  serviceAccounts: () => ["serviceaccounts"] as const,
  roles: () => ["roles"] as const,
  bindings: () => ["bindings"] as const,
};

/** How soon an answer is asked for again after a change: an object at once, a list soon, totals at leisure. */
export type Urgency = "object" | "list" | "total";

const URGENCY_OF: Record<string, Urgency> = { object: "object", resources: "list", overview: "total", controllers: "total" };

/** The urgency of a cached answer; undefined when changes of resources do not concern it. */
export function urgencyOf(key: QueryKey): Urgency | undefined {
  return typeof key[0] === "string" ? URGENCY_OF[key[0]] : undefined;
}

/** Kind to plural, from the answer of `kinds`; a kind that is not in it matches every plural of that name. */
export type Plurals = ReadonlyMap<string, string>;

/** Whether a cached answer about one object is outdated by any of the notices. */
export function concerns(key: QueryKey, notices: readonly ChangeNotice[], plurals: Plurals): boolean {
  const [scope, plural, namespace, name] = key;
  if (scope !== "object") return false;
  return notices.some((notice) => {
    if (notice.namespace !== namespace || notice.name !== name) return false;
    const known = plurals.get(notice.kind);
    return known === undefined || known === plural;
  });
}

/** A predicate for `invalidateQueries`: the answers of one urgency that the notices outdate. */
export function outdatedBy(
  notices: readonly ChangeNotice[],
  urgency: Urgency,
  plurals: Plurals,
): (query: Pick<Query, "queryKey">) => boolean {
  return ({ queryKey }) => urgencyOf(queryKey) === urgency && (urgency !== "object" || concerns(queryKey, notices, plurals));
}
