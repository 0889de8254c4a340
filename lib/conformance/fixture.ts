/**
 * What a kind hands to its conformance kit: how to make a controller, how to make and break its part of the world, and how to
 * look at the target behind the controller's back. The kit does the rest.
 */
import type { Arbitrary } from "fast-check";
import type { Clock } from "@/lib/clock";
import type { BaseContext, Controller, PlanInput } from "@/lib/controller";
import type { Reason } from "@/lib/errors";
import type { Json, Resource } from "@/lib/resource";

/** One outside thing, as the target itself reports it (read around the controller, never through it). */
export interface OutsideThing {
  /** Tells it from every other thing at this moment: a path, a role's name, a pid with its start time. */
  id: string;
  /** It carries the mark of exactly this resource. */
  ours: boolean;
  /**
   * What it is like, without identity and time (no pid, no generated name), so that two resources of the same spec that went
   * different ways can be compared.
   */
  state: Json;
}

/** A controller with its own provider, both new: all that a restarted process would have. */
export interface Running<Spec, Observed> {
  // biome-ignore lint/suspicious/noExplicitAny: actions are opaque to the kit, which hands them back unread.
  controller: Controller<Spec, Observed, any>;
  /** Ends this "process" as kill -9 would: closes sockets and watchers, tidies nothing at the target. */
  stop?(): Promise<void>;
}

/** Changes the world, the intent, or both. A returned resource replaces the one given (same uid; the kit raises the generation when the spec differs). */
export type Arrange<Spec> = (resource: Resource<Spec>) => Promise<Resource<Spec> | undefined> | Promise<void>;

export interface Fault<Spec> {
  /** The word of the catalogue that observe, plan (`blocked`) or apply must end with, every time. */
  reason: Reason;
  /** Whether it strikes before the first pass or once converged. Default `start`. */
  strikes?: "start" | "converged";
  arrange: Arrange<Spec>;
  /** Takes the fault away; the kit then demands convergence. Without it the fault is one that only a new spec ends. */
  repair?: Arrange<Spec>;
}

export interface Foreign<Spec> {
  /** Puts something without our mark where the resource would act, or next to it. */
  arrange: Arrange<Spec>;
  /** It, bit for bit, with everything that a write would move (times, inode, xmin, pid). */
  snapshot(resource: Resource<Spec>): Promise<Json>;
  /** How the resource must end beside it. Absent: it must converge around it. */
  reason?: Reason;
}

/** Everything named is run under its name, so a failure says which start, break, foreign thing or fault it was. */
export interface KindFixture<Spec, Observed> {
  /** A new controller on the same target. Called many times. */
  start(): Promise<Running<Spec, Observed>>;
  /** A new intent that nothing at the target belongs to yet and that converges; own uid, own outside names. See `newResource`. */
  resource(): Resource<Spec>;
  /** Beyond "nothing there": states the first pass may find, among them what a crash in the middle of an apply leaves. */
  starts?: Record<string, Arrange<Spec>>;
  /** Ways to break what has converged: by hand at the target, or by a new spec. */
  breaks: Record<string, Arrange<Spec>>;
  /** At least: unreachable, refused, rejected and throttled, as far as the target knows them. */
  faults: Record<string, Fault<Spec>>;
  foreign: Record<string, Foreign<Spec>>;
  /** All that this resource could touch, ours or not. */
  inventory(resource: Resource<Spec>): Promise<OutsideThing[]>;
  /** A recording counter, or times and transaction ids: anything that moves with every write, even of the same value. */
  fingerprint(resource: Resource<Spec>): Promise<Json>;
  /** Any input at all that the types allow, likely or not, for `plan`. */
  inputs: Arbitrary<PlanInput<Spec, Observed>>;
  /** Most applies that any of the above may take. */
  maxActions: number;
  /**
   * An action touches exactly one thing of the inventory: create adds it (or completes it), update changes it, delete removes
   * it (or what is left of it).
   * False for kinds whose effects show later or outside the inventory.
   */
  exactEffects?: boolean;
  /** Plaintexts that no plan, no observation summary and no error may contain. */
  canaries?: string[];
  installation: string;
  clock?: Clock;
  lookup?: BaseContext["lookup"];
  secret?: BaseContext["secret"];
  /** Milliseconds until a waiting plan, or a fault that passes by itself, must have come to an end. Default 20_000. */
  deadlineMs?: number;
  /** Ends what `setup` started. */
  close?(): Promise<void>;
}
