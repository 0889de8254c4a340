/** Who may do what: role x verb x kind -> verdict. Pure, total, and the only place that says so. */
import type { Reason } from "@/lib/errors";
import { GROUP } from "@/lib/resource";

export const ROLES = ["viewer", "operator", "administrator"] as const;
/** Each role may all that the one before it may. */
export type Role = (typeof ROLES)[number];

/** Who asks, as proved by a session or a token. */
export interface Principal {
  /** What revisions and the audit show: the e-mail address, or the token's name. */
  name: string;
  email: string;
  role: Role;
  /** How it was proved. A session comes by cookie, so its changes need proof of the same origin. */
  via: "session" | "token";
  userId?: string;
}

/** Everything that can be asked for. */
export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  /** Pause, mode, deletion policy, adoption of one object. */
  | "control"
  /** Look now. */
  | "reconcile"
  /** A plan for a spec that is not stored: it reads whatever the spec names. */
  | "preview"
  /** Pause of a whole kind. */
  | "pause"
  /** Accounts. */
  | "administer";

const NEEDS: Record<Verb, Role> = {
  get: "viewer",
  list: "viewer",
  watch: "viewer",
  create: "operator",
  update: "operator",
  patch: "operator",
  delete: "operator",
  control: "operator",
  reconcile: "operator",
  preview: "operator",
  pause: "administrator",
  administer: "administrator",
};

/** What is asked for: the URL word of the kind, and where. */
export interface Target {
  plural: string;
  namespace?: string;
  name?: string;
}

export type Verdict = { allowed: true } | { allowed: false; reason: Extract<Reason, "Unauthorized" | "Forbidden">; message: string };

const rank = (role: Role) => ROLES.indexOf(role);

/** Whether that role may, wherever. */
export function mayRole(role: Role, verb: Verb): boolean {
  return rank(role) >= rank(NEEDS[verb]);
}

/** The verdict, with a sentence that says what is missing. */
export function decideAccess(principal: Principal | undefined, verb: Verb, target: Target): Verdict {
  if (!principal)
    return {
      allowed: false,
      reason: "Unauthorized",
      message: "Unauthorized: sign in, or send a bearer token in the Authorization header.",
    };
  if (mayRole(principal.role, verb)) return { allowed: true };
  const place = target.namespace === undefined ? "" : ` in the namespace "${target.namespace}"`;
  const object = target.name === undefined ? "" : ` "${target.name}"`;
  return {
    allowed: false,
    reason: "Forbidden",
    message:
      `${target.plural}.${GROUP}${object} is forbidden: User "${principal.name}" cannot ${verb} resource "${target.plural}" ` +
      `in API group "${GROUP}"${place}: this needs the role ${NEEDS[verb]}, and ${principal.name} has the role ${principal.role}`,
  };
}
