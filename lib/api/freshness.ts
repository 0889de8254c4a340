/** When an object was last looked at, and whether that is too long ago: the same rule as the SQL that filters and counts by it. */
import { fromIso, type Instant, toIso } from "@/lib/clock";
import { hostOf, staleAfterMs } from "@/lib/controller";
import { claimsConverged, type Freshness, findCondition, type Resource } from "@/lib/resource";
import type { LeaseState } from "@/lib/store";
import type { AnyKind } from "./call";

/** Where the kind is not known to this process. */
export const UNKNOWN_KIND_STALE_MS = 100_000;

/**
 * By arithmetic over the lease of its slice: without a living holder an object is stale at once; one that claims to be converged is stale when
 * its last look is too old. `exact`: the last look, where this process made it.
 */
export function freshnessFrom(
  resource: Resource,
  kind: AnyKind | undefined,
  lease: LeaseState | undefined,
  now: Instant,
  exact?: Instant,
): Freshness {
  const { status } = resource;
  const claims = status !== undefined && claimsConverged(status.state);
  const seen = exact ?? (claims ? latest(fromIso(lease?.looks[resource.kind]), fromIso(status.lastConvergedAt)) : lastLook(resource));
  const observedAt = seen === undefined ? null : toIso(seen);
  if (!lease?.alive) return { observedAt, stale: true, message: unownedMessage(resource.slice ?? "") };
  // Just created, or failing: nothing is claimed that could be too old.
  const limit = kind ? staleAfterMs(kind) : UNKNOWN_KIND_STALE_MS;
  if (!claims || (seen !== undefined && now - seen < limit)) return { observedAt, stale: false };
  return {
    observedAt,
    stale: true,
    message: `Not looked at for more than ${Math.round(limit / 1_000)} s, although its worker is running.`,
  };
}

function unownedMessage(slice: string): string {
  const host = hostOf(slice);
  const who = host === undefined ? "No worker holds its shard" : `No worker on the host ${host} is running`;
  return `${who}: what is shown is the last known report.`;
}

/** Of what does not claim to be converged: an attempt that failed at acting had looked before. */
function lastLook({ status }: Resource): Instant | undefined {
  const reached = findCondition(status?.conditions ?? [], "Reachable")?.status === "True";
  return fromIso(status?.lastSeenAt) ?? (reached ? fromIso(status?.lastAttemptAt) : undefined);
}

function latest(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}

/** Per kind, for the store. */
export function staleAfterByKind(kinds: readonly AnyKind[]): Record<string, number> {
  return Object.fromEntries(kinds.map((kind) => [kind.name, staleAfterMs(kind)]));
}
