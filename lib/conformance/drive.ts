/** Driving one resource to where it must end: converged, drained, or failed with a reason. */
import { systemClock } from "@/lib/clock";
import type { Action, Plan } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { driftOf, type Resource } from "@/lib/resource";
import type { Arrange, KindFixture, OutsideThing, Running } from "./fixture";
import { deadlineOf, demand, isDeleting, type Loop, loopOf, Violation } from "./loop";

/** How the road to convergence was. */
export interface Journey {
  actions: Action[];
  /** The last plan: nothing left to do. */
  plan: Plan;
}

interface DriveOptions {
  /** A new controller and a new provider after every apply: nothing in memory may matter. */
  restartAfterApply?: boolean;
}

/** One fixture, driven. */
export class Drive<Spec, Observed> {
  readonly #open = new Set<Running<Spec, Observed>>();
  readonly loop: Loop<Spec>;

  constructor(readonly fixture: KindFixture<Spec, Observed>) {
    this.loop = loopOf(fixture);
  }

  async start(): Promise<Running<Spec, Observed>> {
    const running = await this.fixture.start();
    this.#open.add(running);
    return running;
  }

  async stop(running: Running<Spec, Observed>): Promise<void> {
    if (this.#open.delete(running)) await running.stop?.();
  }

  /** Stops what a failed test left running. */
  async stopAll(): Promise<void> {
    for (const running of [...this.#open]) await this.stop(running);
  }

  /** Runs `arrange` and follows it to the resource that stands afterwards. */
  async arrange(arrange: Arrange<Spec> | undefined, resource: Resource<Spec>): Promise<Resource<Spec>> {
    const changed = (await arrange?.(resource)) ?? resource;
    if (changed === resource || changed.metadata.generation > resource.metadata.generation) return changed;
    const specChanged = JSON.stringify(changed.spec) !== JSON.stringify(resource.spec);
    return specChanged ? { ...changed, metadata: { ...changed.metadata, generation: resource.metadata.generation + 1 } } : changed;
  }

  /** Until there is nothing to do (deleting: nothing left); throws the SetpointError that ends it, or a Violation. */
  async converge(resource: Resource<Spec>, running?: Running<Spec, Observed>, options: DriveOptions = {}): Promise<Journey> {
    const actions: Action[] = [];
    const deadline = deadlineOf(this.fixture);
    let current = running ?? (await this.start());
    for (;;) {
      const plan = await this.#lookPatiently(current, resource, deadline);
      if (plan.blocked) throw plan.blocked;
      const [action] = plan.actions;
      if (action) {
        demand(actions.length < this.fixture.maxActions, `not there after ${actions.length} actions`, [...actions, action]);
        await this.loop.apply(current, resource, action);
        actions.push(action);
        if (options.restartAfterApply) {
          await this.stop(current);
          current = await this.start();
        }
      } else if (plan.waiting) {
        demand(systemClock.monotonic() < deadline, "still waiting at the deadline", plan.waiting);
        await systemClock.sleep(Math.min(plan.waiting.recheckAfterMs, 50));
      } else {
        demand(isDeleting(resource) || driftOf(plan.fields).length === 0, "came to rest with drift", plan);
        if (!running) await this.stop(current);
        return { actions, plan };
      }
    }
  }

  /** A target that was just broken may refuse one look (a cut connection); the engine would retry, so does this. */
  async #lookPatiently(running: Running<Spec, Observed>, resource: Resource<Spec>, deadline: number): Promise<Plan> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.loop.look(running, resource);
      } catch (thrown) {
        const passing = thrown instanceof SetpointError && thrown.retry === "transient";
        if (!passing || attempt >= 3 || systemClock.monotonic() > deadline) throw thrown;
        await systemClock.sleep(50);
      }
    }
  }

  /** Passes until one fails; Violation when none does. */
  async failure(resource: Resource<Spec>, running: Running<Spec, Observed>): Promise<SetpointError> {
    let journey: Journey;
    try {
      journey = await this.converge(resource, running);
    } catch (thrown) {
      if (thrown instanceof SetpointError || thrown instanceof Violation) return this.#asFailure(thrown);
      throw new Violation(`threw something that is no SetpointError: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
    }
    throw new Violation(`nothing failed\n${JSON.stringify(journey, null, 2)}`);
  }

  #asFailure(thrown: SetpointError | Violation): SetpointError {
    if (thrown instanceof Violation) throw thrown;
    for (const canary of this.fixture.canaries ?? []) demand(!thrown.message.includes(canary), "the error holds a secret's plaintext");
    return thrown;
  }

  /** What carries this resource's mark, in an order that does not depend on identity. */
  async ours(resource: Resource<Spec>): Promise<OutsideThing[]> {
    return (await this.fixture.inventory(resource)).filter((thing) => thing.ours);
  }

  async shape(resource: Resource<Spec>): Promise<string[]> {
    return (await this.ours(resource)).map((thing) => JSON.stringify(thing.state)).sort();
  }

  /** Everything at the target, and everything that a write would move. */
  async evidence(resource: Resource<Spec>): Promise<string> {
    const things = [...(await this.fixture.inventory(resource))].sort((a, b) => (a.id < b.id ? -1 : 1));
    return JSON.stringify([things, await this.fixture.fingerprint(resource)], null, 2);
  }
}
