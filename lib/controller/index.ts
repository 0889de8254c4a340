/**
 * The contract of a kind. A kind is a folder in `controllers/` whose `index.ts` has one default export: a `Controller`.
 * The engine knows nothing but this file; a kind knows nothing of the engine, the store or the pages.
 */
import type { z } from "zod";
import type { Instant } from "@/lib/clock";
import type { Comparison, ConditionReport, Json, JsonObject, PlannedAction, Resource } from "@/lib/resource";

/** A column of the kind's list and of its detail header. `path` is dotted, into the whole object. */
export interface Column {
  name: string;
  path: string;
  /** 0: always shown; 1: only in wide views. */
  priority?: 0 | 1;
}

/** Another object in the same namespace that a spec names. */
export interface Reference {
  kind: string;
  name: string;
  /** The field that names it, e.g. `spec.server`. */
  field: string;
}

/** An outside thing that an object says is its own. No two objects hold the same text. */
export interface Claim {
  /** Begins with what it is, e.g. `file:web1:etc/app.conf`. */
  text: string;
  /** The field that says so, e.g. `spec.path`. */
  field: string;
}

/** Name, schema and behaviour of a kind that need no outside world. */
export interface Kind<Spec> {
  /** e.g. `ReplicaSet`. */
  name: string;
  /** e.g. `replicasets`: the URL word. */
  plural: string;
  singular: string;
  shortNames?: string[];
  /** One sentence for people. */
  description: string;
  /**
   * Strict zod object of `spec`: unknown fields are refused, defaults are filled in. Fields carry `.describe()` and,
   * through `.meta({ title, examples, … })`, what the generated form shows. Must be convertible by `z.toJSONSchema`.
   */
  schema: z.ZodType<Spec>;
  columns: Column[];
  /** A spec that is valid here and now, shown in the New form. */
  example: JsonObject;
  /** True when the kind acts on its worker's own machine: `spec.host` is then defaulted at admission and immutable. */
  hostBound?: boolean;
  /** Fields of spec that never change after creation, dotted below spec. */
  immutable?: string[];
  /** Dotted patterns below spec whose values are sealed at admission and never shown, e.g. `values.*`. */
  secretFields?: string[];
  /** Where `kubectl scale` finds how many there should be (below spec) and how many there are (in the whole object). */
  scale?: { replicas: string; observed: string };
  /** Objects that this one needs; they cannot be deleted while named, and their changes wake this one. */
  references?(spec: Spec): Reference[];
  /**
   * What outside things an object claims, as far as its own spec says: a second object that claims the same is refused when it is
   * saved. Pure. What only a look can tell is `plan`'s to report, as Contested.
   */
  claims?(object: { namespace: string; name: string; spec: Spec }): Claim[];
  /** Rules beyond the schema, at admission: pairs of field path (below spec) and message. */
  check?(spec: Spec): { field: string; message: string }[];
  /** Milliseconds between looks when nothing else happens. Default 30_000. */
  resyncMs?: number;
  /** Milliseconds one observe may take. Default 10_000. */
  observeTimeoutMs?: number;
  /** Milliseconds one apply may take; may depend on the spec. Default 30_000. */
  applyTimeoutMs?(spec: Spec): number;
  /** Passes of this kind in flight at once per worker. Default 8. */
  concurrency?: number;
}

/** What both contexts offer. */
export interface BaseContext {
  /** Aborted at the pass's deadline and when the worker stops. Every I/O must honour it. */
  signal: AbortSignal;
  now(): Instant;
  /** This installation's own id, part of every ownership mark. */
  installation: string;
  /** The newest stored object of that kind and name in the same namespace; undefined when absent. Fields of kind.secretFields stay sealed. */
  lookup(kind: string, name: string): Promise<Resource | undefined>;
  /** The plaintext of one key of a Secret in the same namespace. Throws DependencyNotReady naming what is missing. Never log or store it. */
  secret(name: string, key: string): Promise<string>;
}

export interface ObserveContext extends BaseContext {
  readonly purpose: "observe";
}

export interface ApplyContext extends BaseContext {
  readonly purpose: "apply";
  /** Stable across retries of this very action: uid, generation and action. For targets that take idempotency keys. */
  idempotencyKey: string;
}

/** One atomic call to the target. Whatever `apply` needs must be in it, as JSON without secrets. */
export interface Action extends PlannedAction {
  /** Input of `apply`. Part of the plan's hash, never shown if a kind marks a field `secret`. */
  input?: JsonObject;
}

export interface Plan<A extends Action = Action> {
  /** Every compared field, same or not: the page's desired-against-actual. Drift is exactly those that are not the same. */
  fields: Comparison[];
  /** In order; the engine applies the first, looks again and plans again. Empty means nothing to do. */
  actions: A[];
  /** The kind's own conditions. Ready and Synced are the engine's; a kind adds others (e.g. Available). */
  conditions: ConditionReport[];
  /** Summary of what was seen, shown on the pages. Must not change while reality does not (no times of looking, no counters). */
  observed?: Json;
  /** Nothing to do yet, but not there yet either (e.g. waiting for a probe): one sentence; state is Progressing. */
  waiting?: { reason: string; message: string; recheckAfterMs: number };
  /** Who wrote the differing fields last, as far as the target tells, e.g. `user uid 1000`; shown when that writer and the loop undo each other. */
  otherWriter?: string;
  /** Acting is impossible or refused: ends the pass as that failure. Takes precedence over actions. */
  blocked?: import("@/lib/errors").SetpointError;
}

export interface PlanInput<Spec, Observed> {
  resource: Resource<Spec>;
  observed: Observed;
  now: Instant;
  /** The goal is that nothing of ours is left outside. */
  deleting: boolean;
}

/**
 * Obligations: `observe` never writes. `plan` is pure, total and deterministic, and does not mutate its input. `apply` does
 * one action and is safe to repeat; a time-out after the effect equals success because the next pass looks again. Outside things
 * without our mark are never touched unless `control.adopt`. All throw only SetpointError with a target reason of the catalogue.
 */
export interface Controller<Spec = JsonObject, Observed = unknown, A extends Action = Action> {
  kind: Kind<Spec>;
  observe(resource: Resource<Spec>, context: ObserveContext): Promise<Observed>;
  plan(input: PlanInput<Spec, Observed>): Plan<A>;
  apply(action: A, resource: Resource<Spec>, context: ApplyContext): Promise<void>;
  /**
   * The account that this resource's calls go to, e.g. `postgres:<host>:<port>/<user>`: calls to it are bounded together, and stop but
   * for one at a time while it does not answer. Undefined: none that could be shared. Asked once per generation and after a change of
   * what it refers to; writes nothing and calls no target.
   */
  target?(resource: Resource<Spec>, context: Pick<BaseContext, "lookup">): Promise<string | undefined>;
  /** Called once: lets a provider report that something about a resource may have changed (a hint only). Returns the unsubscribe. */
  subscribe?(wake: (uid: string) => void): () => void;
}

/** A controller of any kind, as the registry holds them. */
// biome-ignore lint/suspicious/noExplicitAny: the registry is heterogeneous; each controller is checked where it is defined.
export type AnyController = Controller<any, any, any>;

/** Identity, for inference where a controller is defined. */
export function defineController<Spec, Observed, A extends Action>(
  controller: Controller<Spec, Observed, A>,
): Controller<Spec, Observed, A> {
  return controller;
}

/** A kind without its controller, as those hold it who know no kind. */
export function defineKind<Spec>(kind: Kind<Spec>): AnyController["kind"] {
  return kind;
}

export { DEFAULT_RESYNC_MS, hostOf, SHARDS, shardOf, sliceOf, staleAfterMs } from "./slice";
export { type Mentioning, usersOf } from "./uses";
