/** Ports of accounts and signed-in browsers. */
import type { Instant } from "@/lib/clock";
import type { AuditEntry } from ".";

export interface Account {
  id: string;
  email: string;
  name: string;
  /** In every namespace. `none`: only what is bound to the account or to a group of it. */
  role: "none" | "viewer" | "operator" | "administrator";
  groups: string[];
  disabled: boolean;
  createdAt: string;
}

export interface NewAccount {
  email: string;
  name: string;
  role: Account["role"];
  groups?: string[];
  passwordHash: string;
}

export interface AccountChange {
  role?: Account["role"];
  groups?: string[];
  disabled?: boolean;
  passwordHash?: string;
}

export interface UserStore {
  /** Whether there is any account. */
  any(): Promise<boolean>;
  list(): Promise<Account[]>;
  /** By lower-case address, with what a password is checked against. */
  findByEmail(email: string): Promise<{ account: Account; passwordHash: string } | undefined>;
  /** Throws AlreadyExists. */
  create(account: NewAccount, audit: AuditEntry): Promise<Account>;
  /** Creates the account only if there is none at all; undefined when there is one. */
  createFirst(account: NewAccount, audit: AuditEntry): Promise<Account | undefined>;
  /** Throws NotFound, and Conflict when no enabled administrator would be left. Disabling and a new password end all sessions. */
  change(id: string, change: AccountChange, audit: AuditEntry): Promise<Account>;
  /** With the audit row that says so, in one transaction. Gives the id of the session. */
  openSession(userId: string, expiresAt: Instant, audit: AuditEntry): Promise<string>;
  /** The account behind a session that is open and whose account is enabled. */
  session(id: string): Promise<Account | undefined>;
  /** Leaves an audit entry of its own when there was one. */
  closeSession(id: string): Promise<void>;
}
