/** The small loop of the kit: passes without engine and store, and the checks that hold for every plan ever made. */
import { createHash, randomUUID } from "node:crypto";
import { type Instant, systemClock, toIso } from "@/lib/clock";
import type { ApplyContext, BaseContext, Kind, ObserveContext, Plan } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { type Control, DEFAULT_CONTROL, deepEqual, driftOf, FINALIZER, type Json, type Resource } from "@/lib/resource";
import type { KindFixture, Running } from "./fixture";

const MOST_SHOWN = 4000;

/** A broken promise, told in words. */
export class Violation extends Error {
  override name = "Violation";
}

export function demand(holds: boolean, message: string, evidence?: unknown): asserts holds {
  if (holds) return;
  throw new Violation(evidence === undefined ? message : `${message}\n${JSON.stringify(evidence, null, 2).slice(0, MOST_SHOWN)}`);
}

/** A stored-looking resource with a new uid; `spec` goes through the kind's schema, as at admission. */
export function newResource<Spec>(
  kind: Pick<Kind<Spec>, "name" | "schema">,
  name: string,
  spec: unknown,
  options: { namespace?: string; control?: Partial<Control>; uid?: string } = {},
): Resource<Spec> {
  return {
    kind: kind.name,
    metadata: {
      name,
      namespace: options.namespace ?? "default",
      uid: options.uid ?? randomUUID(),
      resourceVersion: "1",
      generation: 1,
      creationTimestamp: toIso(systemClock.now()),
      finalizers: [FINALIZER],
    },
    spec: kind.schema.parse(spec),
    control: { ...DEFAULT_CONTROL, ...options.control },
  };
}

/** The same object after an edit of its spec: one generation further. */
export function edited<Spec>(resource: Resource<Spec>, change: Partial<Spec>): Resource<Spec> {
  return {
    ...resource,
    metadata: { ...resource.metadata, generation: resource.metadata.generation + 1 },
    spec: { ...resource.spec, ...change },
  };
}

/** The same object once its deletion has been asked for. */
export function deletionOf<Spec>(resource: Resource<Spec>): Resource<Spec> {
  const { metadata } = resource;
  return { ...resource, metadata: { ...metadata, generation: metadata.generation + 1, deletionTimestamp: toIso(systemClock.now()) } };
}

/** Freezes all that JSON can hold, so that a plan that writes to its input throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of value instanceof Map || value instanceof Set ? value.values() : Object.values(value)) deepFreeze(item);
  return value;
}

function baseContext(fixture: KindFixture<never, never>, timeoutMs: number): BaseContext {
  const clock = fixture.clock ?? systemClock;
  return {
    signal: AbortSignal.timeout(timeoutMs),
    now: () => clock.now(),
    installation: fixture.installation,
    lookup: fixture.lookup ?? (async () => undefined),
    secret:
      fixture.secret ??
      (async (name, key) => {
        throw new SetpointError("DependencyNotReady", `Secret ${name} with key ${key} does not exist`, { wakeOn: `Secret/${name}` });
      }),
  };
}

/** One pass after another over one resource of one fixture. */
export interface Loop<Spec> {
  look(running: Running<Spec, unknown>, resource: Resource<Spec>): Promise<Plan>;
  apply(running: Running<Spec, unknown>, resource: Resource<Spec>, action: Plan["actions"][number]): Promise<void>;
}

export function isDeleting(resource: Resource<unknown>): boolean {
  return resource.metadata.deletionTimestamp !== undefined;
}

export function loopOf<Spec, Observed>(fixture: KindFixture<Spec, Observed>): Loop<Spec> {
  const base = fixture as unknown as KindFixture<never, never>;
  return {
    async look(running, resource) {
      const { controller } = running;
      const context: ObserveContext = { ...baseContext(base, controller.kind.observeTimeoutMs ?? 10_000), purpose: "observe" };
      const input = {
        resource: deepFreeze(structuredClone(resource)),
        observed: deepFreeze(await controller.observe(resource, context)),
        now: context.now(),
        deleting: isDeleting(resource),
      };
      const plan = controller.plan(input);
      checkPlan(plan, input.deleting, fixture.canaries ?? []);
      demand(deepEqual(plan, controller.plan(input)), "plan gave two answers to one question", plan);
      return plan;
    },
    async apply(running, resource, action) {
      const { kind } = running.controller;
      const key = createHash("sha256").update(`${resource.metadata.uid}/${resource.metadata.generation}/${JSON.stringify(action)}`);
      const context: ApplyContext = {
        ...baseContext(base, kind.applyTimeoutMs?.(resource.spec) ?? 30_000),
        purpose: "apply",
        idempotencyKey: key.digest("hex"),
      };
      // Through JSON, as the engine keeps it: what does not survive that is not an action.
      await running.controller.apply(JSON.parse(JSON.stringify(action)), deepFreeze(structuredClone(resource)), context);
    },
  };
}

/** What must hold for every plan of every kind, whatever the facts. */
export function checkPlan(plan: Plan, deleting: boolean, canaries: readonly string[] = []): void {
  for (const field of plan.fields)
    demand(field.same === deepEqual(field.desired, field.actual), "a field says same (or not) and shows the opposite", field);
  const paths = plan.fields.map((field) => field.path);
  demand(new Set(paths).size === paths.length, "two fields have one path", paths);
  const drift = driftOf(plan.fields);
  demand(plan.actions.length === 0 || drift.length > 0 || deleting, "an action without drift or deletion", plan);
  const handled = plan.actions.length > 0 || plan.waiting !== undefined || plan.blocked !== undefined;
  demand(deleting || drift.length === 0 || handled, "drift that is neither acted on, nor waited for, nor explained", plan);
  const types = plan.conditions.map((condition) => condition.type);
  demand(new Set(types).size === types.length, "two conditions have one type", types);
  demand(!types.includes("Ready") && !types.includes("Synced"), "Ready and Synced are the engine's", types);
  const { blocked, ...json } = plan;
  demand(blocked === undefined || blocked instanceof SetpointError, "blocked is no SetpointError");
  demand(deepEqual(JSON.parse(JSON.stringify(json)), json), "the plan does not survive JSON", json);
  const text = JSON.stringify(json) + (blocked?.message ?? "");
  for (const canary of canaries) demand(!text.includes(canary), "the plan holds a secret's plaintext");
}

/** What a page shows of a plan; equal over equal facts. */
export function reportOf(plan: Plan): Json {
  const { fields, conditions, observed, waiting, blocked } = plan;
  const report = { fields, conditions, observed, waiting, blocked: blocked && { reason: blocked.reason, message: blocked.message } };
  return JSON.parse(JSON.stringify(report));
}

/** Now plus the fixture's patience. */
export function deadlineOf(fixture: Pick<KindFixture<never, never>, "deadlineMs">): Instant {
  return systemClock.monotonic() + (fixture.deadlineMs ?? 20_000);
}
