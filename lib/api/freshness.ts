/** Freshness of rows that were read together with the leases: the same rule as the SQL that filters and counts them. */
import { fromIso, type Instant, toIso } from "@/lib/clock";
import { sliceOf, staleAfterMs } from "@/lib/controller";
import { claimsConverged, type Freshness, type Resource } from "@/lib/resource";
import type { LeaseState } from "@/lib/store";
import type { AnyKind } from "./call";

/** Where the kind is not known to this process. */
export const UNKNOWN_KIND_STALE_MS = 100_000;

export function freshnessFrom(resource: Resource, kind: AnyKind | undefined, leases: readonly LeaseState[], now: Instant): Freshness {
  const slice = kind ? sliceOf(kind, resource.spec) : "*";
  const lease = leases.find((candidate) => candidate.slice === slice);
  const { status } = resource;
  const claims = status !== undefined && claimsConverged(status.state);
  const seen = claims ? latest(fromIso(lease?.looks[resource.kind]), fromIso(status.lastConvergedAt)) : fromIso(status?.lastSeenAt);
  const observedAt = seen === undefined ? null : toIso(seen);
  if (!lease?.alive) {
    const where = slice === "*" ? "" : ` on the host ${slice.slice("host/".length)}`;
    return { observedAt, stale: true, message: `No worker${where} is running: what is shown is the last known report.` };
  }
  const limit = kind ? staleAfterMs(kind) : UNKNOWN_KIND_STALE_MS;
  if (!claims || (seen !== undefined && now - seen < limit)) return { observedAt, stale: false };
  return {
    observedAt,
    stale: true,
    message: `Not looked at for more than ${Math.round(limit / 1_000)} s, although its worker is running.`,
  };
}

function latest(a: Instant | undefined, b: Instant | undefined): Instant | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.max(a, b);
}

/** Per kind, for the store. */
export function staleAfterByKind(kinds: readonly AnyKind[]): Record<string, number> {
  return Object.fromEntries(kinds.map((kind) => [kind.name, staleAfterMs(kind)]));
}
