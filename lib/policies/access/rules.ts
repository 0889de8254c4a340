/** Rules: verbs x kinds x namespaces. What a principal may is what a rule of it says, narrowed by the scope of the token it came with. */

/** Everything that can be asked for. */
export const VERBS = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  /** Many at once, by selector. */
  "deletecollection",
  /** Pause, mode, deletion policy, adoption of one object. */
  "control",
  /** Look now. */
  "reconcile",
  /** A plan for a spec that is not stored: it reads whatever the spec names. */
  "preview",
  /** Pause of a whole kind. */
  "pause",
  /** Accounts, service accounts, roles and bindings. */
  "administer",
] as const;
export type Verb = (typeof VERBS)[number];

/** Stands for all verbs, kinds or namespaces. */
export const EVERY = "*";

/** What a role grants; where is the binding's to say. Kinds are plurals. `*` is all of them. */
export interface RoleRule {
  verbs: (Verb | typeof EVERY)[];
  kinds: string[];
}

/** A rule and where it holds. */
export interface AccessRule extends RoleRule {
  namespaces: string[];
}

export const ROLES = ["viewer", "operator", "administrator"] as const;
/** The built-in roles: each may all that the one before it may. */
export type Role = (typeof ROLES)[number];

/** The least built-in role that may. */
export const NEEDS: Record<Verb, Role> = {
  get: "viewer",
  list: "viewer",
  watch: "viewer",
  create: "operator",
  update: "operator",
  patch: "operator",
  delete: "operator",
  deletecollection: "operator",
  control: "operator",
  reconcile: "operator",
  preview: "operator",
  pause: "administrator",
  administer: "administrator",
};

const rank = (role: Role) => ROLES.indexOf(role);

/** Whether that built-in role may, where it is given. */
export function mayRole(role: Role, verb: Verb): boolean {
  return rank(role) >= rank(NEEDS[verb]);
}

/** The built-in role as rules; undefined when it is none. */
export function builtInRules(role: string): RoleRule[] | undefined {
  const found = ROLES.find((name) => name === role);
  if (found === undefined) return undefined;
  return [{ verbs: VERBS.filter((verb) => mayRole(found, verb)), kinds: [EVERY] }];
}

/** A role given in a namespace, or everywhere (`*`). */
export function bound(rules: readonly RoleRule[], namespace: string): AccessRule[] {
  return rules.map((rule) => ({ ...rule, namespaces: [namespace] }));
}

/** Whether the list has the word. `*` as the word is only had by a list that says `*`. */
export function includes(list: readonly string[], word: string): boolean {
  return list.includes(EVERY) || list.includes(word);
}

/** What both lists have. */
export function intersect<T extends string>(a: readonly T[], b: readonly T[]): T[] {
  if (a.some((word) => word === EVERY)) return [...b];
  if (b.some((word) => word === EVERY)) return [...a];
  return a.filter((word) => b.includes(word));
}
