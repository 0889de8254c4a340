import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, JsonObject, ManagedFields } from "@/lib/resource";
import { mergeApplied, objectShape, ownersOf, pathText, planEdit, settleApply, shapeOf, trackUpdate } from ".";

const shape = objectShape(
  shapeOf({
    type: "object",
    properties: {
      replicas: { type: "integer" },
      command: { type: "array" },
      env: { type: "object", additionalProperties: { type: "string" } },
      roles: { type: "array", "x-kubernetes-list-type": "set" },
      ports: { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
    },
  }),
);
const FORM = { manager: "form", operation: "Apply" as const };
const TIME = "2026-01-01T00:00:00Z";

interface World {
  document: JsonObject;
  managed: ManagedFields[];
}

function apply(world: World, by: typeof FORM, applied: JsonObject): World {
  const applying = { applied, shape, by, managed: world.managed };
  const document = mergeApplied(world.document, applying);
  return { document, managed: settleApply(world.document, document, applying, TIME).managed };
}
const applyBy = (world: World, manager: string, spec: JsonObject) => apply(world, { manager, operation: "Apply" }, { spec });

function update(world: World, manager: string, spec: JsonObject): World {
  const document = { spec };
  const by = { manager, operation: "Update" as const };
  return { document, managed: trackUpdate(world.document, document, { shape, by, managed: world.managed }, TIME) };
}
const EMPTY: World = { document: { spec: {} }, managed: [] };
const edit = ({ document, managed }: World, spec: JsonObject) => planEdit(document, { spec }, shape, FORM, managed);

test("a form states what was changed in it and nothing else; null for what was taken out", () => {
  const world = update(EMPTY, "curl", { replicas: 1, command: ["a"], env: { A: "1", B: "2" } });
  const plan = edit(world, { replicas: 1, command: ["b"], env: { A: "1", C: "3" } });
  expect(plan).toEqual({ statement: { spec: { command: ["b"], env: { C: "3", B: null } } }, standing: [], contested: true });
  expect(edit(world, { replicas: 1, command: ["a"], env: { A: "1", B: "2" } })).toEqual({ statement: {}, standing: [], contested: false });
});

test("a change under somebody who applies again is told by manager and field, one under a single update is not", () => {
  const world = applyBy(update(EMPTY, "curl", { replicas: 1 }), "kubectl", { env: { A: "1" } });
  const { standing, contested } = edit(world, { replicas: 2, env: { A: "2" } });
  expect(standing.map(({ manager, path }) => [manager.manager, pathText(path)])).toEqual([["kubectl", ".spec.env.A"]]);
  expect(contested).toBe(true);
  expect(ownersOf(world.managed, "spec.env.A")).toMatchObject([{ manager: "kubectl", standing: true }]);
  // What kubectl applied without --server-side it will apply again as well.
  const last = { "kubectl.kubernetes.io/last-applied-configuration": "{}" };
  const managed = trackUpdate(
    { spec: {} },
    { metadata: { annotations: last }, spec: { replicas: 1 } },
    { shape, by: { manager: "kubectl-client-side-apply", operation: "Update" }, managed: [] },
    TIME,
  );
  expect(planEdit({ spec: { replicas: 1 } }, { spec: { replicas: 2 } }, shape, FORM, managed).standing).toHaveLength(1);
});

test("of a list merged by item only the items that changed are stated, and taking out another's cannot be said by an apply", () => {
  const world = applyBy(EMPTY, "kubectl", {
    ports: [
      { name: "a", port: 1 },
      { name: "b", port: 2, weight: 3 },
    ],
    roles: ["x"],
  });
  const changed = edit(world, {
    ports: [
      { name: "a", port: 1 },
      { name: "b", port: 9, weight: 3 },
      { name: "c", port: 4 },
    ],
    roles: ["x", "y"],
  });
  expect(changed.statement).toEqual({
    spec: {
      ports: [
        { name: "b", port: 9 },
        { name: "c", port: 4 },
      ],
      roles: ["y"],
    },
  });
  expect(edit(world, { ports: [{ name: "a", port: 1 }], roles: ["x"] }).statement).toBeUndefined();
});

const spec = fc.record(
  {
    replicas: fc.integer({ min: 0, max: 2 }),
    command: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
    env: fc.dictionary(fc.constantFrom("A", "B"), fc.constantFrom("1", "2")),
    roles: fc.uniqueArray(fc.constantFrom("x", "y", "z"), { maxLength: 3 }),
    ports: fc.uniqueArray(fc.record({ name: fc.constantFrom("h", "s"), port: fc.integer({ min: 0, max: 1 }) }), {
      selector: ({ name }) => name,
      maxLength: 2,
    }),
  },
  { requiredKeys: [] },
);
const step = fc.record({ who: fc.constantFrom("form", "kubectl", "curl"), spec });

/** Lists merged by item have no order of their own, and an empty container is as good as none. */
function plain(value: Json | undefined): Json {
  if (Array.isArray(value)) return [...value].map(plain).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== "object" || value === null) return value ?? null;
  const entries = Object.entries(value).map(([key, inner]) => [key, plain(inner)] as const);
  return Object.fromEntries(entries.filter(([, inner]) => typeof inner !== "object" || Object.keys(inner ?? {}).length > 0).sort());
}

test("what a form applies gives the document that was in it, whoever owned what before", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 6 }), spec, (steps, wanted) => {
      let world = EMPTY;
      for (const { who, spec: value } of steps) world = who === "curl" ? update(world, who, value) : applyBy(world, who, value);
      const { statement } = edit(world, wanted);
      if (!statement) return;
      const after = apply(world, FORM, statement).document;
      // Whole lists keep their order.
      const command = (document: Json | undefined) => (document as { command?: Json } | undefined)?.command ?? [];
      expect(command(after.spec)).toEqual(command(wanted));
      expect(plain(after.spec)).toEqual(plain(wanted));
    }),
    { numRuns: 150 },
  );
});
