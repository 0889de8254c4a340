import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject, ManagedFields } from "@/lib/resource";
import { conflictTexts, mergeApplied, objectShape, settleApply, shapeOf, trackUpdate } from ".";
import { ownersOf } from "./owners";

const shape = objectShape(
  shapeOf({
    type: "object",
    properties: {
      replicas: { type: "integer" },
      command: { type: "array", items: { type: "string" } },
      env: { type: "object", additionalProperties: { type: "string" } },
      roles: { type: "array", "x-kubernetes-list-type": "set" },
      ports: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        items: { type: "object", properties: { name: {}, port: {}, weight: {} } },
      },
    },
  }),
);

interface World {
  document: JsonObject;
  managed: ManagedFields[];
}
const EMPTY: World = { document: { metadata: {}, spec: {} }, managed: [] };

function apply(world: World, manager: string, applied: JsonObject, { force = false, time = "2026-01-01T00:00:00Z" } = {}) {
  const applying = { applied, shape, by: { manager, operation: "Apply" as const }, managed: world.managed };
  const document = mergeApplied(world.document, applying);
  const { conflicts, managed } = settleApply(world.document, document, applying, time);
  if (conflicts.length > 0 && !force) return { ...world, conflicts };
  return { document, managed, conflicts };
}

function update(world: World, manager: string, document: JsonObject, time = "2026-01-01T00:00:00Z"): World {
  return {
    document,
    managed: trackUpdate(world.document, document, { shape, by: { manager, operation: "Update" }, managed: world.managed }, time),
  };
}

const spec = (value: JsonObject): JsonObject => ({ spec: value });
const names = ({ managed }: World, path: string) =>
  ownersOf(managed, path)
    .map((owner) => owner.manager)
    .sort();

describe("apply", () => {
  test("a field that another owns and that would change is a conflict with its owner's name; forced, it changes hands", () => {
    const first = apply(EMPTY, "m1", spec({ replicas: 1, env: { A: "1" } }));
    const refused = apply(first, "m2", spec({ replicas: 2 }));
    expect(conflictTexts(refused.conflicts)).toEqual({
      message: 'Apply failed with 1 conflict: conflict with "m1": .spec.replicas',
      causes: [{ field: ".spec.replicas", message: 'conflict with "m1"' }],
    });
    expect(refused.document).toEqual(first.document);
    const forced = apply(first, "m2", spec({ replicas: 2 }), { force: true });
    expect(forced.document.spec).toEqual({ replicas: 2, env: { A: "1" } });
    expect([names(forced, "spec.replicas"), names(forced, "spec.env.A")]).toEqual([["m2"], ["m1"]]);
  });

  test("several conflicts are listed by manager", () => {
    const first = update(apply(EMPTY, "m1", spec({ replicas: 1, command: ["a"] })), "kubectl", {
      ...spec({ replicas: 1, command: ["b"] }),
      metadata: {},
    });
    const { message } = conflictTexts(apply(first, "m2", spec({ replicas: 2, command: ["c"] })).conflicts);
    expect(message).toBe(
      [
        'Apply failed with 2 conflicts: conflicts with "kubectl" using setpoint.dev/v1alpha1 at 2026-01-01T00:00:00Z:',
        "- .spec.command",
        'conflicts with "m1":',
        "- .spec.replicas",
      ].join("\n"),
    );
  });

  test("equal values are owned together, and stay when one of the owners lets go", () => {
    const both = apply(apply(EMPTY, "m1", spec({ replicas: 1 })), "m2", spec({ replicas: 1, env: { B: "1" } }));
    expect(names(both, "spec.replicas")).toEqual(["m1", "m2"]);
    const left = apply(both, "m1", spec({ command: ["x"] }));
    expect(left.document.spec).toEqual({ replicas: 1, env: { B: "1" }, command: ["x"] });
    expect(names(left, "spec.replicas")).toEqual(["m2"]);
  });

  test("what only its applier held goes when it is no longer stated, with what becomes empty by that", () => {
    const first = apply(EMPTY, "m1", { ...spec({ replicas: 1, env: { A: "1" } }), metadata: { labels: { tier: "edge" } } });
    const left = apply(first, "m1", spec({ replicas: 1 }));
    expect(left.document).toEqual({ metadata: {}, spec: { replicas: 1 } });
  });

  test("items of a keyed list merge by key: each applier has its own, and takes only its own away", () => {
    const one = apply(EMPTY, "m1", spec({ ports: [{ name: "http", port: 80 }] }));
    const two = apply(
      one,
      "m2",
      spec({
        ports: [
          { name: "ssh", port: 22 },
          { name: "http", weight: 5 },
        ],
      }),
    );
    expect(two.document.spec).toEqual({
      ports: [
        { name: "http", port: 80, weight: 5 },
        { name: "ssh", port: 22 },
      ],
    });
    const refused = apply(two, "m2", spec({ ports: [{ name: "http", port: 81 }] }));
    expect(conflictTexts(refused.conflicts).causes).toEqual([{ field: '.spec.ports[name="http"].port', message: 'conflict with "m1"' }]);
    const left = apply(two, "m2", spec({ ports: [{ name: "ssh", port: 22 }] }));
    expect(left.document.spec).toEqual({
      ports: [
        { name: "http", port: 80 },
        { name: "ssh", port: 22 },
      ],
    });
    expect(apply(left, "m2", spec({ replicas: 1 })).document.spec).toEqual({ ports: [{ name: "http", port: 80 }], replicas: 1 });
  });

  test("members of a set come and go one by one; any other list is one value", () => {
    const one = apply(EMPTY, "m1", spec({ roles: ["a"], command: ["x"] }));
    const two = apply(one, "m2", spec({ roles: ["b"] }));
    expect(two.document.spec).toMatchObject({ roles: ["a", "b"] });
    expect(apply(two, "m2", spec({ replicas: 1 })).document.spec).toMatchObject({ roles: ["a"] });
    expect(apply(two, "m2", spec({ command: ["y"] })).conflicts).toHaveLength(1);
  });

  test("null says that there must be nothing, and meets the same conflicts", () => {
    const first = apply(EMPTY, "m1", spec({ replicas: 1, env: { A: "1" } }));
    expect(apply(first, "m2", spec({ env: { A: null } })).conflicts).toHaveLength(1);
    const forced = apply(first, "m2", spec({ env: { A: null } }), { force: true });
    expect(forced.document.spec).toEqual({ replicas: 1, env: {} });
    expect(names(forced, "spec.env.A")).toEqual([]);
  });

  test("a write that is no apply takes over what it changes, and an apply then meets it", () => {
    const first = apply(EMPTY, "m1", spec({ replicas: 1 }));
    const scaled = update(first, "scaler", { metadata: {}, spec: { replicas: 5 } });
    expect(names(scaled, "spec.replicas")).toEqual(["scaler"]);
    expect(apply(scaled, "m1", spec({ replicas: 1 })).conflicts).toHaveLength(1);
    expect(ownersOf(scaled.managed, "spec.replicas")).toMatchObject([{ operation: "Update", standing: false }]);
  });

  test("of many that update once, the oldest are put together", () => {
    let world = EMPTY;
    for (let index = 0; index < 30; index++)
      world = update(
        world,
        `m${index}`,
        { metadata: {}, spec: { env: { ...envOf(world), [`K${index}`]: "1" } } },
        `2026-01-01T00:00:${String(index).padStart(2, "0")}Z`,
      );
    expect(world.managed).toHaveLength(11);
    expect([names(world, "spec.env.K0"), names(world, "spec.env.K29")]).toEqual([["ancient-changes"], ["m29"]]);
  });
});

function envOf({ document }: World): JsonObject {
  const { env } = document.spec as { env?: JsonObject };
  return env ?? {};
}

// ---- against a model: flat fields, each with a value and the managers that hold it ---------------------------------------------

type Flat = Map<string, { value: Json; owners: Set<string> }>;
type Stated = Record<string, number>;
const FIELDS = ["replicas", "env/A", "env/B", "ports/http", "ports/ssh"] as const;
const MANAGERS = ["m1", "m2", "m3"] as const;

function toSpec(stated: Stated): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(stated)) {
    const [head = "", rest] = name.split("/");
    if (rest === undefined) result[head] = value;
    else if (head === "env") result.env = { ...(result.env as JsonObject | undefined), [rest]: String(value) };
    else result.ports = [...((result.ports as Json[] | undefined) ?? []), { name: rest, port: value }];
  }
  return result;
}

function modelApply(flat: Flat, who: string, stated: Stated, force: boolean): { flat: Flat; conflicts: string[] } {
  const conflicts = Object.entries(stated).flatMap(([name, value]) => {
    const held = flat.get(name);
    return held && held.value !== value ? [...held.owners].filter((owner) => owner !== who).map((owner) => `${owner} ${name}`) : [];
  });
  if (conflicts.length > 0 && !force) return { flat, conflicts };
  const next: Flat = new Map();
  for (const [name, { value, owners }] of flat) {
    if (name in stated) continue;
    const left = new Set([...owners].filter((owner) => owner !== who));
    if (left.size > 0 || !owners.has(who)) next.set(name, { value, owners: left });
  }
  for (const [name, value] of Object.entries(stated)) {
    const held = flat.get(name);
    next.set(name, { value, owners: held?.value === value ? new Set([...held.owners, who]) : new Set([who]) });
  }
  return { flat: next, conflicts };
}

function modelUpdate(flat: Flat, who: string, stated: Stated): Flat {
  const next: Flat = new Map();
  for (const [name, value] of Object.entries(stated)) {
    const held = flat.get(name);
    next.set(name, held?.value === value ? held : { value, owners: new Set([`${who}!`]) });
  }
  return next;
}

const stated = fc.dictionary(fc.constantFrom(...FIELDS), fc.integer({ min: 0, max: 2 }));
const deed = fc.record({
  who: fc.constantFrom(...MANAGERS),
  stated,
  force: fc.boolean(),
  apply: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
});

function flatOf({ document, managed }: World): Flat {
  const flat: Flat = new Map();
  const value = document.spec as { replicas?: number; env?: Record<string, string>; ports?: { name: string; port?: number }[] };
  const put = (name: string, at: Json, owners: ManagedFields[]) =>
    flat.set(name, {
      value: at,
      owners: new Set(owners.map(({ manager, operation }) => (operation === "Update" ? `${manager}!` : manager))),
    });
  const owning = (path: string[]) =>
    managed.filter(
      ({ fieldsV1 }) => path.reduce<Json | undefined>((node, step) => (node as JsonObject | undefined)?.[step], fieldsV1) !== undefined,
    );
  if (value.replicas !== undefined) put("replicas", value.replicas, owning(["f:spec", "f:replicas"]));
  for (const [name, text] of Object.entries(value.env ?? {})) put(`env/${name}`, Number(text), owning(["f:spec", "f:env", `f:${name}`]));
  // An item that somebody else still holds stays, without the field that was taken away.
  for (const { name, port } of value.ports ?? [])
    if (port !== undefined) put(`ports/${name}`, port, owning(["f:spec", "f:ports", `k:{"name":"${name}"}`, "f:port"]));
  return flat;
}

const plain = (flat: Flat) =>
  Object.fromEntries([...flat].map(([name, { value, owners }]) => [name, { value, owners: [...owners].sort() }]));

test("any sequence of applies, forced applies and updates ends in the values and owners that a simple model says", () => {
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 12 }), (deeds) => {
      let world: World = EMPTY;
      let flat: Flat = new Map();
      for (const { who, stated: wanted, force, apply: applies } of deeds) {
        if (!applies) {
          world = update(world, who, { metadata: {}, spec: toSpec(wanted) });
          flat = modelUpdate(flat, who, wanted);
        } else {
          const expected = modelApply(flat, who, wanted, force);
          const result = apply(world, who, spec(toSpec(wanted)), { force });
          expect(result.conflicts.length > 0).toBe(expected.conflicts.length > 0);
          world = result;
          flat = expected.flat;
        }
        expect(plain(flatOf(world))).toEqual(plain(flat));
      }
    }),
    { numRuns: 150 },
  );
});

test("the same apply again changes nothing, not even a time, and no input is mutated", () => {
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 8 }), stated, (deeds, wanted) => {
      let world: World = EMPTY;
      for (const { who, stated: each, apply: applies } of deeds)
        world = applies ? apply(world, who, spec(toSpec(each)), { force: true }) : update(world, who, { metadata: {}, spec: toSpec(each) });
      const once = apply(world, "me", spec(toSpec(wanted)), { force: true });
      const copy = structuredClone(once);
      const twice = apply(once, "me", spec(toSpec(wanted)), { time: "2026-02-02T00:00:00Z" });
      expect(once).toEqual(copy);
      expect([twice.document, twice.managed, twice.conflicts]).toEqual([once.document, once.managed, []]);
    }),
  );
});
