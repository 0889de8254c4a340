/** API tokens: made by people for themselves, and by administrators for service accounts. */
import { randomBytes } from "node:crypto";
import type { Clock } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { covers, decideAccess, everythingOf, type Principal } from "@/lib/policies/access";
import type { AccessStore, ServiceAccount, StoredToken, TokenOwner } from "@/lib/store/access";
import { auditOf } from "./audit";
import { hashOfToken, nameOfServiceAccount, type Principals } from "./principals";
import { newToken, parse } from "./shapes";

/** So that a token is known for one wherever it turns up. */
const MARK = "sp_";
const TOKEN_BYTES = 32;
const SHOWN = MARK.length + 8;
const DAY_MS = 86_400_000;
/** Of one owner. */
const MOST = 100;

/** `secret` is shown this once and stored nowhere. */
export interface MadeToken {
  token: StoredToken;
  secret: string;
}

export class Tokens {
  constructor(
    private readonly store: AccessStore,
    private readonly principals: Principals,
    private readonly clock: Clock,
  ) {}

  /** One's own; a token knows of itself alone. */
  async list(by: Principal): Promise<StoredToken[]> {
    if (by.userId === undefined) return [];
    const own = await this.store.tokensOf({ userId: by.userId });
    return by.token ? own.filter(({ id }) => id === by.token?.id) : own;
  }

  /** Throws Invalid, Forbidden, NotFound. */
  async create(raw: unknown, by: Principal): Promise<MadeToken> {
    const { name, expiresInDays, scope, limits, serviceAccount } = parse("token", newToken, raw);
    const { owner, holder } = serviceAccount ? await this.forServiceAccount(serviceAccount, by) : this.forOneself(by);
    if (serviceAccount && !covers(by, everythingOf({ ...holder, scope })))
      throw new SetpointError("Forbidden", `the token could do more than ${by.name} may: narrow its scope, or ask who may all of it`);
    const secret = `${MARK}${randomBytes(TOKEN_BYTES).toString("base64url")}`;
    const prefix = secret.slice(0, SHOWN);
    const token = await this.store.createToken(
      {
        name,
        prefix,
        hash: hashOfToken(secret),
        owner,
        scope,
        limits,
        createdBy: by.name,
        expiresAt: this.clock.now() + expiresInDays * DAY_MS,
      },
      MOST,
      auditOf(by, "create", "Token", name, { owner: holder.name, prefix, scope, limits, expiresInDays }, serviceAccount?.namespace),
    );
    return { token, secret };
  }

  /** One's own, or a service account's by who administers it; a token ends itself, and no other of its owner. What is somebody else's is not found. */
  async remove(id: string, by: Principal): Promise<void> {
    const owner = await this.store.ownerOfToken(id);
    const absent = new SetpointError("NotFound", `token "${id.slice(0, 64)}" not found`);
    if (!owner) throw absent;
    if (by.token?.id !== id && !(await this.mayRemove(owner, by))) throw absent;
    await this.store.deleteToken(id, auditOf(by, "delete", "Token", id));
  }

  private async mayRemove(owner: TokenOwner, by: Principal): Promise<boolean> {
    if ("userId" in owner) {
      const own = owner.userId === by.userId && by.via === "session";
      return own || decideAccess(by, "administer", { plural: "users" }).allowed;
    }
    const account = (await this.store.serviceAccounts()).find((candidate) => candidate.id === owner.serviceAccountId);
    return account !== undefined && mayAdminister(by, account);
  }

  private forOneself(by: Principal): { owner: TokenOwner; holder: Principal } {
    // A token that made others would outlive its own end and its own scope.
    if (by.userId === undefined || by.via !== "session")
      throw new SetpointError("Forbidden", "tokens of one's own are made by a person who is signed in, not by a token");
    return { owner: { userId: by.userId }, holder: by };
  }

  private async forServiceAccount(wanted: { namespace: string; name: string }, by: Principal) {
    const verdict = decideAccess(by, "administer", { plural: "serviceaccounts", ...wanted });
    if (!verdict.allowed) throw new SetpointError(verdict.reason, verdict.message);
    const account = await this.store.serviceAccount(wanted.namespace, wanted.name);
    if (!account) throw new SetpointError("NotFound", `${nameOfServiceAccount(wanted)} not found`);
    return { owner: { serviceAccountId: account.id }, holder: await this.principals.ofServiceAccount(account) };
  }
}

function mayAdminister(by: Principal, { namespace, name }: ServiceAccount): boolean {
  return decideAccess(by, "administer", { plural: "serviceaccounts", namespace, name }).allowed;
}
