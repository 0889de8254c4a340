/** Who may do what, where. Pure, total, and the only place that says so. */
import type { Reason } from "@/lib/errors";
import { GROUP } from "@/lib/resource";
import {
  type AccessRule,
  bound,
  builtInRules,
  EVERY,
  includes,
  intersect,
  NEEDS,
  type Role,
  type RoleRule,
  VERBS,
  type Verb,
} from "./rules";

export { type AccessRule, bound, builtInRules, EVERY, mayRole, NEEDS, ROLES, type Role, type RoleRule, VERBS, type Verb } from "./rules";

/** Who asks, as proved by a session or a token. */
export interface Principal {
  /** What revisions and the audit show: the e-mail address, `system:serviceaccount:<namespace>:<name>`, or the bootstrap token's name. */
  name: string;
  email: string;
  /** What it may in every namespace. `none`: only what is bound to it. */
  role: Role | "none";
  /** How it was proved. A session comes by cookie, so its changes need proof of the same origin. */
  via: "session" | "token";
  userId?: string;
  groups?: string[];
  /** What roles bound to it, or to a group of it, grant beside `role`. */
  rules?: AccessRule[];
  /** What the token was made for: it never adds, only narrows. */
  scope?: AccessRule;
  /** The token it came with. */
  token?: { id: string; name: string; prefix: string; limits?: TokenLimits };
}

/** What a token may ask of the server; undefined: the defaults of `lib/api`. */
export interface TokenLimits {
  requestsPerMinute?: number;
  /** Watches and event streams open at once. */
  streams?: number;
  /** Of a request's body. */
  bodyBytes?: number;
  /** Levels of lists and maps within each other in a body. */
  depth?: number;
}

/** What is asked for: the URL word of the kind, and where. Without a namespace: in all of them. */
export interface Target {
  plural: string;
  namespace?: string;
  name?: string;
}

export type Verdict = { allowed: true } | { allowed: false; reason: Extract<Reason, "Unauthorized" | "Forbidden">; message: string };

function grantsOf({ role, rules = [] }: Principal): AccessRule[] {
  return role === "none" ? rules : [...bound(builtInRules(role) ?? [], EVERY), ...rules];
}

const says = (rule: AccessRule, verb: string, plural: string, namespace: string) =>
  includes(rule.verbs, verb) && includes(rule.kinds, plural) && includes(rule.namespaces, namespace);

function allows(principal: Principal, verb: string, plural: string, namespace: string): boolean {
  if (principal.scope && !says(principal.scope, verb, plural, namespace)) return false;
  return grantsOf(principal).some((rule) => says(rule, verb, plural, namespace));
}

/** The verdict, with a sentence that says what is missing. */
export function decideAccess(principal: Principal | undefined, verb: Verb, target: Target): Verdict {
  if (!principal)
    return {
      allowed: false,
      reason: "Unauthorized",
      message: "Unauthorized: sign in, or send a bearer token in the Authorization header.",
    };
  if (allows(principal, verb, target.plural, target.namespace ?? EVERY)) return { allowed: true };
  const place = target.namespace === undefined ? "" : ` in the namespace "${target.namespace}"`;
  const object = target.name === undefined ? "" : ` "${target.name}"`;
  return {
    allowed: false,
    reason: "Forbidden",
    message:
      `${target.plural}.${GROUP}${object} is forbidden: User "${principal.name}" cannot ${verb} resource "${target.plural}" ` +
      `in API group "${GROUP}"${place}: ${missing(principal, verb, target)}`,
  };
}

function missing(principal: Principal, verb: Verb, { plural, namespace }: Target): string {
  const { name, role, scope } = principal;
  if (scope && allows({ ...principal, scope: undefined }, verb, plural, namespace ?? EVERY))
    return `${name} may, but the token "${principal.token?.name ?? ""}" was not made for it`;
  const where = namespace === undefined && principal.rules?.length ? " in all namespaces" : "";
  const has = role === "none" ? "no role bound to it grants it" : `${name} has the role ${role}`;
  return `this needs the role ${NEEDS[verb]}${where}, and ${has}`;
}

/** The rules that hold for it in that namespace, the token's scope counted in: verbs x plurals, `*` for all. */
export function rulesOf(principal: Principal, namespace: string): RoleRule[] {
  const { scope } = principal;
  return grantsOf(principal)
    .filter((rule) => includes(rule.namespaces, namespace))
    .flatMap((rule): RoleRule[] => {
      if (!scope) return [{ verbs: rule.verbs, kinds: rule.kinds }];
      if (!includes(scope.namespaces, namespace)) return [];
      return [{ verbs: intersect(rule.verbs, scope.verbs), kinds: intersect(rule.kinds, scope.kinds) }];
    })
    .filter(({ verbs, kinds }) => verbs.length > 0 && kinds.length > 0);
}

/** Where it may do that to that kind: all namespaces (`*`), or these. For lists over several namespaces. */
export function namespacesWith(principal: Principal, verb: Verb, plural: string): typeof EVERY | string[] {
  if (allows(principal, verb, plural, EVERY)) return EVERY;
  const named = [...grantsOf(principal), ...(principal.scope ? [principal.scope] : [])].flatMap((rule) => rule.namespaces);
  return [...new Set(named)].filter((namespace) => namespace !== EVERY && allows(principal, verb, plural, namespace)).sort();
}

/** Whether there is a namespace and a kind for which it may. */
export function mayAnywhere(principal: Principal, verb: Verb): boolean {
  const { scope } = principal;
  return grantsOf(principal).some((rule) => {
    if (!includes(rule.verbs, verb)) return false;
    if (!scope) return true;
    return (
      includes(scope.verbs, verb) &&
      intersect(rule.kinds, scope.kinds).length > 0 &&
      intersect(rule.namespaces, scope.namespaces).length > 0
    );
  });
}

/** Whether it may all that these rules say: nobody gives more than they have. */
export function covers(principal: Principal, rules: readonly AccessRule[]): boolean {
  return rules.every(({ verbs, kinds, namespaces }) => {
    const asked = verbs.some((verb) => verb === EVERY) ? VERBS : verbs;
    return asked.every((verb) => kinds.every((kind) => namespaces.every((namespace) => allows(principal, verb, kind, namespace))));
  });
}

/** All that it may, as rules: what a token or a service account of it can do at most. */
export function everythingOf(principal: Principal): AccessRule[] {
  const { scope } = principal;
  if (!scope) return grantsOf(principal);
  return grantsOf(principal).map((rule) => ({
    verbs: intersect(rule.verbs, scope.verbs),
    kinds: intersect(rule.kinds, scope.kinds),
    namespaces: intersect(rule.namespaces, scope.namespaces),
  }));
}
