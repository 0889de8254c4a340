import type { Clock } from "@/lib/clock";
import type { Action, AnyController, ApplyContext, BaseContext, ObserveContext, Plan } from "@/lib/controller";
import { asSetpointError, SetpointError } from "@/lib/errors";
import { type Pause, pauseInForce, type Resource } from "@/lib/resource";
import type { Fence, PermitVerdict } from "@/lib/store";
import type { CrashPoint, CrashSite } from "./crash-points";
import { type Call, type Settled, type Stop, withDeadline } from "./deadline";
import type { Outcome } from "./outcome";

/** Default deadlines, in milliseconds. */
const OBSERVE_TIMEOUT_MS = 10_000;
const APPLY_TIMEOUT_MS = 30_000;

/** What a pass may do to the world around it: everything that touches something comes in here. */
export interface PassPorts {
  clock: Clock;
  installation: string;
  lookup(namespace: string, kind: string, name: string): Promise<Resource | undefined>;
  secret(namespace: string, name: string, key: string): Promise<string>;
  permit(uid: string, generation: number, fence: Fence, action: Action, deleting: boolean): Promise<PermitVerdict>;
  settle(permitId: string, outcome: "done" | "failed", error?: string): Promise<void>;
  /** A registered crash point of tests, waited for; absent otherwise. */
  crashPoint?(point: CrashPoint, site: CrashSite): void | Promise<void>;
}

export interface PassInput {
  resource: Resource;
  controller: AnyController;
  fence: Fence;
  kindPaused?: Pause;
  /** Another object holds what this one claims. */
  contested?: SetpointError;
  /** What stops the worker's passes. */
  stop: Stop;
  /** By the holder's own clock the lease still runs: asked right before an outside call begins, after any time the process was frozen. */
  held(): boolean;
  /** Refuses an action that was repeated too often without lasting; undefined lets it through. */
  refuse(action: Action, plan: Plan): SetpointError | undefined;
}

/** A pass's outcome, when its look began, and work that outlived its deadline: the key stays locked until that settles. */
export interface PassResult {
  outcome: Outcome;
  lookedAt?: number;
  abandoned?: Promise<unknown>;
}

/** One pass: observe, plan, gate, permit, apply the first action. Never throws. */
export async function runPass(input: PassInput, ports: PassPorts): Promise<PassResult> {
  const { resource, controller } = input;
  const deleting = resource.metadata.deletionTimestamp !== undefined;
  if (deleting && resource.control.deletionPolicy === "Orphan" && !paused(input, ports))
    return { outcome: { type: "gone", orphaned: true } };

  const lookedAt = ports.clock.now();
  const look = await observe(resource, controller, ports, input.stop);
  if ("error" in look) return { outcome: { type: "failed", error: look.error, during: "observe" }, abandoned: look.abandoned };

  const plan = planSafely(controller, resource, look.value, lookedAt, deleting);
  if (plan instanceof SetpointError) return { outcome: { type: "failed", error: plan, during: "plan" }, lookedAt };
  const gated = gate(input, ports, plan, deleting);
  if (gated) return { outcome: gated, lookedAt };
  const action = plan.actions[0];
  if (!action) return { outcome: rest(plan, deleting), lookedAt };
  const acted = await act(input, ports, plan, action, deleting);
  return { lookedAt, ...acted };
}

/** What keeps the pass from acting, in order: a pause, the mode, a plan that says it is impossible. */
function gate(input: PassInput, ports: PassPorts, plan: Plan, deleting: boolean): Outcome | undefined {
  const pause = paused(input, ports);
  if (pause) {
    return {
      type: "withheld",
      plan,
      reason: "Paused",
      message: `Paused by ${pause.by}: ${pause.reason}`,
      until: pause.until,
      wakeOn: "the pause is lifted",
    };
  }
  const { mode } = input.resource.control;
  const nothingLeft = plan.actions.length === 0 && deleting && !plan.blocked;
  if (mode !== "Auto" && !nothingLeft) {
    const message =
      mode === "DryRun" ? "Dry-run: the plan is published and never applied." : "Observe: drift is shown, nothing is planned.";
    return { type: "withheld", plan, reason: mode, message, wakeOn: "control.mode becomes Auto" };
  }
  if (input.contested) return { type: "failed", error: input.contested, during: "plan", plan };
  if (plan.blocked) return { type: "failed", error: plan.blocked, during: "plan", plan };
  return undefined;
}

function rest(plan: Plan, deleting: boolean): Outcome {
  if (plan.waiting) return { type: "waiting", plan, ...plan.waiting };
  if (deleting) return { type: "gone", plan, orphaned: false };
  if (plan.fields.some((field) => !field.same)) {
    const paths = plan.fields.filter((field) => !field.same).map((field) => field.path);
    return {
      type: "failed",
      error: new SetpointError("NotConvergent", `Drift without a correction in: ${paths.join(", ")}.`),
      during: "plan",
      plan,
    };
  }
  return { type: "converged", plan };
}

async function act(
  input: PassInput,
  ports: PassPorts,
  plan: Plan,
  action: Action,
  deleting: boolean,
): Promise<{ outcome: Outcome; abandoned?: Promise<unknown> }> {
  const { resource, controller, fence } = input;
  const refusal = input.refuse(action, plan);
  if (refusal) return { outcome: { type: "failed", error: refusal, during: "plan", plan, action } };
  let permit: PermitVerdict;
  try {
    permit = await ports.permit(resource.metadata.uid, resource.metadata.generation, fence, action, deleting);
  } catch (error) {
    // No permit, no call. The store's trouble is not the target's: nothing is counted against the resource.
    return { outcome: { type: "outdated", reason: asSetpointError(error).message, plan } };
  }
  if (!permit.granted) return { outcome: { type: "outdated", reason: permit.reason, plan } };

  const site: CrashSite = {
    kind: resource.kind,
    name: resource.metadata.name,
    uid: resource.metadata.uid,
    generation: resource.metadata.generation,
    action: { type: action.type, effect: action.effect },
  };
  await ports.crashPoint?.("before-apply", site);
  if (!input.held()) {
    await ports.settle(permit.id, "failed", "The lease ended before the call began; nothing was done.").catch(() => undefined);
    return { outcome: { type: "outdated", reason: "LeaseLost", plan } };
  }
  const timeoutMs = controller.kind.applyTimeoutMs?.(resource.spec) ?? APPLY_TIMEOUT_MS;
  const result = await withDeadline(timeoutMs, input.stop, ports.clock, (call) => {
    const idempotencyKey = `${resource.metadata.uid}/${resource.metadata.generation}/${action.type}/${action.target}`;
    return controller.apply(action, resource, new Applying(resource, ports, call, idempotencyKey));
  });
  await ports.crashPoint?.("after-apply", site);
  const failure = "error" in result ? result.error : undefined;
  // An outcome that cannot be recorded stays "pending" in the audit; the next look finds out what happened.
  await ports.settle(permit.id, failure ? "failed" : "done", failure?.message).catch(() => undefined);
  await ports.crashPoint?.("after-record", site);
  if (failure)
    return {
      outcome: { type: "failed", error: failure, during: "apply", plan, action },
      ...("abandoned" in result ? { abandoned: result.abandoned } : {}),
    };
  return { outcome: { type: "corrected", plan, action } };
}

/** A look at the world, for passes and for the API's plan alike: read-only by type, with a deadline. */
export function observe(resource: Resource, controller: AnyController, ports: PassPorts, stop: Stop): Promise<Settled<unknown>> {
  return withDeadline(controller.kind.observeTimeoutMs ?? OBSERVE_TIMEOUT_MS, stop, ports.clock, (call) =>
    controller.observe(resource, new Observing(resource, ports, call)),
  );
}

/** Plans are total by contract; a kind that breaks it fails its own pass and nothing else. */
export function planSafely(
  controller: AnyController,
  resource: Resource,
  observed: unknown,
  now: number,
  deleting: boolean,
): Plan | SetpointError {
  try {
    return controller.plan({ resource, observed, now, deleting });
  } catch (error) {
    return asSetpointError(error);
  }
}

function paused({ resource, kindPaused }: PassInput, { clock }: PassPorts): Pause | undefined {
  const now = clock.now();
  if (pauseInForce(resource.control, now)) return resource.control.paused;
  return kindPaused && pauseInForce({ ...resource.control, paused: kindPaused }, now) ? kindPaused : undefined;
}

/** What a kind gets for one call. Its functions may be taken out of it; they and its signal are made when asked for. */
class CallContext implements BaseContext {
  constructor(
    private readonly resource: Resource,
    private readonly ports: PassPorts,
    private readonly call: Call,
  ) {}

  get signal(): AbortSignal {
    return this.call.signal;
  }

  get installation(): string {
    return this.ports.installation;
  }

  get now(): BaseContext["now"] {
    return () => this.ports.clock.now();
  }

  get lookup(): BaseContext["lookup"] {
    return (kind, name) => this.ports.lookup(this.resource.metadata.namespace, kind, name);
  }

  get secret(): BaseContext["secret"] {
    return (name, key) => this.ports.secret(this.resource.metadata.namespace, name, key);
  }
}

class Observing extends CallContext implements ObserveContext {
  readonly purpose = "observe";
}

class Applying extends CallContext implements ApplyContext {
  readonly purpose = "apply";

  constructor(
    resource: Resource,
    ports: PassPorts,
    call: Call,
    readonly idempotencyKey: string,
  ) {
    super(resource, ports, call);
  }
}
