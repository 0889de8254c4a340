/** What the API asks of the engine. `lib/runtime` joins both. */
import type { Kind } from "@/lib/controller";
import type { Freshness, JsonObject, Resource } from "@/lib/resource";
import type { PlanAnswer } from "./contract";

export interface ApiEngine {
  /** Every kind that this process knows. */
  kinds: Kind<JsonObject>[];
  /** The plan that would run now, from a look of its own. Writes nothing. */
  plan(resource: Resource): Promise<PlanAnswer>;
  /** What a candidate would change, against reality as it is now. `current` is what is stored, if anything. Writes nothing. */
  planCandidate(current: Resource | undefined, candidate: Resource): Promise<PlanAnswer>;
  /** Asks whichever worker holds it to look now; a hint. */
  wake(resource: Resource): Promise<void>;
  /** When each was last looked at, in the same order. */
  freshness(resources: readonly Resource[]): Promise<Freshness[]>;
}
