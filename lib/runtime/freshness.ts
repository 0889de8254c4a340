import { type Clock, fromIso, toIso } from "@/lib/clock";
import { type AnyController, sliceOf, staleAfterMs } from "@/lib/controller";
import type { Engine } from "@/lib/engine";
import { claimsConverged, type Freshness, findCondition, type Resource } from "@/lib/resource";
import type { EngineStore, LeaseState } from "@/lib/store";

/** Leases are read at most this often, however many objects are asked for. */
const LEASES_FOR_MS = 500;

/**
 * When objects were last looked at, by arithmetic over the leases' published looks, and exactly where this process holds them.
 * An object whose slice has no living worker is stale at once; one that claims to be converged is stale when that look is too old.
 */
export class FreshnessReader {
  private leases: Map<string, LeaseState> = new Map();
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Pick<EngineStore, "leases">,
    private readonly clock: Clock,
    private readonly controllers: Map<string, AnyController>,
    private readonly engine: Pick<Engine, "lookedAt">,
  ) {}

  async of(resources: readonly Resource[]): Promise<Freshness[]> {
    if (this.clock.monotonic() - this.readAt > LEASES_FOR_MS) {
      this.leases = new Map((await this.store.leases()).map((lease) => [lease.slice, lease]));
      this.readAt = this.clock.monotonic();
    }
    return resources.map((resource) => this.one(resource));
  }

  private one(resource: Resource): Freshness {
    const controller = this.controllers.get(resource.kind);
    if (!controller) return { observedAt: null, stale: true, message: `This version of Setpoint has no controller for ${resource.kind}.` };
    const slice = sliceOf(controller.kind, resource.spec);
    const lease = this.leases.get(slice);
    const exact = this.engine.lookedAt(resource.metadata.uid);
    const { status } = resource;
    const seen = fromIso(status?.lastSeenAt) ?? exact ?? lastKnownLook(resource, lease);
    const observedAt = seen === undefined ? null : toIso(seen);
    if (!lease?.alive) {
      const where = slice === "*" ? "" : ` on the host ${slice.slice("host/".length)}`;
      return { observedAt, stale: true, message: `No worker${where} is running: what is shown is the last known report.` };
    }
    // Just created, or just taken over: the first look is under way, nothing is claimed yet.
    if (!status || !claimsConverged(status.state)) return { observedAt, stale: false };
    const age = seen === undefined ? Number.POSITIVE_INFINITY : this.clock.now() - seen;
    if (age <= staleAfterMs(controller.kind)) return { observedAt, stale: false };
    return {
      observedAt,
      stale: true,
      message: `Not looked at for more than ${Math.round(staleAfterMs(controller.kind) / 1000)} s, although its worker is running.`,
    };
  }
}

/** What the store knows of the last look when this process did not make it: a lower bound. */
function lastKnownLook({ kind, status }: Resource, lease: LeaseState | undefined): number | undefined {
  if (!status) return undefined;
  // What became converged later than the workers' last publication was looked at then.
  if (claimsConverged(status.state)) return latest(fromIso(lease?.looks[kind]), fromIso(status.lastConvergedAt));
  // An attempt that failed at acting had looked before.
  return findCondition(status.conditions, "Reachable")?.status === "True" ? fromIso(status.lastAttemptAt) : undefined;
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
