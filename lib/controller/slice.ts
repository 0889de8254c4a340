import type { Kind } from "./index";

/** Milliseconds between looks where a kind does not say. */
export const DEFAULT_RESYNC_MS = 30_000;
/** Looks may be late by this much before anybody is told: a lease renewal and a busy moment. */
const STALE_GRACE_MS = 10_000;

/** Objects that are bound to no machine are spread over this many shards, for ever. */
export const SHARDS = 1_024;

/** The shard of an object by its root owner's uid. The lowest ten bits of a version 4 uuid are random: as good as any hash. */
export function shardOf(rootUid: string, shards = SHARDS): string {
  return `shard/${Number.parseInt(rootUid.slice(-3), 16) % shards}`;
}

/** The host that a slice is bound to; undefined for a shard. */
export function hostOf(slice: string): string | undefined {
  return slice.startsWith("host/") ? slice.slice("host/".length) : undefined;
}

/** Which workers may act on an object: those of its host for kinds bound to a machine, else all (`*`: any shard). */
export function sliceOf(kind: Pick<Kind<unknown>, "hostBound">, spec: unknown): string {
  if (!kind.hostBound) return "*";
  const host = typeof spec === "object" && spec !== null && "host" in spec ? spec.host : undefined;
  return `host/${typeof host === "string" ? host : ""}`;
}

/** A converged object looked at longer ago than this is stale: three resyncs and some grace, in milliseconds. */
export function staleAfterMs(kind: Pick<Kind<unknown>, "resyncMs">): number {
  return 3 * (kind.resyncMs ?? DEFAULT_RESYNC_MS) + STALE_GRACE_MS;
}
