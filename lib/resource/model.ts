import type { Reason } from "@/lib/errors";

export const GROUP = "setpoint.dev";
export const VERSION = "v1alpha1";
export const API_VERSION = `${GROUP}/${VERSION}`;
/** The engine's finalizer: an object carrying it leaves the store only once nothing of it is observed outside. */
export const FINALIZER = "setpoint.dev/cleanup";

/** The garbage collector's: the owner stays until the objects it owns, and that block it, are gone. */
export const FOREGROUND_FINALIZER = "foregroundDeletion";
/** The garbage collector's: the owner stays until no object names it as its owner. */
export const ORPHAN_FINALIZER = "orphan";

/** A value that survives JSON exactly. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** Which fields a manager owns, as Kubernetes' `managedFields` has it. */
export interface ManagedFields {
  /** Name of the program or person's tool. */
  manager: string;
  /** `Apply`: it stands behind a configuration that it applies again; `Update`: it changed them once. */
  operation: "Apply" | "Update";
  apiVersion: string;
  /** ISO 8601, whole seconds: when it last changed anything. */
  time: string;
  fieldsType: "FieldsV1";
  fieldsV1: JsonObject;
  subresource?: string;
}

export interface Metadata {
  name: string;
  namespace: string;
  uid: string;
  /** Opaque to clients; internally the store's global revision as a decimal string. */
  resourceVersion: string;
  /** +1 with every change of spec, and when deletion is asked for. */
  generation: number;
  /** ISO 8601. */
  creationTimestamp: string;
  /** ISO 8601; set once deletion has been asked for. */
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFields[];
}

/** `Auto` acts; `DryRun` plans and publishes the plan but never writes; `Observe` looks and makes no plan. */
export type Mode = "Auto" | "DryRun" | "Observe";

export interface Pause {
  by: string;
  reason: string;
  /** ISO 8601. */
  since: string;
  /** ISO 8601; the pause ends by itself then. */
  until?: string;
}

/** The operator's hand on the loop. Not part of the generation. */
export interface Control {
  mode: Mode;
  paused?: Pause;
  deletionPolicy: "Delete" | "Orphan";
  /** Take over something that exists outside and does not carry our mark. */
  adopt?: boolean;
}

export const DEFAULT_CONTROL: Control = { mode: "Auto", deletionPolicy: "Delete" };

export type ConditionStatus = "True" | "False" | "Unknown";

export interface Condition {
  type: string;
  status: ConditionStatus;
  reason: string;
  message: string;
  /** ISO 8601; moves only when `status` changes. */
  lastTransitionTime: string;
  observedGeneration: number;
}

/** One field that differs. `path` is dotted (`spec.template.env.PORT`). */
export interface Difference {
  path: string;
  /** What should be; absent when nothing should be there. */
  desired?: Json;
  /** What is; absent when nothing is there. */
  actual?: Json;
  /** Why it matters or how it came to be, when not obvious. */
  message?: string;
}

/** One compared field; `same` is false exactly for those that are in `drift`. */
export interface Comparison extends Difference {
  same: boolean;
}

export interface PlannedAction {
  type: string;
  effect: "create" | "update" | "delete";
  /** The outside thing, in words a person can find it by, e.g. `process web-1 (pid 4711)`. */
  target: string;
  reason: string;
  message: string;
}

/** Why the next look will be, when it is not the plain resync. */
export type AttemptCause =
  | "Retry"
  | "Throttled"
  | "Unauthorised"
  | "Invalid"
  | "Conflict"
  | "Blocked"
  | "NotConvergent"
  | "Contested"
  | "TargetDown"
  | "Waiting"
  | "PauseEnds";

export interface NextAttempt {
  /** ISO 8601 with milliseconds. */
  at: string;
  cause: AttemptCause;
  /** The number this attempt will have. */
  attempt: number;
}

/** Outcome in one word, the axis the lists filter by. Stale and Paused are computed when read, never stored. */
export const STATES = ["Converged", "Progressing", "Drifted", "Blocked", "BackingOff", "Failed", "Paused", "Deleting", "Stale"] as const;
export type State = (typeof STATES)[number];

/** The report, written by the engine only, and only when it differs from what is stored. */
export interface Status {
  observedGeneration: number;
  conditions: readonly Condition[];
  /** Failed attempts in a row. 0 while nothing fails. */
  attempts: number;
  /** ISO 8601: when the newest failed attempt started. Kept after recovery. */
  lastAttemptAt?: string;
  nextAttempt?: NextAttempt;
  /** What ends the wait when no clock does. */
  wakeOn?: string;
  /** ISO 8601: when it last became converged. */
  lastConvergedAt?: string;
  /** ISO 8601: the last successful look before looking began to fail; absent while looks succeed. */
  lastSeenAt?: string;
  drift?: { count: number; paths: string[]; since: string };
  /** The plan that waits, when acting is withheld (dry-run, pause, denial). */
  plan?: { hash: string; actions: PlannedAction[] };
  /** Stored outcome; what is shown also knows pause and freshness. */
  state: State;
  /** Machine-readable reason of `state`, e.g. `Unreachable`. */
  reason: Reason | string;
  message: string;
  /** The kind's own summary of what it saw. */
  observed?: Json;
}

/** An object as the store keeps it: intent, hand and report. Secrets inside `spec` are sealed. */
export interface Resource<Spec = JsonObject> {
  kind: string;
  metadata: Metadata;
  spec: Spec;
  control: Control;
  status?: Status;
  /** Under whose lease it is: the store's, never shown. */
  slice?: string;
}

/** When reality was last looked at, and whether that is too long ago to trust. Computed when read. */
export interface Freshness {
  /** ISO 8601; null when never looked at. A lower bound where the exact time is another process's. */
  observedAt: string | null;
  stale: boolean;
  /** Why it is stale, one sentence. */
  message?: string;
}

/** kind/namespace/name: what the workqueue is keyed by. */
export interface Key {
  kind: string;
  namespace: string;
  name: string;
}

export function keyOf(resource: Resource<unknown>): Key {
  return { kind: resource.kind, namespace: resource.metadata.namespace, name: resource.metadata.name };
}

export function keyText(key: Key): string {
  return `${key.kind}/${key.namespace}/${key.name}`;
}

/** True while a pause is in force at `nowIso`-comparable instant (milliseconds). */
export function pauseInForce(control: Control, now: number): boolean {
  const pause = control.paused;
  return pause !== undefined && (pause.until === undefined || Date.parse(pause.until) > now);
}
