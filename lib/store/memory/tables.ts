import { type Clock, type Instant, toIso } from "@/lib/clock";
import { SHARDS, shardOf } from "@/lib/controller";
import { deepEqual, type Key, keyOf, keyText, type Metadata, type Pause, type Resource } from "@/lib/resource";
import type { AuditEntry, Change, Claim, Contest, PublishedLooks, Revision, StoredEvent, StoredPass } from "..";

export interface Row {
  /** Order of creation. */
  id: number;
  slice: string;
  /** Deeply frozen, so that nobody who was handed it can change what is stored. */
  resource: Resource;
}

export interface AuditRow extends AuditEntry {
  id: string;
  at: Instant;
  finishedAt?: Instant;
}

export interface LeaseRow {
  holder: string | undefined;
  epoch: number;
  /** The holder has loaded it: what its worker publishes speaks for it. */
  covered: boolean;
  /** As known when it changed hands. */
  looks: Record<string, string>;
}

export interface WorkerRow {
  host: string;
  guest: boolean;
  expiresAt: Instant;
  looks: PublishedLooks;
}

/** An entry of the feed. `wakes`: it may concern a controller. */
export interface Logged extends Change {
  at: Instant;
  wakes: boolean;
}

const INTENT = { intent: true, wakes: true };

/**
 * What a database would keep. Every method is one transaction: JavaScript runs it whole, so order of calls is order of commits.
 * `savepoint` undoes for dry runs.
 */
export class Tables {
  readonly rows = new Map<string, Row>();
  readonly uids = new Map<string, string>();
  readonly changes: Logged[] = [];
  readonly revisions = new Map<string, Revision[]>();
  readonly events = new Map<string, StoredEvent[]>();
  readonly passes = new Map<string, StoredPass[]>();
  readonly audit: AuditRow[] = [];
  readonly leases = new Map<string, LeaseRow>();
  readonly workers = new Map<string, WorkerRow>();
  /** By worker and line: its newest batch of reports. */
  readonly batches = new Map<string, string>();
  readonly kindPauses = new Map<string, Pause>();
  /** By uid. Of several that claim the same, the one that did first holds it. */
  readonly claims = new Map<string, Claim[]>();
  readonly listeners = new Set<(uid?: string) => void>();
  readonly moveListeners = new Set<() => void>();
  private revision = 0;
  private ids = 0;

  constructor(
    readonly clock: Pick<Clock, "now">,
    readonly newUid: () => string,
    /** Small worlds have few. */
    private readonly shards = SHARDS,
  ) {
    for (let shard = 0; shard < shards; shard++)
      this.leases.set(`shard/${shard}`, { holder: undefined, epoch: 0, covered: false, looks: {} });
  }

  get now(): Instant {
    return this.clock.now();
  }

  get iso(): string {
    return toIso(this.now);
  }

  /** The newest committed revision. */
  get current(): number {
    return Number(this.changes.at(-1)?.resourceVersion ?? 0);
  }

  nextId(): number {
    this.ids += 1;
    return this.ids;
  }

  byKey(key: Key): Row | undefined {
    const uid = this.uids.get(keyText(key));
    return uid === undefined ? undefined : this.rows.get(uid);
  }

  /** `*` becomes the shard of the root owner, once and for all. */
  insert(resource: Resource, given: string): Resource {
    const slice = given === "*" ? shardOf(this.rootOf(resource), this.shards) : given;
    const stored = this.stamped({ ...resource, slice }, 1);
    this.rows.set(stored.metadata.uid, { id: this.nextId(), slice, resource: stored });
    this.uids.set(keyText({ kind: stored.kind, ...stored.metadata }), stored.metadata.uid);
    this.log("ADDED", INTENT, stored, slice);
    return stored;
  }

  /** Up the owners, bounded as in the database. */
  private rootOf({ metadata }: Resource): string {
    let root = metadata.uid;
    let owners = metadata.ownerReferences;
    for (let step = 0; step < 32 && owners?.[0]; step++) {
      root = owners[0].uid;
      owners = this.rows.get(root)?.resource.metadata.ownerReferences;
    }
    return root;
  }

  /** Generation and revision are the store's, whatever a writer sends; a write that changes nothing is no write. */
  update(uid: string, next: Resource): Resource {
    const row = this.rows.get(uid);
    if (!row) throw new Error(`no row ${uid}`);
    const before = row.resource;
    if (deepEqual(before, { ...next, metadata: compact(next.metadata) })) return before;
    const asks = before.metadata.deletionTimestamp === undefined && next.metadata.deletionTimestamp !== undefined;
    const moved = asks || !deepEqual(before.spec, next.spec);
    const after = this.stamped(next, before.metadata.generation + (moved ? 1 : 0));
    this.rows.set(uid, { ...row, resource: after });
    const intent =
      moved || !deepEqual(before.control, after.control) || !deepEqual(before.metadata.finalizers ?? [], after.metadata.finalizers ?? []);
    this.log(
      "MODIFIED",
      { intent, wakes: intent || described(before) !== described(after) },
      after,
      row.slice,
      before.metadata.labels ?? {},
    );
    return after;
  }

  remove(uid: string): void {
    const row = this.rows.get(uid);
    if (!row) return;
    this.rows.delete(uid);
    this.claims.delete(uid);
    this.uids.delete(keyText({ kind: row.resource.kind, ...row.resource.metadata }));
    const gone = this.stamped(row.resource, row.resource.metadata.generation);
    this.log("DELETED", INTENT, gone, row.slice, row.resource.metadata.labels ?? {});
  }

  /** The object that holds a claim: of those that claim it, the one that did first. */
  holderOf(text: string): Resource | undefined {
    for (const [uid, claims] of this.claims) if (claims.some((claim) => claim.text === text)) return this.rows.get(uid)?.resource;
    return undefined;
  }

  /** Who waits for a claim of another. */
  contests(): Contest[] {
    return [...this.claims].flatMap(([uid, claims]) =>
      claims.flatMap((claim) => {
        const holder = this.holderOf(claim.text);
        return holder && holder.metadata.uid !== uid ? [{ uid, ...claim, holder: keyOf(holder) }] : [];
      }),
    );
  }

  addRevision(resource: Resource, message: string, author: string): void {
    const { uid, generation } = resource.metadata;
    const list = this.revisions.get(uid) ?? [];
    list.push({ generation, spec: resource.spec, message, author, at: this.iso });
    this.revisions.set(uid, list);
  }

  addAudit(entry: AuditEntry): string {
    const id = String(this.nextId());
    this.audit.push({ ...frozen(entry), id, at: this.now, ...(entry.outcome === "pending" ? {} : { finishedAt: this.now }) });
    return id;
  }

  /** Wakes who listens after the transaction is over. */
  wake(uid?: string): void {
    queueMicrotask(() => {
      for (const listener of this.listeners) listener(uid);
    });
  }

  noteMove(): void {
    queueMicrotask(() => {
      for (const listener of this.moveListeners) listener();
    });
  }

  /** Runs `work` and takes back all it did to rows, feed, revisions and audit. */
  undone<T>(work: () => T): T {
    const rows = new Map(this.rows);
    const uids = new Map(this.uids);
    const claims = new Map(this.claims);
    const revisions = new Map([...this.revisions].map(([uid, list]) => [uid, [...list]]));
    const lengths = { changes: this.changes.length, audit: this.audit.length };
    try {
      return work();
    } finally {
      restore(this.rows, rows);
      restore(this.uids, uids);
      restore(this.claims, claims);
      restore(this.revisions, revisions);
      this.changes.length = lengths.changes;
      this.audit.length = lengths.audit;
    }
  }

  private stamped(resource: Resource, generation: number): Resource {
    this.revision += 1;
    const metadata = { ...compact(resource.metadata), generation, resourceVersion: String(this.revision) };
    return frozen({ ...resource, metadata });
  }

  private log(
    type: Change["type"],
    what: Pick<Logged, "intent" | "wakes">,
    resource: Resource,
    slice: string,
    oldLabels?: Record<string, string>,
  ): void {
    const { resourceVersion } = resource.metadata;
    this.changes.push({ resourceVersion, type, ...what, resource, slice, at: this.now, ...(oldLabels === undefined ? {} : { oldLabels }) });
    this.wake();
  }
}

/** Metadata, and the state that dependents wait for. */
function described({ metadata, status }: Resource): string {
  const { labels = {}, annotations = {}, ownerReferences = [] } = metadata;
  return JSON.stringify([labels, annotations, ownerReferences, status?.state ?? "Progressing"]);
}

function restore<K, V>(map: Map<K, V>, from: Map<K, V>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}

/** Empty maps and lists are left out, as clients of the API expect. */
function compact(metadata: Metadata): Metadata {
  const { labels, annotations, finalizers, ownerReferences, managedFields, ...rest } = metadata;
  return {
    ...rest,
    ...(labels && Object.keys(labels).length > 0 ? { labels } : {}),
    ...(annotations && Object.keys(annotations).length > 0 ? { annotations } : {}),
    ...(finalizers && finalizers.length > 0 ? { finalizers } : {}),
    ...(ownerReferences && ownerReferences.length > 0 ? { ownerReferences } : {}),
    ...(managedFields && managedFields.length > 0 ? { managedFields } : {}),
  };
}

/** A copy as JSON would carry it (absent for undefined), which nobody can change. What is frozen already is such a copy. */
export function frozen<T>(value: T): T;
export function frozen(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => frozen(item ?? null)));
  const entries = Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, frozen(item)] as const]));
  return Object.freeze(Object.fromEntries(entries));
}
