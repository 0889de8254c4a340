import type { Clock } from "@/lib/clock";
import { type AnyController, sliceOf } from "@/lib/controller";
import { type Engine, type Preview, preview } from "@/lib/engine";
import { diffJson, type Freshness, type Resource } from "@/lib/resource";
import type { EngineStore } from "@/lib/store";
import { FreshnessReader } from "./freshness";

/** The engine as the API needs it: looks without writes, wake-ups, freshness. */
export class Observer {
  private readonly reader: FreshnessReader;
  private readonly controllers: Map<string, AnyController>;

  constructor(
    private readonly engine: Engine,
    private readonly store: EngineStore,
    controllers: AnyController[],
    private readonly hostName: string,
    clock: Clock,
  ) {
    this.controllers = new Map(controllers.map((controller) => [controller.kind.name, controller]));
    this.reader = new FreshnessReader(store, clock, this.controllers, engine);
  }

  /** The plan that would run now, from a look of its own. */
  async plan(resource: Resource): Promise<Preview> {
    const controller = this.controllers.get(resource.kind);
    const elsewhere =
      controller && sliceOf(controller.kind, resource.spec) !== "*" && sliceOf(controller.kind, resource.spec) !== `host/${this.hostName}`;
    if (!controller || elsewhere) {
      const message = elsewhere
        ? `Only a worker on the host ${sliceOf(controller.kind, resource.spec).slice("host/".length)} can look at this, and this process runs on ${this.hostName}.`
        : `This version of Setpoint has no controller for ${resource.kind}.`;
      return {
        generation: resource.metadata.generation,
        hash: "",
        observedAt: null,
        drift: [],
        fields: [],
        actions: [],
        blocked: { reason: "Unsupported", message },
      };
    }
    return preview(resource, controller, this.engine.ports, new AbortController().signal);
  }

  /** What a candidate would change: against the stored spec, and against reality. Nothing is written anywhere. */
  async planCandidate(current: Resource | undefined, candidate: Resource): Promise<Preview & { specChanges: ReturnType<typeof diffJson> }> {
    return { ...(await this.plan(candidate)), specChanges: diffJson(current?.spec, candidate.spec) };
  }

  /** Asks whichever worker holds it to look now. Writes nothing; losing it costs one resync at most. */
  async wake(resource: Resource): Promise<void> {
    this.engine.look(resource.metadata.uid);
    await this.store.requestLook(resource.metadata.uid);
  }

  freshness(resources: readonly Resource[]): Promise<Freshness[]> {
    return this.reader.of(resources);
  }
}
