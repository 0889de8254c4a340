import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "@/lib/clock";
import { eventually, openTestStore } from "@/lib/conformance/store";
import type { AnyController } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { compareField, DEFAULT_CONTROL, FINALIZER, type Json, type Resource } from "@/lib/resource";
import type { Store } from "@/lib/store/prisma";
import { Engine } from ".";
import type { TargetLimits } from "./budget";
import { OPENS_AFTER } from "./budget";

/** Two targets of named values; each can stop answering. Names begin with the target they are on. */
class World {
  values = new Map<string, string>();
  looks = { left: 0, right: 0 };
  writes = 0;
  mostAtOnce = 0;
  dead = new Set<string>();
  private running = 0;

  async look(resource: Resource): Promise<string | undefined> {
    const target = targetOf(resource);
    this.looks[target] += 1;
    this.running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    await systemClock.sleep(1);
    this.running -= 1;
    if (this.dead.has(target)) throw new SetpointError("Unreachable", `${target} cannot be reached`);
    return this.values.get(resource.metadata.uid);
  }
}

function targetOf({ metadata }: Resource): "left" | "right" {
  return metadata.name.startsWith("left") ? "left" : "right";
}

function controllerOf(world: World): AnyController {
  return {
    kind: {
      name: "Item",
      plural: "items",
      singular: "item",
      description: "A value at a target.",
      schema: z.strictObject({ value: z.string() }),
      columns: [],
      example: { value: "a" },
      resyncMs: 400,
    },
    target: async (resource) => `shelf:${targetOf(resource)}`,
    observe: (resource: Resource) => world.look(resource),
    plan({ resource, observed, deleting }) {
      const desired = deleting ? undefined : resource.spec.value;
      const field = compareField("spec.value", desired, observed);
      const { name } = resource.metadata;
      const effect = desired === undefined ? "delete" : observed === undefined ? "create" : "update";
      const action = { type: "put", effect, target: name, reason: "Differs", message: `${effect} ${name}` } as const;
      return { fields: [field], actions: field.same ? [] : [action], conditions: [] };
    },
    async apply(action, resource) {
      world.writes += 1;
      if (action.effect === "delete") world.values.delete(resource.metadata.uid);
      else world.values.set(resource.metadata.uid, resource.spec.value);
    },
  };
}

/** A deadline for a busy machine; nothing is judged by how long it took. */
const PATIENCE_MS = 45_000;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(targetLimits: Partial<TargetLimits> = {}) {
  const store = await openTestStore();
  closers.push(() => store.close());
  const world = new World();
  const engine = new Engine({
    store: store.engine,
    resources: store.resources,
    history: store.history,
    signal: store.signal,
    clock: systemClock,
    controllers: [controllerOf(world)],
    installation: store.installation,
    secret: async () => "",
    worker: { id: randomUUID(), host: "test", pid: process.pid, role: "all", version: "test" },
    log: () => undefined,
    targetLimits,
  });
  await engine.start();
  closers.push(() => engine.close());
  return { store, world, engine };
}

function create(store: Store, name: string, spec: { [key: string]: Json } = { value: "one" }) {
  const key = { kind: "Item", namespace: "default", name };
  return store.resources.create(
    { ...key, slice: "*", labels: {}, annotations: {}, finalizers: [FINALIZER], ownerReferences: [], spec, control: DEFAULT_CONTROL },
    { name: "test" },
    "",
    { actor: "test", verb: "create", ...key, outcome: "done" },
  );
}

async function createMany(store: Store, prefix: string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 20) await Promise.all(Array.from({ length: 20 }, (_, j) => create(store, `${prefix}-${i + j}`)));
}

async function states(store: Store, prefix: string): Promise<Record<string, number>> {
  const { rows } = await store.pool.query("select state, count(*)::int as count from resource where name like $1 group by state", [
    `${prefix}-%`,
  ]);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

async function inState(store: Store, name: string, state: string, reason = state) {
  return eventually(`${name} is ${state}, ${reason}`, async () => {
    const resource = await store.resources.get({ kind: "Item", namespace: "default", name });
    return resource?.status?.state === state && resource.status.reason === reason ? resource : undefined;
  });
}

describe("a target that does not answer", () => {
  it("is asked by few, explains itself on every object, harms no other target, and all follow soon after its return", async () => {
    const { store, world, engine } = await start();
    world.dead.add("left");
    await createMany(store, "left", 100);
    await createMany(store, "right", 20);
    await eventually("all on the dead target say so", async () => (await states(store, "left")).BackingOff === 100, PATIENCE_MS);
    await eventually("all on the other are converged", async () => (await states(store, "right")).Converged === 20);
    const { looks } = world;
    // Those that began before it was known, and now and then one that tries.
    expect(looks.left).toBeLessThanOrEqual(3 * OPENS_AFTER);

    const waiting = await store.resources.list({ kind: "Item", fields: [], limit: 500 });
    for (const { metadata, status } of waiting.items.filter((resource) => targetOf(resource) === "left")) {
      expect(status, metadata.name).toMatchObject({ reason: "Unreachable", nextAttempt: { at: expect.any(String) } });
      expect(status?.conditions.find(({ type }) => type === "Reachable")?.status).toBe("False");
    }
    const [trouble, ...others] = engine.stats().Item?.targets ?? [];
    expect(others).toEqual([]);
    expect(trouble).toMatchObject({ target: "shelf:left", reason: "Unreachable", message: "left cannot be reached", waiting: 100 });
    // Told once, with the target: only those that really tried have an event and a pass of their own.
    const { rows } = await store.pool.query("select count(*)::int as count from event where name like 'left-%'");
    expect(rows[0].count).toBeLessThanOrEqual(3 * OPENS_AFTER);

    world.dead.clear();
    await eventually("all follow", async () => (await states(store, "left")).Converged === 100, PATIENCE_MS);
    expect(engine.stats().Item?.targets).toBeUndefined();
    expect(world.writes).toBe(120);
  });

  it("counts nothing against those that wait, and keeps what was known of them as known no longer", async () => {
    const { store, world } = await start();
    await createMany(store, "left", 20);
    await eventually("all converged", async () => (await states(store, "left")).Converged === 20);
    world.dead.add("left");
    await eventually("none is green", async () => (await states(store, "left")).BackingOff === 20);
    const held = (await store.resources.list({ kind: "Item", limit: 50 })).items.filter(
      ({ status }) => status?.nextAttempt?.cause === "TargetDown" && status.attempts === 0,
    );
    expect(held.length).toBeGreaterThan(0);
    for (const { status } of held) {
      expect(status).toMatchObject({ wakeOn: "shelf:left answers", lastSeenAt: expect.any(String) });
      expect(status?.message).toContain("Not asked meanwhile");
    }
  });

  it("lets go of an object that is deleted as soon as it answers again", async () => {
    const { store, world } = await start();
    await createMany(store, "left", 20);
    await eventually("all converged", async () => (await states(store, "left")).Converged === 20);
    world.dead.add("left");
    await eventually("it is known to be dead", async () => (await states(store, "left")).BackingOff === 20);
    const key = { kind: "Item", namespace: "default", name: "left-0" };
    const audit = { actor: "test", verb: "delete", ...key, outcome: "done" as const };
    await store.resources.mutate(key, { name: "test" }, () => ({ deletion: true, audit }));
    world.dead.clear();
    await eventually("gone", async () => !(await store.resources.get(key)), PATIENCE_MS);
    expect(world.values.size).toBe(19);
  });
});

describe("calls to one account", () => {
  it("are bounded in number at once", async () => {
    const { store, world } = await start({ atOnce: 2 });
    await createMany(store, "left", 60);
    await eventually("all converged", async () => (await states(store, "left")).Converged === 60, PATIENCE_MS);
    expect(world.mostAtOnce).toBeLessThanOrEqual(2);
  });

  it("are bounded in rate: what is beyond it waits and nothing is lost", async () => {
    const { store, world } = await start({ perSecond: 50, burst: 5 });
    await createMany(store, "left", 40);
    await eventually("all converged", async () => (await states(store, "left")).Converged === 40, PATIENCE_MS);
    expect(world.writes).toBe(40);
  });
});

describe("somebody else who keeps changing a field back", () => {
  it("makes the object Contested, which names both, stops the corrections, and ends with new intent", async () => {
    const { store, world } = await start();
    const { metadata } = await create(store, "left-a");
    await inState(store, "left-a", "Converged");
    for (let i = 0; i < 2; i++) {
      world.values.set(metadata.uid, "theirs");
      await eventually("corrected", () => world.values.get(metadata.uid) === "one");
      await inState(store, "left-a", "Converged");
      const { looks } = world;
      const seen = looks.left;
      await eventually("seen in place", () => looks.left >= seen + 2);
    }
    world.values.set(metadata.uid, "theirs");
    const { status } = await inState(store, "left-a", "Failed", "Contested");
    expect(status?.message).toMatch(/^spec\.value goes back and forth between two writers: Setpoint .* a writer the target does not name/);
    expect(status?.nextAttempt?.cause).toBe("Contested");
    expect(Date.parse(status?.nextAttempt?.at ?? "") - systemClock.now()).toBeGreaterThan(60_000);
    expect(world.values.get(metadata.uid)).toBe("theirs");
    expect(world.writes).toBe(3);

    const key = { kind: "Item", namespace: "default", name: "left-a" };
    const audit = { actor: "test", verb: "update", ...key, outcome: "done" as const };
    await store.resources.mutate(key, { name: "test" }, () => ({ spec: { value: "two" }, audit }));
    await inState(store, "left-a", "Converged");
    expect(world.values.get(metadata.uid)).toBe("two");
  });
});
