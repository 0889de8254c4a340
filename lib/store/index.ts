/**
 * The ports through which everything reads and writes what is stored. `lib/store/prisma` is the adapter (PostgreSQL).
 * All writes answer after commit; a write that changes nothing is no write (same resourceVersion).
 */
import type { Instant } from "@/lib/clock";
import type { Claim } from "@/lib/controller";
import type {
  Control,
  FieldRequirement,
  Json,
  JsonObject,
  Key,
  LabelRequirement,
  ManagedFields,
  Metadata,
  PlannedAction,
  Resource,
  Status,
} from "@/lib/resource";

export type { Claim } from "@/lib/controller";

/** Who asks, for revisions and the audit. */
export interface Actor {
  /** E-mail, token name, or `controller/<kind>`. */
  name: string;
}

/** One line of the audit, written in the transaction of what it is about. */
export interface AuditEntry {
  actor: string;
  verb: string;
  kind: string;
  namespace: string;
  name: string;
  uid?: string;
  generation?: number;
  detail?: JsonObject;
  outcome: "done" | "failed" | "denied" | "pending";
  error?: string;
}

/** A claim that an object waits for, because another holds it. */
export interface Contest extends Claim {
  /** Who waits. */
  uid: string;
  holder: Key;
}

/** What a client may set; uid, generation, resourceVersion and times are the store's. */
export interface NewResource {
  kind: string;
  namespace: string;
  name: string;
  /** `host/<name>`, or `*`: the store puts it into the shard of its root owner, once and for all. */
  slice: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  finalizers: string[];
  ownerReferences: NonNullable<Metadata["ownerReferences"]>;
  spec: JsonObject;
  control: Control;
  managedFields?: ManagedFields[];
  claims?: Claim[];
}

/** What `mutate` may change; fields left out stay. */
export interface Mutation {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: NonNullable<Metadata["ownerReferences"]>;
  spec?: JsonObject;
  control?: Control;
  managedFields?: ManagedFields[];
  /** All that it claims from now on. */
  claims?: Claim[];
  /** Ask for deletion: sets deletionTimestamp once; with no finalizers left the row leaves in the same transaction. */
  deletion?: true;
  /** Revision message when spec changes. */
  message?: string;
  audit?: AuditEntry;
}

export interface WriteOptions {
  /** Compute and validate everything, store nothing: of a change, the answer has the version that is still stored. */
  dryRun?: boolean;
}

export interface ListQuery {
  kind: string;
  /** Undefined: all namespaces. */
  namespace?: string;
  labels?: LabelRequirement[];
  /** metadata.name, metadata.namespace, status.state, control.mode; others are refused by the API before. */
  fields?: FieldRequirement[];
  limit?: number;
  /** Start after this (namespace, name): the continue token's content. */
  after?: { namespace: string; name: string };
}

export interface ListResult {
  items: Resource[];
  /** Revision the list is at least as new as. */
  resourceVersion: string;
  next?: { namespace: string; name: string };
  remaining?: number;
}

/** One entry of the feed, in commit order. */
export interface Change {
  resourceVersion: string;
  type: "ADDED" | "MODIFIED" | "DELETED";
  /** False: only the report changed. */
  intent: boolean;
  /** After the change; for DELETED the last state with the deletion's resourceVersion. */
  resource: Resource;
  slice: string;
  oldLabels?: Record<string, string>;
}

export interface ResourceStore {
  get(key: Key): Promise<Resource | undefined>;
  getByUid(uid: string): Promise<Resource | undefined>;
  list(query: ListQuery): Promise<ListResult>;
  /** Throws AlreadyExists, for a claim that another object holds with its field as a cause. Writes the first revision and the audit entry in the same transaction. */
  create(input: NewResource, by: Actor, message: string, audit: AuditEntry, options?: WriteOptions): Promise<Resource>;
  /**
   * Reads the newest row under lock, lets `decide` say what changes (it must be pure; what it throws rolls back and is rethrown),
   * writes. Returns the row after, or before when nothing changed. Throws NotFound, and AlreadyExists for a claim as `create` does. A returned resource with `removed` has left the store.
   */
  mutate(
    key: Key,
    by: Actor,
    decide: (current: Resource) => Mutation,
    options?: WriteOptions,
  ): Promise<{ resource: Resource; changed: boolean; removed: boolean }>;
  /** Objects of that namespace whose `references` name this one; by a scan of the kinds given, newest first, at most 10. */
  findBySpecValue(namespace: string, kind: string, path: string[], value: string): Promise<Resource[]>;
  /** Newest revision of the store. */
  currentRevision(): Promise<string>;
  /** Oldest revision still in the feed; a watch from before it is Expired. */
  oldestRevision(): Promise<string>;
  /** Feed after `revision`, in commit order. Never skips one that commits later, nor one that is no longer kept: then it throws Expired. */
  changesAfter(revision: string, limit: number): Promise<Change[]>;
}

/** Wakes when the feed may have grown, by notification or poll; a hint only. */
export interface ChangeSignal {
  /** `uid` is given when somebody asks for a look at that one object now. */
  subscribe(listener: (uid?: string) => void): () => void;
  /** Leases changed hands, or may be taken now. */
  onMove(listener: () => void): () => void;
  /** True while notifications arrive; false: polling only. */
  healthy(): boolean;
}

export interface Revision {
  generation: number;
  spec: JsonObject;
  message: string;
  author: string;
  at: string;
  convergedAt?: string;
}

export interface StoredEvent {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
  count: number;
  generation: number;
  firstAt: string;
  lastAt: string;
}

export interface StoredPass {
  id: string;
  generation: number;
  startedAt: string;
  durationMs: number;
  trigger: string;
  outcome: string;
  reason: string;
  message: string;
  attempt: number;
  actions: Json;
}

/** History of one object, newest first. */
export interface HistoryStore {
  revisions(uid: string, limit: number): Promise<Revision[]>;
  events(uid: string, limit: number): Promise<StoredEvent[]>;
  passes(uid: string, limit: number): Promise<StoredPass[]>;
  audit(entry: AuditEntry): Promise<void>;
}

// ---- the engine's side --------------------------------------------------------------------------------------------

/**
 * The right to write in a slice: `shard/<0..1023>` or `host/<name>`. Good while its holder's term runs and the slice has this holder in this
 * epoch; every change of hands is a new epoch, also the return of a holder whose term had ended.
 */
export interface Fence {
  slice: string;
  /** The worker's id. */
  holder: string;
  epoch: string;
}

/** What a worker says of its looks, so that the freshness of any object is arithmetic. */
export interface PublishedLooks {
  /** Per kind: over all slices held and covered, but for those behind, what claims to be converged was looked at no earlier (ISO 8601). */
  oldest: Record<string, string>;
  /** Slices that are exceptions, per kind: their own oldest look; null while something there was not yet looked at by this holder. */
  behind: Record<string, Record<string, string | null>>;
}

/** One sign of life of a worker. */
export interface Heartbeat {
  id: string;
  host: string;
  pid: number;
  role: string;
  version: string;
  startedAt: Instant;
  /** The term begins anew and lasts this long. */
  ttlMs: number;
  stats: Record<string, KindStats>;
  /** Works for a bounded time: takes all that is free, is given nothing, and is not counted when shards are shared out. */
  guest: boolean;
  looks: PublishedLooks;
  /** Leases loaded since the last answered renewal: from now on `looks` speaks for them. Others are as fresh as when they moved. */
  covers: Pick<Fence, "slice" | "epoch">[];
}

export interface Renewal {
  /** Everything this worker holds now. */
  leases: Fence[];
  /** So many of its shards should be handed over: others have clearly less than an equal share. */
  surplus: number;
  /** Milliseconds until the first term of another holder ends if it is not renewed; undefined when nobody else holds anything. */
  lapseMs?: number;
}

/** A slice as its objects' freshness depends on it. */
export interface LeaseState {
  slice: string;
  holder?: string;
  /** A holder has it and its term has not ended. */
  alive: boolean;
  /** Per kind: every object that claims to be converged was looked at no earlier than this (ISO 8601). Without a living holder: as last known. */
  looks: Record<string, string>;
}

/** A record of one pass for the timeline. */
export interface PassRecord {
  generation: number;
  startedAt: Instant;
  durationMs: number;
  trigger: string;
  outcome: string;
  reason: string;
  message: string;
  attempt: number;
  actions: { type: string; effect: string; target: string; message: string; outcome: "done" | "failed" | "withheld"; error?: string }[];
}

export interface EventRecord {
  type: "Normal" | "Warning";
  reason: string;
  message: string;
  generation: number;
  at: Instant;
}

/** What one pass leaves behind. */
export interface Report {
  uid: string;
  key: Key;
  /** The generation the pass worked on; the report is dropped when the row has moved on. */
  generation: number;
  fence: Fence;
  /** Undefined: the status is as stored. */
  status?: Status;
  pass?: PassRecord;
  events: EventRecord[];
  /** This generation became converged just now. */
  convergedAt?: Instant;
  /** Nothing is left outside: drop the engine's finalizer (and the row when it was the last). */
  released?: boolean;
}

/** What a worker calls a batch of reports. Of each of its lines the store knows the newest: the next one is sent when that one was answered. */
export interface BatchName {
  line: number;
  name: string;
}

export type PermitVerdict =
  | { granted: true; id: string }
  | { granted: false; reason: "Gone" | "StaleGeneration" | "LeaseLost" | "Paused" | "ModeChanged" | "NoFinalizer" | "Contested" };

/** A target account that does not answer a worker: one line, however many objects are on it. */
export interface TargetTrouble {
  /** e.g. `postgres:db.example.org:5432/setpoint`. */
  target: string;
  reason: string;
  message: string;
  /** ISO 8601: since when. */
  since: string;
  /** ISO 8601: when the next object tries it. */
  nextAttemptAt: string;
  /** Objects of the kind that wait for it. */
  waiting: number;
}

export interface KindStats {
  queueDepth: number;
  inFlight: number;
  concurrency: number;
  backlogAgeMs: number;
  retrying: number;
  looks: number;
  /** Absent: every target answers. */
  targets?: TargetTrouble[];
}

export interface EngineStore {
  /**
   * The part of the feed that may concern a controller (intent, metadata, the state that dependents wait for), in commit order, and the
   * revision up to which it has now been read: a worker's own reports are passed over without being read.
   */
  feed(revision: string, limit: number): Promise<{ changes: Change[]; revision: string }>;
  /** Everything of these slices, from one snapshot. Here and in the feed `managedFields` may be missing: workers have no use for them. */
  load(slices: string[]): Promise<{ resources: { resource: Resource; slice: string }[]; revision: string }>;
  /**
   * One round trip: the worker's term begins anew, its looks are published, and it takes what is free or whose holder's term has ended: its
   * equal share of the 1,024 shards and the slice of its host. At rest this writes the heartbeat row and nothing else.
   */
  renew(beat: Heartbeat): Promise<Renewal>;
  /** Moves shards, drained by the caller, to living workers with less than an equal share; returns those that found one, the rest is kept. */
  handOver(holder: string, slices: string[]): Promise<string[]>;
  /** Moves everything to the other living workers or sets it free, and ends the worker's term. */
  leave(holder: string): Promise<void>;
  /** Every lease there is, by the database's clock. */
  leases(): Promise<LeaseState[]>;
  /** One statement: the fence, generation, pause of object and kind, mode, finalizer; writes the intent-to-act row. */
  permit(uid: string, generation: number, fence: Fence, action: PlannedAction, deleting: boolean): Promise<PermitVerdict>;
  settle(permitId: string, outcome: "done" | "failed", error?: string): Promise<void>;
  /**
   * Writes reports of one worker in one transaction; returns the uids whose report was dropped because row or lease had moved on.
   * `batch` names them: the same ones sent again under the same name, because their answer was lost, add nothing to the history.
   */
  report(reports: Report[], batch?: BatchName): Promise<{ dropped: string[] }>;
  /** Objects whose claims another object holds: stored before claims were, or by another version. Usually none. */
  contests(): Promise<Contest[]>;
  kindPauses(): Promise<Record<string, NonNullable<Control["paused"]>>>;
  /** Tells whichever worker holds it to look now; a hint that writes nothing. */
  requestLook(uid: string): Promise<void>;
  /** Drops feed, passes and events older than their retention. */
  prune(): Promise<void>;
}
