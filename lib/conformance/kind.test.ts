import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Action, Controller, Kind } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { compareField, type Resource } from "@/lib/resource";
import { Drive } from "./drive";
import type { KindFixture } from "./fixture";
import { GUARANTEES } from "./guarantees";
import { describeKind, edited, newResource } from "./kind";

interface Slots {
  size: number;
}
type Observed = { mine: number; reachable: boolean };

/** A small target: numbered slots with an owner, and a counter of writes. */
class Target {
  slots: { id: number; owner: string }[] = [];
  writes = 0;
  reachable = true;
  #next = 0;
  add(owner: string): void {
    this.writes++;
    this.slots.push({ id: this.#next++, owner });
  }
  remove(id: number): void {
    this.writes++;
    this.slots = this.slots.filter((slot) => slot.id !== id);
  }
  of(owner: string) {
    return this.slots.filter((slot) => slot.owner === owner);
  }
}

const kind: Kind<Slots> = {
  name: "Slots",
  plural: "slots",
  singular: "slots",
  description: "A number of slots.",
  schema: z.strictObject({ size: z.number().int() }),
  columns: [],
  example: { size: 2 },
};

/** Creates slots up to an absolute number, so that a repeated action is harmless. */
function slotsController(target: Target): Controller<Slots, Observed> {
  return {
    kind,
    async observe({ metadata }) {
      if (!target.reachable) throw new SetpointError("Unreachable", "the target does not answer");
      return { mine: target.of(metadata.uid).length, reachable: true };
    },
    plan({ resource, observed, deleting }) {
      const size = deleting ? 0 : resource.spec.size;
      const { mine } = observed;
      const step = (type: string, effect: Action["effect"], count: number): Action[] => [
        { type, effect, target: "slot", reason: "Count", message: `to ${count}`, input: { count } },
      ];
      const actions = mine < size ? step("Add", "create", mine + 1) : mine > size ? step("Remove", "delete", mine - 1) : [];
      return { fields: [compareField("spec.size", size, mine)], actions, conditions: [], observed: { mine } };
    },
    async apply(action, { metadata }) {
      const count = Number(action.input?.count);
      const mine = target.of(metadata.uid);
      if (mine.length < count && action.type === "Add") target.add(metadata.uid);
      const last = mine.at(-1);
      if (mine.length > count && action.type === "Remove" && last) target.remove(last.id);
    },
  };
}

type Bug = (controller: Controller<Slots, Observed>, target: Target) => Controller<Slots, Observed>;

function fixtureOf(bug: Bug = (controller) => controller): KindFixture<Slots, Observed> {
  const target = new Target();
  let count = 0;
  const fresh = () => newResource(kind, `slots-${count++}`, { size: 2 });
  return {
    start: async () => ({ controller: bug(slotsController(target), target) }),
    resource: fresh,
    starts: { "one is there": async ({ metadata }) => target.add(metadata.uid) },
    breaks: {
      "one is lost": async ({ metadata }) => target.remove(target.of(metadata.uid)[0]?.id ?? -1),
      "one too many": async ({ metadata }) => target.add(metadata.uid),
      "a new size": async (resource) => edited(resource, { size: 3 }),
    },
    faults: {
      "no answer": {
        reason: "Unreachable",
        arrange: async () => {
          target.reachable = false;
        },
        repair: async () => {
          target.reachable = true;
        },
      },
    },
    foreign: { "a slot of nobody": { arrange: async () => target.add("nobody"), snapshot: async () => target.of("nobody") } },
    inventory: async ({ metadata }) =>
      target.slots.map((slot) => ({ id: String(slot.id), ours: slot.owner === metadata.uid, state: { full: true } })),
    fingerprint: async () => target.writes,
    inputs: fc.record({
      resource: fc.integer().map((size) => ({ ...fresh(), spec: { size } })),
      observed: fc.record({ mine: fc.nat(), reachable: fc.boolean() }),
      now: fc.nat(),
      deleting: fc.boolean(),
    }),
    maxActions: 4,
    installation: "test",
    deadlineMs: 1000,
  };
}

/** Names of the guarantees that a controller with `bug` breaks. */
async function broken(bug: Bug): Promise<string[]> {
  const names: string[] = [];
  for (const [name, guarantee] of Object.entries(GUARANTEES)) {
    const drive = new Drive(fixtureOf(bug));
    await guarantee(drive).catch(() => names.push(name));
  }
  return names;
}

const withPlan =
  (
    change: (plan: ReturnType<Controller<Slots, Observed>["plan"]>, input: Parameters<Controller<Slots, Observed>["plan"]>[0]) => unknown,
  ): Bug =>
  (controller) => ({
    ...controller,
    plan(input) {
      const plan = controller.plan(input);
      change(plan, input);
      return plan;
    },
  });

const BUGS: Record<string, { bug: Bug; found: RegExp }> = {
  "writes while looking": {
    bug: (controller, target) => ({
      ...controller,
      observe(resource, context) {
        target.writes++;
        return controller.observe(resource, context);
      },
    }),
    found: /silent: looked at again|dry-run writes nothing/,
  },
  "repeats a create": {
    bug: (controller, target) => ({
      ...controller,
      async apply(action, resource, context) {
        if (action.type === "Add") target.add(resource.metadata.uid);
        else await controller.apply(action, resource, context);
      },
    }),
    found: /applied twice equals once/,
  },
  "keeps state in memory only": {
    bug: (controller) => {
      const seen = new Map<string, number>();
      return {
        ...controller,
        async observe({ metadata }: Resource<Slots>) {
          return { mine: seen.get(metadata.uid) ?? 0, reachable: true };
        },
        async apply(action, resource, context) {
          await controller.apply(action, resource, context);
          seen.set(resource.metadata.uid, Number(action.input?.count));
        },
      };
    },
    found: /a restart after any apply/,
  },
  "removes what is not ours": {
    bug: (controller, target) => ({
      ...controller,
      async apply(action, resource, context) {
        for (const slot of target.of("nobody")) target.remove(slot.id);
        await controller.apply(action, resource, context);
      },
    }),
    found: /does not carry our mark/,
  },
  "leaves one behind on deletion": {
    bug: withPlan((plan, { deleting, observed }) => {
      if (deleting && observed.mine <= 1) plan.actions = [];
    }),
    found: /deletion drains/,
  },
  "does two things in one apply": {
    bug: (controller) => ({
      ...controller,
      async apply(action, resource, context) {
        await controller.apply(action, resource, context);
        await controller.apply({ ...action, input: { count: resource.spec.size } }, resource, context);
      },
    }),
    found: /exactly the first action/,
  },
  "acts without showing a difference": { bug: withPlan((plan) => plan.fields.splice(0)), found: /shows a difference/ },
  "shows a difference that is none": {
    bug: withPlan((plan) => plan.fields.push({ path: "x", desired: 1, actual: 1, same: false })),
    found: /shows a difference/,
  },
  "shows drift and does nothing": { bug: withPlan((plan) => plan.actions.splice(0)), found: /shows a difference/ },
  "plans at random": { bug: withPlan((plan) => plan.conditions.push(condition(String(Math.random())))), found: /deterministic/ },
  "tells the time in a message": {
    bug: withPlan((plan, { now }) => plan.conditions.push(condition(`seen at ${now} ${process.hrtime.bigint()}`))),
    found: /the same report/,
  },
  "changes its input": {
    bug: withPlan((_plan, { resource }) => {
      resource.spec.size = 1;
    }),
    found: /does not touch its input/,
  },
  "throws on odd input": {
    bug: withPlan((_plan, { resource }) => {
      if (resource.spec.size < 0) throw new Error("odd");
    }),
    found: /never throws/,
  },
  "names the wrong reason": {
    bug: (controller) => ({
      ...controller,
      observe: (resource, context) =>
        controller.observe(resource, context).catch(() => {
          throw new SetpointError("Rejected", "no");
        }),
    }),
    found: /every fault ends/,
  },
  "lets a raw error out": {
    bug: (controller, target) => ({
      ...controller,
      observe(resource, context) {
        if (!target.reachable) throw new TypeError("fetch failed");
        return controller.observe(resource, context);
      },
    }),
    found: /every fault ends/,
  },
  "never comes to rest": {
    bug: (controller, target) => ({
      ...controller,
      async apply(_action, { metadata }) {
        for (const slot of target.of(metadata.uid)) target.remove(slot.id);
      },
    }),
    found: /within its bound/,
  },
};

function condition(message: string) {
  return { type: "Available", status: "True" as const, reason: "Seen", message };
}

describeKind("A correct small kind", async () => fixtureOf());

describe("the kit finds a kind that", () => {
  for (const [name, { bug, found }] of Object.entries(BUGS))
    test(name, async () => {
      expect((await broken(bug)).join("\n")).toMatch(found);
    });
});
