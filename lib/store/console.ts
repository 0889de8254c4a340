/** Ports of what only the pages need: one list over all kinds, numbers, and the hand on whole kinds. */
import type { Instant } from "@/lib/clock";
import type { Json, LabelRequirement, Mode, Pause, Resource, State } from "@/lib/resource";
import type { Actor, AuditEntry, KindStats, LeaseState } from ".";

export const SORTS = ["name", "kind", "state", "driftCount", "attempts", "nextAttemptAt", "lastConvergedAt", "createdAt"] as const;
export type Sort = (typeof SORTS)[number];

/** By kind: the namespaces in which its objects may be seen, `*` for all. A kind that is not named is not seen at all. */
export type Visible = Record<string, string[]>;

export function isVisible(visible: Visible, kind: string, namespace: string): boolean {
  const places = Object.hasOwn(visible, kind) ? visible[kind] : undefined;
  return places !== undefined && (places.includes("*") || places.includes(namespace));
}

/** Filters of the Resources page; values of one list are alternatives, the lists narrow each other. Empty lists do not filter. */
export interface PageFilter {
  text?: string;
  kinds: string[];
  namespaces: string[];
  states: State[];
  modes: Mode[];
  labels: LabelRequirement[];
  drifted?: boolean;
  /** Undefined: everything. */
  visible?: Visible;
}

export interface PageQuery extends PageFilter {
  /** Milliseconds after which a converged object of that kind is stale. */
  staleAfterMs: Record<string, number>;
  sort: Sort;
  descending: boolean;
  offset: number;
  limit: number;
}

/** How often each value occurs among what the other filters leave. */
export interface Facets {
  kind: Record<string, number>;
  namespace: Record<string, number>;
  state: Record<string, number>;
  mode: Record<string, number>;
}

/** What views are derived from, of the same instant as the rows beside them. */
export interface ViewFacts {
  /** By the store's clock. */
  now: Instant;
  /** Of the slices of the rows beside them. */
  leases: LeaseState[];
  kindPauses: Record<string, Pause>;
}

export interface StoredPage extends ViewFacts {
  items: { resource: Resource; state: State }[];
  total: number;
  facets: Facets;
}

export interface StateCount {
  kind: string;
  state: State;
  count: number;
}

export interface OverviewFacts extends ViewFacts {
  counts: StateCount[];
  passes: { total: number; failed: number };
  timeToConverge: { count: number; p50: number | null; p95: number | null };
  attention: { resource: Resource; state: State }[];
  trend: { at: Instant; corrected: number; failed: number; converged: number }[];
  pausesEnding: { kind: string; namespace: string; name: string; until: string; by: string }[];
  recent: {
    at: Instant;
    actor: string;
    verb: string;
    kind: string;
    namespace: string;
    name: string;
    detail: Json;
    outcome: string;
    error?: string;
  }[];
}

/** Of the 1,024 shards: with and without a living holder, and held but not looked at in time. */
export interface ShardCounts {
  owned: number;
  unowned: number;
  lagging: number;
}

export interface ControllerFacts {
  now: Instant;
  resources: Record<string, number>;
  lastHour: Record<string, { passes: number; failed: number; actions: number }>;
  kindPauses: Record<string, Pause>;
  /** Of the hosts that ever had a worker. */
  leases: LeaseState[];
  shards: ShardCounts;
  /** Slices with objects and without a living holder. */
  unowned: { slice: string; resources: number }[];
  /** Slices that are held and not looked at in time. */
  lagging: string[];
  /** Shards per living worker. */
  shardsOf: Record<string, number>;
  /** Per kind, over all living workers (ISO 8601). */
  oldestLooks: Record<string, string>;
  workers: {
    id: string;
    host: string;
    pid: number;
    role: string;
    version: string;
    startedAt: Instant;
    alive: boolean;
    stats: Record<string, KindStats>;
  }[];
}

/** The feed without the objects, for pages that refetch what changed. */
export interface Notice {
  type: "ADDED" | "MODIFIED" | "DELETED";
  kind: string;
  namespace: string;
  name: string;
  uid: string;
  resourceVersion: string;
}

export interface ConsoleStore {
  page(query: PageQuery): Promise<StoredPage>;
  /** Everything that the filter leaves, at most `limit`, with how many there are. */
  matching(filter: PageFilter & Pick<PageQuery, "staleAfterMs">, limit: number): Promise<{ uids: string[]; total: number }>;
  /** Numbers over what may be seen; `kinds` are those that there are. */
  overview(
    range: { ms: number; buckets: number },
    staleAfterMs: Record<string, number>,
    who: { kinds: string[]; visible?: Visible },
  ): Promise<OverviewFacts>;
  controllers(): Promise<ControllerFacts>;
  /** Objects of those kinds in that namespace whose spec has this text as a value somewhere, newest first. */
  mentioning(namespace: string, kinds: string[], text: string, limit: number): Promise<Resource[]>;
  noticesAfter(revision: string, limit: number): Promise<Notice[]>;
  /** Pauses (or, with undefined, resumes) a whole kind; the audit entry is written in the same transaction. */
  setKindPause(kind: string, pause: Pause | undefined, by: Actor, audit: AuditEntry): Promise<void>;
}
