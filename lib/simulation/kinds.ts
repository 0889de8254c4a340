import { z } from "zod";
import {
  type Action,
  type AnyController,
  type ApplyContext,
  defineController,
  type Kind,
  type ObserveContext,
  type Plan,
} from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { type Comparison, compareField, type JsonObject, type Resource } from "@/lib/resource";
import type { Thing, Wanted } from "./target";

/** Milliseconds between looks of the simulated kinds. */
export const RESYNC_MS = 10_000;
export const STRICT = "Strict";
export const LOOSE = "Loose";
/** Strict, and bound to a machine. */
export const BOUND = "Bound";
export type KindName = typeof STRICT | typeof LOOSE | typeof BOUND;

export const SPEC = z.strictObject({
  value: z.string(),
  size: z.number(),
  after: z.string().optional(),
  place: z.string().optional(),
  host: z.string().optional(),
});
export type Spec = z.infer<typeof SPEC>;

/** A worker's connection to a target. */
export interface Client {
  /** What is there for this resource: under its key (strict), or with its mark (loose). `certain` rules out a stale answer. */
  look(resource: Resource<Spec>, certain: boolean, signal: AbortSignal): Promise<Thing[]>;
  create(resource: Resource<Spec>, wanted: Wanted, signal: AbortSignal): Promise<void>;
  update(resource: Resource<Spec>, of: { id: string; version: number }, wanted: Wanted, signal: AbortSignal): Promise<void>;
  remove(resource: Resource<Spec>, of: { id: string; version: number }, signal: AbortSignal): Promise<void>;
}

interface Observed {
  things: (Omit<Thing, "secret"> & { ours: boolean; secretSame: boolean; warm: boolean })[];
  /** The object named by spec.after is there and converged. */
  dependencyReady: boolean;
}

export function keyInTarget({ metadata }: Resource<unknown>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** A kind of the simulation: one thing per object. */
export function kindOf(name: string): Kind<Spec> {
  return {
    name,
    plural: `${name.toLowerCase()}s`,
    singular: name.toLowerCase(),
    description: "A thing of a simulated target.",
    schema: SPEC,
    columns: [],
    example: { value: "a", size: 1 },
    resyncMs: RESYNC_MS,
    observeTimeoutMs: 3_000,
    applyTimeoutMs: () => 4_000,
    concurrency: 3,
    hostBound: name === BOUND,
    references: ({ after }) => (after === undefined ? [] : [{ kind: LOOSE, name: after, field: "spec.after" }]),
  };
}

export function controllerOf(kind: KindName, client: Client, warmNow: (thing: Thing) => boolean): AnyController {
  return defineController<Spec, Observed, Action>({
    kind: kindOf(kind),
    target: async () => kind.toLowerCase(),
    observe: (resource, context) => observe(resource, context, client, warmNow),
    plan: ({ resource, observed, deleting }) => (deleting ? planDeletion(resource, observed) : plan(resource, observed)),
    apply: (action, resource, context) => apply(action, resource, context, client),
  });
}

async function observe(
  resource: Resource<Spec>,
  context: ObserveContext,
  client: Client,
  warmNow: (thing: Thing) => boolean,
): Promise<Observed> {
  const secret = await context.secret("login", "password");
  const { after } = resource.spec;
  const dependency = after === undefined ? undefined : await context.lookup(LOOSE, after);
  const deleting = resource.metadata.deletionTimestamp !== undefined;
  const things = await client.look(resource, deleting, context.signal);
  return {
    things: things.map(({ secret: actual, ...thing }) => ({
      ...thing,
      ours: thing.mark?.uid === resource.metadata.uid && thing.mark.installation === context.installation,
      secretSame: actual === secret,
      warm: warmNow({ ...thing, secret: actual }),
    })),
    dependencyReady: after === undefined || dependency?.status?.state === "Converged",
  };
}

function plan(resource: Resource<Spec>, { things, dependencyReady }: Observed): Plan<Action> {
  const [thing, ...extra] = things;
  const { value, size, after } = resource.spec;
  const fields = [
    compareField("spec.value", value, thing?.value),
    compareField("spec.size", size, thing?.size),
    compareField("spec.password", true, thing?.secretSame ?? false),
    ...extra.map(({ id }) => compareField(`duplicates.${id}`, undefined, id)),
  ];
  const base: Plan<Action> = { fields, actions: [], conditions: [], observed: summary(things) };
  if (thing && !thing.ours)
    return { ...base, blocked: new SetpointError("NotOurs", `${keyInTarget(resource)} was made by somebody else.`) };
  if (!dependencyReady) {
    const wakeOn = `${LOOSE}/${after} becomes Ready`;
    return { ...base, blocked: new SetpointError("DependencyNotReady", `${LOOSE} "${after}" is not ready.`, { wakeOn }) };
  }
  if (!thing) return { ...base, actions: [actionOf(resource, "create")] };
  const last = extra.at(-1);
  if (last) return { ...base, actions: [actionOf(resource, "delete", last)] };
  if (fields.some(({ same }: Comparison) => !same)) return { ...base, actions: [actionOf(resource, "update", thing)] };
  if (!thing.warm) return { ...base, waiting: { reason: "WarmingUp", message: "It is there and not warm yet.", recheckAfterMs: 500 } };
  return base;
}

function planDeletion(resource: Resource<Spec>, { things }: Observed): Plan<Action> {
  const ours = things.filter((thing) => thing.ours);
  const fields = ours.map(({ id }) => compareField(`things.${id}`, undefined, id));
  return { fields, actions: ours.slice(-1).map((thing) => actionOf(resource, "delete", thing)), conditions: [], observed: summary(things) };
}

function summary(things: Observed["things"]): JsonObject {
  return { things: things.map(({ id, value, size, ours, warm }) => ({ id, value, size, ours, warm })) };
}

function actionOf(resource: Resource<Spec>, effect: Action["effect"], of?: { id: string; version: number }): Action {
  const target = of ? of.id : keyInTarget(resource);
  const reason = { create: "Missing", update: "Differs", delete: "Unwanted" }[effect];
  return {
    type: effect,
    effect,
    target,
    reason,
    message: `${effect} ${target}`,
    ...(of ? { input: { id: of.id, version: of.version } } : {}),
  };
}

async function apply(action: Action, resource: Resource<Spec>, context: ApplyContext, client: Client): Promise<void> {
  const { value, size } = resource.spec;
  const secret = await context.secret("login", "password");
  const wanted: Wanted = { value, size, secret, generation: resource.metadata.generation };
  const of = { id: String(action.input?.id), version: Number(action.input?.version) };
  if (action.effect === "create") return client.create(resource, wanted, context.signal);
  if (action.effect === "update") return client.update(resource, of, wanted, context.signal);
  return client.remove(resource, of, context.signal);
}
