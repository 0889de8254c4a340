/** What a pass says about what it saw: fields, condition and summary. The same facts give the same words. */
import { toIso } from "@/lib/clock";
import { exitWords } from "@/lib/providers/processes";
import { type Comparison, type ConditionReport, compareField, diffJson, type Json } from "@/lib/resource";
import type { Observed, SeenInstance } from "./observe";
import { basePort, type ReplicaSetSpec } from "./schema";
import { isReady, isYoung, type Slot, type Slots } from "./slots";

/** Ends listed in the summary. */
const EXITS_SHOWN = 10;

export function fieldsOf(name: string, spec: ReplicaSetSpec, { slots, template }: Slots, due: ReadonlySet<Slot>): Comparison[] {
  const running = slots.reduce((sum, slot) => sum + leading(slot).length, 0);
  const wanted = slots.filter((slot) => slot.wanted).length;
  return [compareField("spec.replicas", wanted, running), ...slots.flatMap((slot) => slotFields(name, spec, slot, template, due))];
}

function leading(slot: Slot): SeenInstance[] {
  return [...(slot.kept ? [slot.kept] : []), ...slot.surplus].filter((instance) => instance.leads);
}

function slotFields(name: string, spec: ReplicaSetSpec, slot: Slot, template: string, due: ReadonlySet<Slot>): Comparison[] {
  const path = `instances.${slot.ordinal}`;
  const here = leading(slot);
  const pids = here.length > 0 ? `${name}-${slot.ordinal}: pid ${here.map(({ pid }) => pid).join(", ")}` : undefined;
  const fields = [compareField(`${path}.processes`, slot.wanted ? 1 : 0, here.length, pids)];
  const leftovers = slot.surplus.filter((instance) => !instance.leads).map(({ pid }) => pid);
  if (leftovers.length > 0)
    fields.push(
      compareField(
        `${path}.leftovers`,
        undefined,
        leftovers,
        "carries our mark and is no instance: a child that outlived one, or started by hand",
      ),
    );
  if (!slot.wanted && slot.folder && here.length + leftovers.length === 0)
    fields.push(compareField(`${path}.folder`, undefined, "present", "output and working directory of an instance that is gone"));
  if (slot.kept) fields.push(...templateFields(path, spec, slot.kept, template));
  if (due.has(slot)) fields.push(compareField(`${path}.probe`, "passes", slot.kept?.probe?.fault));
  return fields;
}

/** The hash decides; the differing parts are shown when it is known what the instance was started with. */
function templateFields(path: string, spec: ReplicaSetSpec, instance: SeenInstance, template: string): Comparison[] {
  const hash = compareField(`${path}.template`, template, instance.template ?? undefined);
  const base = basePort(spec);
  const port = base === null ? null : base + instance.ordinal;
  if (hash.same || !instance.launch) return [hash];
  const before: Json = { command: instance.launch.command, env: instance.launch.env, port: instance.port };
  const after: Json = { command: spec.template.command, env: spec.template.env ?? {}, port };
  return [hash, ...diffJson(before, after).map((difference) => ({ ...difference, path: `${path}.${difference.path}`, same: false }))];
}

/** Available: every wanted slot has a ready instance. */
export function availability(name: string, { slots, now }: Slots, deleting: boolean): ConditionReport {
  const report = (status: "True" | "False", reason: string, message: string): ConditionReport => ({
    type: "Available",
    status,
    reason,
    message,
  });
  if (deleting) {
    const left = slots.reduce((sum, slot) => sum + slot.surplus.length, 0);
    return report("False", "Deleting", `${left} processes are left.`);
  }
  const wanted = slots.filter((slot) => slot.wanted);
  const missing = wanted.filter((slot) => !slot.kept);
  const ready = wanted.filter((slot) => slot.kept && isReady(slot.kept, now));
  const of = `${ready.length} of ${wanted.length} instances are ready`;
  const [first] = missing;
  if (first) {
    const crashed = missing.find((slot) => slot.exit);
    const why = crashed?.exit ? `${name}-${crashed.ordinal} ${exitWords(crashed.exit)}` : `${name}-${first.ordinal} is not running`;
    // Some of them is less than all of them, and more than nothing.
    return report("False", missing.length === wanted.length ? "Missing" : "TooFew", `${of}; ${why}.`);
  }
  const failing = wanted.find((slot) => slot.kept?.probe);
  if (failing?.kept?.probe) return report("False", "ProbeFailing", `${of}; ${name}-${failing.ordinal}: ${failing.kept.probe.fault}.`);
  const starting = wanted.find((slot) => slot.kept && isYoung(slot.kept, now));
  if (starting) return report("False", "Starting", `${of}; ${name}-${starting.ordinal} has just been started.`);
  return wanted.length === 0 ? report("True", "NoneWanted", "No instance is wanted.") : report("True", "Ready", `${of}.`);
}

export function summaryOf(observed: Observed, { slots, now }: Slots): Json {
  const kept = slots.flatMap((slot) => (slot.kept ? [slot.kept] : []));
  const exits = [...observed.exits].sort((a, b) => b.at - a.at || a.ordinal - b.ordinal).slice(0, EXITS_SHOWN);
  return {
    running: observed.instances.filter((instance) => instance.leads).length,
    ready: kept.filter((instance) => isReady(instance, now)).length,
    instances: observed.instances.map((instance) => ({
      ordinal: instance.ordinal,
      pid: instance.pid,
      startedAt: isoOf(instance.startedAt),
      ready: isReady(instance, now),
      template: instance.template,
      ...(instance.port === null ? {} : { port: instance.port }),
      ...(instance.probe ? { probe: instance.probe.fault } : {}),
      ...(instance.leads ? {} : { leftover: true }),
    })),
    exits: exits.map((exit) => ({ ordinal: exit.ordinal, how: exitWords(exit), at: isoOf(exit.at) })),
  };
}

/** Total: a record read from disk may hold a time that no calendar knows. */
function isoOf(instant: number): string | null {
  return Math.abs(instant) <= 8.64e15 ? toIso(instant) : null;
}
