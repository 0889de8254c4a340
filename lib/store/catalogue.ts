/** Port of what lies across all kinds: the namespaces that have objects, and the events of all of them. */
import type { FieldRequirement } from "@/lib/resource";

/** A namespace exists with the first object in it, and as long as one is. */
export interface StoredNamespace {
  name: string;
  /** ISO 8601: creation of the oldest object in it. */
  since: string;
  /** Names of the kinds that have objects in it. */
  kinds: string[];
}

export interface StoredEventRow {
  /** Decimal; rises with each new event. */
  id: string;
  uid: string;
  kind: string;
  namespace: string;
  name: string;
  type: "Normal" | "Warning";
  reason: string;
  message: string;
  count: number;
  /** ISO 8601. */
  firstAt: string;
  lastAt: string;
}

/** Fields of an event that can be selected by. */
export const EVENT_FIELDS = ["id", "uid", "kind", "namespace", "name", "type", "reason"] as const;
export type EventField = (typeof EVENT_FIELDS)[number];

export interface EventQuery {
  namespace?: string;
  fields: (Omit<FieldRequirement, "path"> & { path: EventField })[];
  limit: number;
  /** Only those with a greater id. */
  afterId?: string;
  /** Only those that were last seen later than this many milliseconds since 1970. */
  seenAfterMs?: number;
}

export interface CatalogueStore {
  namespaces(): Promise<StoredNamespace[]>;
  /** In order of their ids, with the newest time at which any event was last seen (milliseconds since 1970; 0 when there is none). */
  events(query: EventQuery): Promise<StoredEventRow[]>;
}
