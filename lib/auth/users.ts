/** Accounts: the first administrator, and what administrators do with the others. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import { type AccessRule, covers, EVERY, type Principal } from "@/lib/policies/access";
import { invalid } from "@/lib/policies/admission";
import { sameSecret } from "@/lib/secrets";
import type { Account, UserStore } from "@/lib/store/users";
import { auditOf } from "./audit";
import { hashPassword, passwordFault } from "./passwords";
import { parse, refuse } from "./shapes";

const email = z
  .email("must be an e-mail address")
  .max(254)
  .transform((text) => text.toLowerCase());
const role = z.enum(["none", "viewer", "operator", "administrator"]);
/** Names that begin with `system:` are given by Setpoint alone. */
const groups = z
  .array(
    z
      .string()
      .regex(/^(?!system:)[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$/, "must be letters, digits, ':', '.', '_' or '-', and not begin with system:"),
  )
  .max(50)
  .transform((names) => [...new Set(names)].sort());
const password = z.string().max(512);
const name = z.string().trim().min(1, "must not be empty").max(100);

export const newUser = z.strictObject({ email, name, role, groups: groups.default([]), password });
export const userChange = z.strictObject({
  role: role.optional(),
  groups: groups.optional(),
  disabled: z.boolean().optional(),
  password: password.optional(),
});
export const firstUser = z.strictObject({ token: z.string().max(200), email, name, password });

function checkPassword(candidate: string, address: string): void {
  const fault = passwordFault(candidate, address);
  if (fault !== undefined) throw refuse("account", [invalid("password", fault)]);
}

/** A row of what nobody who is signed in did. */
const unattended = (actor: string, about: string) =>
  ({ actor, verb: "create", kind: "User", namespace: "", name: about, detail: { role: "administrator" }, outcome: "done" }) as const;

const EVERYTHING = [{ verbs: [EVERY], kinds: [EVERY], namespaces: [EVERY] }] satisfies AccessRule[];

/** Who sets roles, groups and passwords of others can become any of them. */
function requireEverything(by: Principal): void {
  if (covers(by, EVERYTHING)) return;
  throw new SetpointError(
    "Forbidden",
    `accounts are changed by who may everything: this needs the role administrator, which ${by.name} has not in full`,
  );
}

export class Users {
  private token: string | undefined;

  constructor(private readonly store: UserStore) {}

  /** Creates the administrator of the configuration if there is no account yet; an account that exists is never changed by configuration. */
  async ensureAdministrator(admin: { email: string; password: string }): Promise<boolean> {
    if (await this.store.any()) return false;
    checkPassword(admin.password, admin.email);
    const address = admin.email.toLowerCase();
    const account = { email: address, name: address, role: "administrator", passwordHash: await hashPassword(admin.password) } as const;
    return (await this.store.createFirst(account, unattended("configuration", address))) !== undefined;
  }

  /** The one-time token for creating the first account; undefined once there is an account. The same until it is used. */
  async setupToken(): Promise<string | undefined> {
    if (await this.store.any()) {
      this.token = undefined;
      return undefined;
    }
    this.token ??= randomBytes(24).toString("base64url");
    return this.token;
  }

  /** Uses up the set-up token. Throws Forbidden for a wrong one, Conflict when there is an account already. */
  async setUp(raw: unknown): Promise<Account> {
    const { token, ...wanted } = parse("account", firstUser, raw);
    if (await this.store.any())
      throw new SetpointError("Conflict", "Setpoint is set up already: sign in, or ask an administrator for an account.");
    if (this.token === undefined || !sameSecret(token, this.token))
      throw new SetpointError("Forbidden", "The set-up token is not valid: use the one that this process printed when it started.");
    checkPassword(wanted.password, wanted.email);
    const { password: plain, ...rest } = wanted;
    const account = await this.store.createFirst(
      { ...rest, role: "administrator", passwordHash: await hashPassword(plain) },
      unattended("set-up token", rest.email),
    );
    this.token = undefined;
    if (!account) throw new SetpointError("Conflict", "Setpoint is set up already: sign in, or ask an administrator for an account.");
    return account;
  }

  list(): Promise<Account[]> {
    return this.store.list();
  }

  async create(raw: unknown, by: Principal): Promise<Account> {
    requireEverything(by);
    const { password: plain, ...wanted } = parse("account", newUser, raw);
    checkPassword(plain, wanted.email);
    return this.store.create(
      { ...wanted, passwordHash: await hashPassword(plain) },
      auditOf(by, "create", "User", wanted.email, { role: wanted.role, groups: wanted.groups }),
    );
  }

  async change(id: string, raw: unknown, by: Principal): Promise<Account> {
    requireEverything(by);
    const wanted = parse("account", userChange, raw);
    if (wanted.password !== undefined) checkPassword(wanted.password, "");
    const detail = {
      ...(wanted.role === undefined ? {} : { role: wanted.role }),
      ...(wanted.groups === undefined ? {} : { groups: wanted.groups }),
      ...(wanted.disabled === undefined ? {} : { disabled: wanted.disabled }),
      ...(wanted.password === undefined ? {} : { password: "changed" }),
    };
    return this.store.change(
      id,
      {
        ...(wanted.role === undefined ? {} : { role: wanted.role }),
        ...(wanted.groups === undefined ? {} : { groups: wanted.groups }),
        ...(wanted.disabled === undefined ? {} : { disabled: wanted.disabled }),
        ...(wanted.password === undefined ? {} : { passwordHash: await hashPassword(wanted.password) }),
      },
      auditOf(by, "update", "User", id, detail),
    );
  }
}
