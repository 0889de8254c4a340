/** Accounts: the first administrator, and what administrators do with the others. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Cause, SetpointError } from "@/lib/errors";
import type { Principal } from "@/lib/policies/access";
import { causesOf, invalid } from "@/lib/policies/admission";
import { sameSecret } from "@/lib/secrets";
import type { AuditEntry } from "@/lib/store";
import type { Account, UserStore } from "@/lib/store/users";
import { hashPassword, passwordFault } from "./passwords";

const email = z
  .email("must be an e-mail address")
  .max(254)
  .transform((text) => text.toLowerCase());
const role = z.enum(["viewer", "operator", "administrator"]);
const password = z.string().max(512);
const name = z.string().trim().min(1, "must not be empty").max(100);

export const newUser = z.strictObject({ email, name, role, password });
export const userChange = z.strictObject({ role: role.optional(), disabled: z.boolean().optional(), password: password.optional() });
export const firstUser = z.strictObject({ token: z.string().max(200), email, name, password });

/** Parses a request about accounts. Throws Invalid with a cause per field. */
function parse<T>(schema: z.ZodType<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw refuse(causesOf(parsed.error.issues, schema, raw, ""));
}

function refuse(causes: Cause[]): SetpointError {
  return new SetpointError("Invalid", `the account is invalid: ${causes.map(({ field, message }) => `${field}: ${message}`).join(", ")}`, {
    causes,
  });
}

function checkPassword(candidate: string, address: string): void {
  const fault = passwordFault(candidate, address);
  if (fault !== undefined) throw refuse([invalid("password", fault)]);
}

function auditOf(actor: string, verb: string, about: string, detail: NonNullable<AuditEntry["detail"]> = {}): AuditEntry {
  return { actor, verb, kind: "User", namespace: "", name: about, detail, outcome: "done" };
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
    return (await this.store.createFirst(account, auditOf("configuration", "create", address, { role: "administrator" }))) !== undefined;
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
    const { token, ...wanted } = parse(firstUser, raw);
    if (await this.store.any())
      throw new SetpointError("Conflict", "Setpoint is set up already: sign in, or ask an administrator for an account.");
    if (this.token === undefined || !sameSecret(token, this.token))
      throw new SetpointError("Forbidden", "The set-up token is not valid: use the one that this process printed when it started.");
    checkPassword(wanted.password, wanted.email);
    const { password: plain, ...rest } = wanted;
    const account = await this.store.createFirst(
      { ...rest, role: "administrator", passwordHash: await hashPassword(plain) },
      auditOf("set-up token", "create", rest.email, { role: "administrator" }),
    );
    this.token = undefined;
    if (!account) throw new SetpointError("Conflict", "Setpoint is set up already: sign in, or ask an administrator for an account.");
    return account;
  }

  list(): Promise<Account[]> {
    return this.store.list();
  }

  async create(raw: unknown, by: Principal): Promise<Account> {
    const { password: plain, ...wanted } = parse(newUser, raw);
    checkPassword(plain, wanted.email);
    return this.store.create(
      { ...wanted, passwordHash: await hashPassword(plain) },
      auditOf(by.name, "create", wanted.email, { role: wanted.role }),
    );
  }

  async change(id: string, raw: unknown, by: Principal): Promise<Account> {
    const wanted = parse(userChange, raw);
    if (wanted.password !== undefined) checkPassword(wanted.password, "");
    const detail = {
      ...(wanted.role === undefined ? {} : { role: wanted.role }),
      ...(wanted.disabled === undefined ? {} : { disabled: wanted.disabled }),
      ...(wanted.password === undefined ? {} : { password: "changed" }),
    };
    return this.store.change(
      id,
      {
        ...(wanted.role === undefined ? {} : { role: wanted.role }),
        ...(wanted.disabled === undefined ? {} : { disabled: wanted.disabled }),
        ...(wanted.password === undefined ? {} : { passwordHash: await hashPassword(wanted.password) }),
      },
      auditOf(by.name, "update", id, detail),
    );
  }
}
