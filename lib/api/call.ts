/** One request on its way through: what is asked for, by whom, and what it may use. */
import { randomUUID } from "node:crypto";
import type { Clock } from "@/lib/clock";
import type { Kind } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { decideAccess, EVERY, mayAnywhere, namespacesWith, type Principal, type Verb } from "@/lib/policies/access";
import { type AdmissionContext, MAX_BYTES, MAX_DEPTH, type Sealer } from "@/lib/policies/admission";
import { deepEqual, type JsonObject, type Key, type Resource } from "@/lib/resource";
import type { Actor, AuditEntry, ChangeSignal, EngineStore, HistoryStore, ResourceStore } from "@/lib/store";
import type { ServiceAccount, StoredBinding, StoredRole, StoredToken } from "@/lib/store/access";
import type { CatalogueStore } from "@/lib/store/catalogue";
import type { ConsoleStore, Visible } from "@/lib/store/console";
import type { Account } from "@/lib/store/users";
import { type Accepted, acceptedBy } from "./accept";
import type { Cluster } from "./contract";
import type { ApiEngine } from "./engine";
import type { Limits } from "./limits";
import type { Told } from "./told";

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

/** API tokens. `lib/auth` implements it, and asks the access policy itself. */
export interface TokenAdministration {
  list(by: Principal): Promise<StoredToken[]>;
  create(raw: unknown, by: Principal): Promise<{ token: StoredToken; secret: string }>;
  remove(id: string, by: Principal): Promise<void>;
}

/** Service accounts, roles and bindings. `lib/auth` implements it, and asks the access policy itself. */
export interface AccessAdministration {
  serviceAccounts(by: Principal): Promise<(ServiceAccount & { tokens: StoredToken[] })[]>;
  createServiceAccount(raw: unknown, by: Principal): Promise<ServiceAccount>;
  deleteServiceAccount(namespace: string, name: string, by: Principal): Promise<void>;
  roles(by: Principal): Promise<(Pick<StoredRole, "name" | "description" | "rules"> & { builtIn: boolean })[]>;
  createRole(raw: unknown, by: Principal): Promise<StoredRole>;
  deleteRole(name: string, by: Principal): Promise<void>;
  bindings(by: Principal): Promise<StoredBinding[]>;
  createBinding(raw: unknown, by: Principal): Promise<StoredBinding>;
  deleteBinding(id: string, by: Principal): Promise<void>;
}

export interface ApiDependencies {
  resources: ResourceStore;
  history: HistoryStore;
  console: ConsoleStore;
  catalogue: CatalogueStore;
  kindPauses: EngineStore["kindPauses"];
  signal: ChangeSignal;
  engine: ApiEngine;
  auth: Authenticator;
  users: UserAdministration;
  tokens: TokenAdministration;
  access: AccessAdministration;
  sealer: Sealer;
  clock: Clock;
  /** This machine's name: where kinds bound to a machine act by default. */
  hostName: string;
  version: string;
  /** Where this API is served over TLS; undefined where it is not. */
  cluster?(): Cluster | undefined;
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
  readonly accepts: Accepted[];
  /** Aborted when the process stops. */
  readonly closing: AbortSignal;
  readonly limits: Limits;
  readonly told: Told;
  address: Address = { resource: "" };
  private asker?: Principal;
  private asked?: Verb;

  constructor(
    readonly request: Request,
    readonly dependencies: ApiDependencies,
    /** What the process keeps over all requests. */
    { closing, limits, told }: { closing: AbortSignal; limits: Limits; told: Told },
  ) {
    this.closing = closing;
    this.limits = limits;
    this.told = told;
    const given = request.headers.get("x-request-id");
    this.id = given !== null && /^[A-Za-z0-9._-]{8,128}$/.test(given) ? given : randomUUID();
    this.url = new URL(request.url);
    this.query = this.url.searchParams;
    this.accepts = acceptedBy(request.headers.get("accept"));
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

  /** How large a body this principal may send. A token's own limits only narrow. */
  get bodyLimits(): { bytes: number; depth: number } {
    const { bodyBytes = MAX_BYTES, depth = MAX_DEPTH } = this.asker?.token?.limits ?? {};
    return { bytes: Math.min(bodyBytes, MAX_BYTES), depth: Math.min(depth, MAX_DEPTH) };
  }

  /** Throws unless the principal may do that, here or to what is named. */
  authorise(verb: Verb, about: Partial<Address> = {}): void {
    const { resource, namespace, name } = { ...this.address, ...about };
    const verdict = decideAccess(this.asker, verb, { plural: resource, namespace, name });
    if (!verdict.allowed) throw new SetpointError(verdict.reason, verdict.message);
  }

  /** What the route asks; kept for streams, whose rights are looked at again while they last. */
  authoriseRoute(verb: Verb): void {
    this.asked = verb;
    this.authorise(verb);
  }

  /** Whether the principal may do that to an object. Where `get` is refused, nothing of it may be told, not even that it is there. */
  may(verb: Verb, kind: string, namespace: string): boolean {
    const plural = this.pluralOf(kind);
    return decideAccess(this.asker, verb, { plural, namespace }).allowed;
  }

  /** Throws unless the principal may do that somewhere. For what is asked again for each object. */
  authoriseSomewhere(verb: Verb): void {
    if (!mayAnywhere(this.principal, verb)) this.authorise(verb);
  }

  /** Where each kind may be seen; undefined: everything may. For reads over several kinds or namespaces. */
  visible(verb: Verb = "list"): Visible | undefined {
    const { principal } = this;
    if (namespacesWith(principal, verb, EVERY) === EVERY) return undefined;
    return Object.fromEntries(
      this.dependencies.engine.kinds.map(({ name, plural }) => {
        const places = namespacesWith(principal, verb, plural);
        return [name, places === EVERY ? [EVERY] : places];
      }),
    );
  }

  /**
   * Throws unless every object that the new state names may be read (to use a thing is to learn about it), and, where the operator's hand
   * is changed with it, that is allowed too.
   */
  private permit({ spec, control }: Pick<Resource, "spec" | "control">, current: Resource | undefined): void {
    for (const { kind, name } of this.kind.references?.(spec) ?? [])
      this.authorise("get", { resource: this.pluralOf(kind), namespace: this.namespace, name });
    if (current && !deepEqual(control, current.control)) this.authorise("control");
  }

  private pluralOf(kind: string): string {
    return this.dependencies.engine.kinds.find((candidate) => candidate.name === kind)?.plural ?? kind.toLowerCase();
  }

  /** Counts a stream against the principal's limit until the function it gives is called. */
  openStream(): () => void {
    return this.limits.stream(this.principal);
  }

  /** For streams: false once the credential, or the right that the route asked for, has gone. */
  async stillAllowed(): Promise<boolean> {
    const { principal } = await this.dependencies.auth.authenticate(this.request.headers);
    if (!principal) return false;
    this.asker = principal;
    const { resource, namespace, name } = this.address;
    return this.asked === undefined || decideAccess(principal, this.asked, { plural: resource, namespace, name }).allowed;
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
    const permit: AdmissionContext["permit"] = (next, current) => this.permit(next, current);
    return { kind: this.kind, namespace: this.namespace, name, sealer, hostName, by: this.principal.name, now: this.now, permit };
  }

  audit(verb: string, key: Key, detail: JsonObject = {}): AuditEntry {
    const { name, token } = this.principal;
    const by: JsonObject = token ? { token: token.prefix } : {};
    return { actor: name, verb, ...key, detail: { ...detail, ...by, requestId: this.id }, outcome: "done" };
  }
}
