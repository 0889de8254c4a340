/** Ports of who may do what beside the accounts: API tokens, service accounts, roles and bindings. */
import type { Instant } from "@/lib/clock";
import type { JsonObject } from "@/lib/resource";
import type { AuditEntry } from ".";
import type { Account } from "./users";

export interface ServiceAccount {
  id: string;
  namespace: string;
  name: string;
  createdBy: string;
  createdAt: string;
}

export interface StoredToken {
  id: string;
  name: string;
  /** The first characters of the token. */
  prefix: string;
  /** As it was stored: whoever reads it checks it. */
  scope: JsonObject;
  limits: JsonObject;
  createdBy: string;
  createdAt: string;
  expiresAt: string;
  /** To the minute; undefined: never. */
  lastUsedAt?: string;
}

export type TokenOwner = { userId: string } | { serviceAccountId: string };

export interface NewToken {
  name: string;
  prefix: string;
  /** SHA-256 of the token, in hexadecimal. */
  hash: string;
  owner: TokenOwner;
  scope: JsonObject;
  limits: JsonObject;
  createdBy: string;
  expiresAt: Instant;
}

/** A token that is presented, with whose it is. */
export interface PresentedToken {
  token: StoredToken;
  account?: Account;
  serviceAccount?: ServiceAccount;
}

export interface StoredRole {
  name: string;
  description: string;
  /** As it was stored: whoever reads it checks it. */
  rules: unknown;
  createdBy: string;
  createdAt: string;
}

export interface Subject {
  kind: "User" | "Group" | "ServiceAccount";
  /** Of a service account. */
  namespace?: string;
  name: string;
}

export interface StoredBinding {
  id: string;
  role: string;
  /** `*`: everywhere. */
  namespace: string;
  subject: Subject;
  createdBy: string;
  createdAt: string;
}

/** One role that is bound to somebody. `rules` are those of a role of the store; built-in roles have none there. */
export interface Grant {
  role: string;
  namespace: string;
  rules?: unknown;
}

/** Every write leaves its audit entry in the same transaction. */
export interface AccessStore {
  /** By hash; undefined when there is none (any more). Says nothing about expiry. */
  presentedToken(hash: string): Promise<PresentedToken | undefined>;
  /** Notes the use of a token; writes at most once a minute. */
  tokenUsed(id: string): Promise<void>;
  tokensOf(owner: TokenOwner): Promise<StoredToken[]>;
  /** Tokens of all service accounts, by the account's id. */
  serviceAccountTokens(): Promise<Record<string, StoredToken[]>>;
  /** Throws Conflict when the owner has `most` already. */
  createToken(token: NewToken, most: number, audit: AuditEntry): Promise<StoredToken>;
  /** Whose the token is; undefined when there is none. */
  ownerOfToken(id: string): Promise<TokenOwner | undefined>;
  /** Throws NotFound. */
  deleteToken(id: string, audit: AuditEntry): Promise<void>;

  serviceAccounts(): Promise<ServiceAccount[]>;
  serviceAccount(namespace: string, name: string): Promise<ServiceAccount | undefined>;
  /** Throws AlreadyExists. */
  createServiceAccount(account: { namespace: string; name: string; createdBy: string }, audit: AuditEntry): Promise<ServiceAccount>;
  /** With its tokens and bindings. Throws NotFound. */
  deleteServiceAccount(namespace: string, name: string, audit: AuditEntry): Promise<void>;

  roles(): Promise<StoredRole[]>;
  /** Throws AlreadyExists. */
  createRole(role: { name: string; description: string; rules: JsonObject[]; createdBy: string }, audit: AuditEntry): Promise<StoredRole>;
  /** Throws NotFound, and InUse while it is bound. */
  deleteRole(name: string, audit: AuditEntry): Promise<void>;

  bindings(): Promise<StoredBinding[]>;
  binding(id: string): Promise<StoredBinding | undefined>;
  /** Throws AlreadyExists, and NotFound when a role of the store or a service account is named that is not there. */
  createBinding(
    binding: Pick<StoredBinding, "role" | "namespace" | "subject" | "createdBy"> & { builtIn: boolean },
    audit: AuditEntry,
  ): Promise<StoredBinding>;
  /** Throws NotFound. */
  deleteBinding(id: string, audit: AuditEntry): Promise<void>;
  /** What is bound to this user or service account, or to one of these groups. */
  grantsOf(subject: Subject, groups: readonly string[]): Promise<Grant[]>;
}
