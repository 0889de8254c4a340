/** From an account, a service account or a token to a principal with everything that is bound to it. Read anew for every request. */
import { createHash } from "node:crypto";
import { type Clock, fromIso } from "@/lib/clock";
import { type AccessRule, bound, builtInRules, type Principal } from "@/lib/policies/access";
import type { AccessStore, Grant, PresentedToken, ServiceAccount, StoredToken, Subject } from "@/lib/store/access";
import type { Account } from "@/lib/store/users";
import type { Authenticated } from "./sessions";
import { roleRules, tokenLimits, tokenScope } from "./shapes";

const EVERYBODY = "system:authenticated";
const MINUTE_MS = 60_000;

/** How a service account is called wherever a name is shown. */
export function nameOfServiceAccount({ namespace, name }: Pick<ServiceAccount, "namespace" | "name">): string {
  return `system:serviceaccount:${namespace}:${name}`;
}

/** What is stored of a token. */
export function hashOfToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** What a role of the store, or a built-in one, grants where it is bound. What cannot be read grants nothing. */
function rulesOfGrant({ role, namespace, rules }: Grant): AccessRule[] {
  const parsed = rules === undefined ? undefined : roleRules.safeParse(rules);
  return bound(builtInRules(role) ?? (parsed?.success ? parsed.data : []), namespace);
}

export class Principals {
  constructor(
    private readonly access: Pick<AccessStore, "grantsOf" | "presentedToken" | "tokenUsed">,
    private readonly clock: Clock,
  ) {}

  async ofAccount({ id, email, role, groups }: Account, via: Principal["via"]): Promise<Principal> {
    const all = [...groups, EVERYBODY];
    return { name: email, email, role, via, userId: id, groups: all, rules: await this.rules({ kind: "User", name: email }, all) };
  }

  async ofServiceAccount({ namespace, name }: Pick<ServiceAccount, "namespace" | "name">): Promise<Principal> {
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, EVERYBODY];
    const rules = await this.rules({ kind: "ServiceAccount", namespace, name }, groups);
    return { name: nameOfServiceAccount({ namespace, name }), email: "", role: "none", via: "token", groups, rules };
  }

  /** Whose token this is, narrowed to what it was made for. */
  async ofToken(secret: string): Promise<Authenticated> {
    const found = await this.access.presentedToken(hashOfToken(secret));
    if (!found) return { principal: undefined, invalid: "the bearer token is not valid" };
    const { token } = found;
    if ((fromIso(token.expiresAt) ?? 0) <= this.clock.now()) return { principal: undefined, invalid: "the bearer token has expired" };
    const owner = await this.ownerOf(found);
    if (!owner) return { principal: undefined, invalid: "the bearer token is not valid: its owner is disabled" };
    const scope = tokenScope.safeParse(token.scope);
    if (!scope.success) return { principal: undefined, invalid: "the bearer token is not valid: its scope cannot be read" };
    const limits = tokenLimits.safeParse(token.limits);
    if (!limits.success) return { principal: undefined, invalid: "the bearer token is not valid: its limits cannot be read" };
    await this.noteUse(token);
    const { id, name, prefix } = token;
    return { principal: { ...owner, scope: scope.data, token: { id, name, prefix, limits: limits.data } } };
  }

  private async ownerOf({ account, serviceAccount }: PresentedToken): Promise<Principal | undefined> {
    if (serviceAccount) return this.ofServiceAccount(serviceAccount);
    return account && !account.disabled ? this.ofAccount(account, "token") : undefined;
  }

  private async noteUse({ id, lastUsedAt }: StoredToken): Promise<void> {
    if (this.clock.now() - (fromIso(lastUsedAt) ?? 0) >= MINUTE_MS) await this.access.tokenUsed(id);
  }

  private async rules(subject: Subject, groups: readonly string[]): Promise<AccessRule[]> {
    return (await this.access.grantsOf(subject, groups)).flatMap(rulesOfGrant);
  }
}
