/** One request on its way through: what is asked for, by whom, and what it may use. */
import { randomUUID } from "node:crypto";
import type { Clock } from "@/lib/clock";
import type { Kind } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { decideAccess, type Principal, type Verb } from "@/lib/policies/access";
import type { AdmissionContext, Sealer } from "@/lib/policies/admission";
import type { JsonObject, Key } from "@/lib/resource";
import type { Actor, AuditEntry, ChangeSignal, EngineStore, HistoryStore, ResourceStore } from "@/lib/store";
import type { ConsoleStore } from "@/lib/store/console";
import type { Account } from "@/lib/store/users";
import type { ApiEngine } from "./engine";

export type AnyKind = Kind<JsonObject>;

/** How the API learns who asks. `lib/auth` implements it. */
export interface Authenticator {
  authenticate(headers: Headers): Promise<{ principal: Principal } | { principal: undefined; invalid?: string }>;
  /** True when one of our own pages sent this. */
  sameOrigin(headers: Headers): boolean;
}

/** Accounts, as administrators see them. `lib/auth` implements it. */
export interface UserAdministration {
  list(): Promise<Account[]>;
  create(raw: unknown, by: Principal): Promise<Account>;
  change(id: string, raw: unknown, by: Principal): Promise<Account>;
  /** Creates the first account; throws unless the one-time token is right. */
  setUp(raw: unknown): Promise<Account>;
}

export interface ApiDependencies {
  resources: ResourceStore;
  history: HistoryStore;
  console: ConsoleStore;
  kindPauses: EngineStore["kindPauses"];
  signal: ChangeSignal;
  engine: ApiEngine;
  auth: Authenticator;
  users: UserAdministration;
  sealer: Sealer;
  clock: Clock;
  /** This machine's name: where kinds bound to a machine act by default. */
  hostName: string;
  version: string;
  log(message: string, fields?: Record<string, unknown>): void;
}

/** What the URL names. */
export interface Address {
  kind?: AnyKind;
  /** Word for messages and the audit: the plural, or the console's own word. */
  resource: string;
  namespace?: string;
  name?: string;
}

export class Call {
  readonly id: string;
  readonly url: URL;
  readonly query: URLSearchParams;
  address: Address = { resource: "" };
  private asker?: Principal;

  constructor(
    readonly request: Request,
    readonly dependencies: ApiDependencies,
    /** Aborted when the process stops. */
    readonly closing: AbortSignal,
  ) {
    const given = request.headers.get("x-request-id");
    this.id = given !== null && /^[A-Za-z0-9._-]{8,128}$/.test(given) ? given : randomUUID();
    this.url = new URL(request.url);
    this.query = this.url.searchParams;
  }

  /** Who asks. Throws Unauthorized when nobody does. */
  get principal(): Principal {
    if (!this.asker) throw new SetpointError("Unauthorized", "Unauthorized");
    return this.asker;
  }

  identify(principal: Principal): void {
    this.asker = principal;
  }

  get actor(): Actor {
    return { name: this.principal.name };
  }

  get now(): number {
    return this.dependencies.clock.now();
  }

  /** Throws unless the principal may do that, here or to what is named. */
  authorise(verb: Verb, about: Partial<Address> = {}): void {
    const { resource, namespace, name } = { ...this.address, ...about };
    const verdict = decideAccess(this.asker, verb, { plural: resource, namespace, name });
    if (!verdict.allowed) throw new SetpointError(verdict.reason, verdict.message);
  }

  get kind(): AnyKind {
    if (!this.address.kind) throw new SetpointError("NotFound", "there is nothing at this address");
    return this.address.kind;
  }

  get namespace(): string {
    if (this.address.namespace === undefined) throw new SetpointError("NotFound", "there is nothing at this address");
    return this.address.namespace;
  }

  get key(): Key {
    return { kind: this.kind.name, namespace: this.namespace, name: this.address.name ?? "" };
  }

  admission(name: string): AdmissionContext {
    const { sealer, hostName } = this.dependencies;
    return { kind: this.kind, namespace: this.namespace, name, sealer, hostName, by: this.principal.name, now: this.now };
  }

  audit(verb: string, key: Key, detail: JsonObject = {}): AuditEntry {
    return { actor: this.principal.name, verb, ...key, detail: { ...detail, requestId: this.id }, outcome: "done" };
  }
}
