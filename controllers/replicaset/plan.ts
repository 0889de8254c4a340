import type { Action, Plan, PlanInput } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { exitWords } from "@/lib/providers/processes";
import type { Observed, SeenInstance } from "./observe";
import { availability, fieldsOf, summaryOf } from "./report";
import type { ReplicaSetSpec } from "./schema";
import { isReady, isYoung, MIN_READY_MS, type Slot, type Slots, slotsOf } from "./slots";

export type StartAction = Action & { type: "Start"; input: { ordinal: number; template: string; settle: boolean } };
export type StopAction = Action & {
  type: "Stop";
  input: { ordinal: number; pid: number; startTicks: number; bootId: string; leads: boolean; forget: boolean };
};
export type ClearAction = Action & { type: "Clear"; input: { ordinal: number } };
export type ReplicaSetAction = StartAction | StopAction | ClearAction;

const LONGEST_RECHECK_MS = 15_000;

/**
 * In this order: end what should not be there (highest ordinal first), start what is missing (first those that have not crashed), then
 * replace one at a time what failed its probe for too long or is of an older template, and only once everything newer is ready.
 */
export function planReplicaSet(input: PlanInput<ReplicaSetSpec, Observed>): Plan<ReplicaSetAction> {
  const { resource, observed, deleting } = input;
  const { name } = resource.metadata;
  const facts = slotsOf(input);
  const due = dueByProbe(facts, resource.spec);
  const repairs = [...removals(name, facts, deleting), ...starts(name, facts)];
  const replacements = deleting ? [] : replace(name, facts, due);
  const actions = [...repairs, ...replacements];
  const [first] = actions;
  const starting = first !== undefined && (first.type === "Start" || (repairs.length === 0 && replacements.length > 0));
  const waiting = deleting || first ? undefined : waitFor(name, facts, resource.spec);
  return {
    fields: fieldsOf(name, resource.spec, facts, due),
    actions,
    conditions: [availability(name, facts, deleting)],
    observed: summaryOf(observed, facts),
    ...(waiting ? { waiting } : {}),
    // Whatever cannot be started must not end what runs; ending what is not wanted goes on.
    ...(starting && observed.refusal ? { blocked: new SetpointError(observed.refusal.reason, observed.refusal.message) } : {}),
  };
}

function removals(name: string, { slots }: Slots, deleting: boolean): ReplicaSetAction[] {
  return [...slots]
    .reverse()
    .flatMap((slot) => [
      ...slot.surplus.map((instance) => stop(name, slot, instance, ...removalReason(slot, instance, deleting))),
      ...(!slot.wanted && slot.folder && slot.surplus.length === 0 ? [clear(name, slot)] : []),
    ]);
}

function removalReason(slot: Slot, instance: SeenInstance, deleting: boolean): [reason: string, why: string] {
  if (deleting) return ["Deleting", "the object is being deleted"];
  if (!slot.wanted) return ["TooMany", "it is beyond the number of replicas"];
  return instance.leads ? ["Duplicate", "another process has its slot"] : ["Leftover", "it carries our mark and is no instance"];
}

function starts(name: string, { slots, template }: Slots): ReplicaSetAction[] {
  const missing = slots.filter((slot) => slot.wanted && !slot.kept);
  const crashed = (slot: Slot) => (slot.exit?.crashes ?? 0) > 0;
  return [...missing.filter((slot) => !crashed(slot)), ...missing.filter(crashed)].map((slot) => start(name, slot, template));
}

/** Instances whose probe has failed for longer than the spec tolerates. */
function dueByProbe({ slots, now }: Slots, { probe }: ReplicaSetSpec): Set<Slot> {
  const after = probe?.replaceAfterSeconds;
  if (after === undefined) return new Set();
  return new Set(slots.filter(({ kept }) => kept?.probe && now - kept.probe.failingSince >= after * 1000));
}

function replace(name: string, { slots, template, now }: Slots, due: ReadonlySet<Slot>): ReplicaSetAction[] {
  const running = slots.filter((slot) => slot.wanted && slot.kept);
  const unready = (slot: Slot) => slot.kept !== undefined && !isReady(slot.kept, now);
  const outdated = (slot: Slot) => slot.kept?.template !== template;
  // Something new is on its way and not there yet: the next one waits for it.
  if (running.some((slot) => unready(slot) && !outdated(slot) && !due.has(slot))) return [];
  const failed = running.filter((slot) => due.has(slot) && !outdated(slot)).slice(0, 1);
  if (failed.length > 0)
    return failed.flatMap((slot) => exchange(name, slot, template, "ProbeFailing", "its probe has failed for too long"));
  // Those that do not serve anyway go first: ending one of them never costs a ready instance.
  const old = running.filter(outdated).reverse();
  return [...old.filter(unready), ...old.filter((slot) => !unready(slot))].flatMap((slot) =>
    exchange(name, slot, template, "TemplateChanged", "it runs an older template"),
  );
}

function exchange(name: string, slot: Slot, template: string, reason: string, why: string): ReplicaSetAction[] {
  if (!slot.kept) return [];
  return [stop(name, slot, slot.kept, reason, why), start(name, { ...slot, exit: undefined }, template)];
}

function start(name: string, { ordinal, exit }: Slot, template: string): StartAction {
  const process = `${name}-${ordinal}`;
  const settle = (exit?.crashes ?? 0) > 0;
  const why = exit ? `the last one ${exitWords(exit)}` : "it is not running";
  return {
    type: "Start",
    effect: "create",
    target: `process ${process}`,
    reason: settle ? "Crashed" : exit ? "Ended" : "Missing",
    message: `Start process ${process} (template ${template}): ${why}.`,
    input: { ordinal, template, settle },
  };
}

function stop(name: string, slot: Slot, instance: SeenInstance, reason: string, why: string): StopAction {
  const process = `process ${name}-${slot.ordinal} (pid ${instance.pid})`;
  const { pid, startTicks, bootId, leads } = instance;
  return {
    type: "Stop",
    effect: "delete",
    target: process,
    reason,
    message: `End ${process}: ${why}.`,
    input: { ordinal: slot.ordinal, pid, startTicks, bootId, leads, forget: !slot.wanted },
  };
}

function clear(name: string, { ordinal }: Slot): ClearAction {
  const target = `folder of process ${name}-${ordinal}`;
  return {
    type: "Clear",
    effect: "delete",
    target,
    reason: "LeftBehind",
    message: `Remove the ${target}: nothing runs there.`,
    input: { ordinal },
  };
}

function waitFor(name: string, { slots, template, now }: Slots, { probe }: ReplicaSetSpec): Plan["waiting"] {
  const unready = slots.filter((slot) => slot.kept && !isReady(slot.kept, now));
  const failing = unready.find((slot) => slot.kept?.probe);
  const [first] = failing ? [failing] : unready;
  if (!first?.kept) return undefined;
  const rest = slots.some((slot) => slot.kept && slot.kept.template !== template) ? " The rest is replaced once it is ready." : "";
  const process = `${name}-${first.ordinal}`;
  if (first.kept.probe) {
    const { fault, failingSince } = first.kept.probe;
    const periodMs = (probe?.periodSeconds ?? 2) * 1000;
    const recheckAfterMs = Math.min(Math.max(now - failingSince, periodMs), Math.max(periodMs, LONGEST_RECHECK_MS));
    return {
      reason: "ProbeFailing",
      message: `${process} is not ready: ${fault}.${rest}`,
      recheckAfterMs: Math.round(recheckAfterMs) || periodMs,
    };
  }
  const youngest = Math.max(...unready.flatMap(({ kept }) => (kept && isYoung(kept, now) ? [kept.startedAt] : [])));
  return {
    reason: "Starting",
    message: `${process} has just been started.${rest}`,
    recheckAfterMs: Math.max(50, youngest + MIN_READY_MS - now),
  };
}
