import { freshnessFrom } from "@/lib/api";
import type { Clock } from "@/lib/clock";
import type { AnyController } from "@/lib/controller";
import type { Engine } from "@/lib/engine";
import type { Freshness, Resource } from "@/lib/resource";
import type { EngineStore, LeaseState } from "@/lib/store";

/** Leases are read at most this often, however many objects are asked for. */
const LEASES_FOR_MS = 500;

/** When objects were last looked at: exactly where this process holds them, else by arithmetic over what workers publish. */
export class FreshnessReader {
  private leases: Promise<Map<string, LeaseState>> = Promise.resolve(new Map());
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly store: Pick<EngineStore, "leases">,
    private readonly clock: Clock,
    private readonly controllers: Map<string, AnyController>,
    private readonly engine: Pick<Engine, "lookedAt">,
  ) {}

  async of(resources: readonly Resource[]): Promise<Freshness[]> {
    const leases = await this.read();
    const now = this.clock.now();
    return resources.map((resource) => this.one(resource, leases, now));
  }

  private async read(): Promise<Map<string, LeaseState>> {
    if (this.clock.monotonic() - this.readAt <= LEASES_FOR_MS) return this.leases;
    this.readAt = this.clock.monotonic();
    this.leases = this.store.leases().then((leases) => new Map(leases.map((lease) => [lease.slice, lease])));
    // A read that failed is not kept.
    this.leases.catch(() => {
      this.readAt = Number.NEGATIVE_INFINITY;
    });
    return this.leases;
  }

  private one(resource: Resource, leases: Map<string, LeaseState>, now: number): Freshness {
    const controller = this.controllers.get(resource.kind);
    if (!controller) return { observedAt: null, stale: true, message: `This version of Setpoint has no controller for ${resource.kind}.` };
    return freshnessFrom(resource, controller.kind, leases.get(resource.slice ?? ""), now, this.engine.lookedAt(resource.metadata.uid));
  }
}
