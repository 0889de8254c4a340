/**
 * Shapes on the wire. The Kubernetes-style API lives under `/apis/setpoint.dev/v1alpha1`; what only the pages need (one list over
 * all kinds, numbers, the event stream) under `/api/console`. Both are served by the same handler, behind the same access policy.
 */
import type {
  Comparison,
  Control,
  Difference,
  Freshness,
  Health,
  JsonObject,
  Metadata,
  Mode,
  Pause,
  PlannedAction,
  State,
  Status,
  View,
} from "@/lib/resource";

/** An object as clients see it. `freshness` and `view` are computed when read and ignored when written. */
export interface ApiObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata & { deletionGracePeriodSeconds?: 0 };
  spec: JsonObject;
  control: Control;
  status?: Status;
  freshness: Freshness;
  view: View;
}

export interface ApiList {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; continue?: string; remainingItemCount?: number };
  items: ApiObject[];
}

/** metav1.Status: the body of every error, and of successes that return no object. */
export interface ApiStatus {
  kind: "Status";
  apiVersion: "v1";
  metadata: Record<string, never>;
  status: "Success" | "Failure";
  message?: string;
  reason?: string;
  code: number;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: { reason: string; message: string; field: string }[];
    retryAfterSeconds?: number;
  };
}

/** GET …/plan (what would run now) and POST …/plan (what a candidate object would change; nothing is written). */
export interface PlanAnswer {
  generation: number;
  /** SHA-256 over the canonical actions, generation and uid. */
  hash: string;
  /** When reality was looked at for this plan; null when it could not be, and `blocked` says why. */
  observedAt: string | null;
  drift: Difference[];
  /** Every compared field, for desired-against-actual. */
  fields: Comparison[];
  actions: PlannedAction[];
  /** Why nothing can be done, when nothing can. */
  blocked?: { reason: string; message: string };
  /** POST only: what changes against the stored spec. */
  specChanges?: Difference[];
}

export interface RevisionEntry {
  generation: number;
  at: string;
  author: string;
  message: string;
  spec: JsonObject;
  /** Against the revision before. `actual` is the old value, `desired` the new. */
  diff: Difference[];
  convergedAt?: string;
  /** Milliseconds from save to first match. */
  timeToConvergeMs?: number;
}

export interface EventEntry {
  at: string;
  firstAt: string;
  type: "Normal" | "Warning";
  reason: string;
  message: string;
  count: number;
  generation: number;
}

/** One pass that acted, failed, or changed the outcome. */
export interface PassEntry {
  id: string;
  startedAt: string;
  durationMs: number;
  trigger: string;
  outcome: string;
  reason: string;
  message: string;
  attempt: number;
  generation: number;
  actions: { type: string; effect: string; target: string; message: string; outcome: "done" | "failed" | "withheld"; error?: string }[];
}

/** …/revisions, …/events, …/passes: newest first. */
export interface EntryList<T> {
  items: T[];
}

/** POST …/reconcile. 409 while paused. */
export interface ReconcileAnswer {
  accepted: true;
  message: string;
}

/** PATCH or PUT …/control: a merge patch of control. `paused: null` resumes. `by` and `since` are filled by the server. */
export interface ControlPatch {
  mode?: Mode;
  paused?: { reason: string; until?: string } | null;
  deletionPolicy?: Control["deletionPolicy"];
  adopt?: boolean;
}

// ---- /api/console -------------------------------------------------------------------------------------------------

/** In every namespace. `none`: only what is bound to the account or a group of it. */
export type Role = "none" | "viewer" | "operator" | "administrator";

/** GET /api/console/me */
export interface Me {
  name: string;
  email: string;
  role: Role;
  groups: string[];
  /**
   * What this principal may do in at least one place, for disabling buttons with a reason. The server decides again on every request.
   * `administer`: everything everywhere, accounts included; `delegate`: service accounts and bindings somewhere.
   */
  can: { edit: boolean; control: boolean; administer: boolean; delegate: boolean; makeTokens: boolean };
  host: string;
  version: string;
  serverTime: string;
}

/** GET /api/console/cluster: what a kubeconfig needs. 404 where the API is not served over TLS. */
export interface Cluster {
  /** E.g. `https://127.0.0.1:6443`. */
  server: string;
  /** PEM; absent when the certificate comes from outside. */
  certificateAuthority?: string;
}

/** GET /api/console/kinds */
export interface KindInfo {
  name: string;
  plural: string;
  description: string;
  /** JSON Schema draft 7 of spec, for forms (`io: "input"`). */
  schema: JsonObject;
  columns: { name: string; path: string; priority?: 0 | 1 }[];
  example: JsonObject;
  hostBound: boolean;
  immutable: string[];
  secretFields: string[];
}

/** One line of the Resources page, at most 1 KB. */
export interface ResourceRow {
  uid: string;
  kind: string;
  plural: string;
  namespace: string;
  name: string;
  labels: Record<string, string>;
  generation: number;
  observedGeneration: number;
  state: State;
  health: Health;
  reason: string;
  message: string;
  notActing?: string;
  mode: Mode;
  paused?: Pause;
  driftCount: number;
  attempts: number;
  nextAttemptAt?: string;
  lastConvergedAt?: string;
  createdAt: string;
  deleting: boolean;
  host?: string;
  resourceVersion: string;
}

/**
 * GET /api/console/resources?q=&kind=&namespace=&state=&mode=&label=&drifted=true&sort=&page=&limit=
 * Repeated parameters are alternatives (`state=Failed&state=BackingOff`); `q` matches name, reason and message; `label` is a label selector;
 * `sort` is one of name, kind, state, driftCount, attempts, nextAttemptAt, lastConvergedAt, createdAt with `-` for descending; page from 1; limit up to 200.
 */
export interface ResourcePage {
  rows: ResourceRow[];
  total: number;
  page: number;
  limit: number;
  facets: { kind: Record<string, number>; namespace: Record<string, number>; state: Record<string, number>; mode: Record<string, number> };
  serverTime: string;
}

/** POST /api/console/bulk. Either uids, or the query string of a list with the count the person saw; refused with 409 when the count moved. */
export interface BulkRequest {
  action: "pause" | "resume" | "reconcile";
  uids?: string[];
  query?: string;
  expectedCount?: number;
  reason?: string;
  until?: string;
}
export interface BulkAnswer {
  results: { uid: string; name: string; kind: string; namespace: string; ok: boolean; message: string }[];
}

/** GET /api/console/overview?range=1h|24h|7d|30d */
export interface Overview {
  serverTime: string;
  total: number;
  states: Record<State, number>;
  /** Failed passes do not count as success; passes are those recorded in range. */
  passes: { total: number; failed: number };
  /** Revisions that became converged in range, in milliseconds. Null when there are none. */
  timeToConverge: { count: number; p50: number | null; p95: number | null };
  /** Newest first, at most 10: what is not in order, with its reason. */
  attention: ResourceRow[];
  /** Passes over the range in at most 60 buckets. */
  trend: { at: string; corrected: number; failed: number; converged: number }[];
  byKind: { kind: string; plural: string; total: number; states: Partial<Record<State, number>> }[];
  /** Pauses that end by themselves within a day. */
  pausesEnding: { kind: string; plural: string; namespace: string; name: string; until: string; by: string }[];
  /** The 15 newest edits and outside actions. */
  recent: {
    at: string;
    actor: string;
    verb: string;
    kind: string;
    plural: string;
    namespace: string;
    name: string;
    message: string;
    outcome: string;
  }[];
}

/** GET /api/console/controllers */
export interface ControllersAnswer {
  serverTime: string;
  controllers: ControllerRow[];
  workers: WorkerRow[];
  /** Objects that are bound to no machine are spread over 1,024 shards: how many have a living worker, and how many of those are not looked at in time. */
  shards: { owned: number; unowned: number; lagging: number };
  /** Objects without a living worker, which are Stale for that reason: those of shards together, then by host. */
  unowned: { host?: string; resources: number }[];
  /** Hosts whose worker is alive and does not look at everything in time. */
  lagging: string[];
}
/** A process that runs controllers. */
export interface WorkerRow {
  id: string;
  host: string;
  pid: number;
  role: string;
  version: string;
  startedAt: string;
  alive: boolean;
  /** Shards it holds. */
  shards: number;
  /** It is the one that looks after what is bound to its host. */
  holdsHost: boolean;
}
export interface ControllerRow {
  kind: string;
  plural: string;
  description: string;
  resources: number;
  paused?: Pause;
  queueDepth: number;
  inFlight: number;
  concurrency: number;
  /** Milliseconds the oldest due key has waited. */
  backlogAgeMs: number;
  /** Keys waiting for a retry. */
  retrying: number;
  resyncMs: number;
  /** Last hour, from recorded passes. */
  lastHour: { passes: number; failed: number; actions: number };
  /** Attempts since the worker started, looks that found nothing to do included. */
  looks: number;
  /** ISO 8601: every healthy object of this kind was looked at no earlier than this; null when unknown. */
  oldestLook: string | null;
  /** Targets that do not answer, one entry per target however many objects wait for it; absent when all answer. */
  targets?: { target: string; reason: string; message: string; since: string; nextAttemptAt: string; waiting: number }[];
}
/** PUT /api/console/controllers/{kind}/pause with {reason, until?}; DELETE resumes. */
export interface KindPauseRequest {
  reason: string;
  until?: string;
}

/** GET /api/console/users (administrator) · POST {email,name,role,groups?,password} · PATCH /api/console/users/{id} {role?,groups?,disabled?,password?} */
export interface UserEntry {
  id: string;
  email: string;
  name: string;
  role: Role;
  groups: string[];
  disabled: boolean;
  createdAt: string;
}

/**
 * GET /api/console/stream: text/event-stream. `event: hello` data {serverTime}; `event: change` data ChangeNotice[] (batched, at most
 * four times a second); a comment line every 15 s. `id:` is the resourceVersion; `Last-Event-ID` resumes. `event: gap` means: refetch everything.
 */
export interface ChangeNotice {
  type: "ADDED" | "MODIFIED" | "DELETED";
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
}

export type * from "./contract-access";
