import { describe, expect, it } from "vitest";
import { systemClock } from "@/lib/clock";
import { eventually } from "@/lib/conformance/store";
import { SetpointError } from "@/lib/errors";
import type { Store } from "@/lib/store/prisma";
import type { TargetLimits } from "./budget";
import { OPENS_AFTER } from "./budget";
import { audit, by, create, inState, itemController, key, openStore, Shelf, startEngine } from "./testing/shelf";

/** A deadline for a busy machine; nothing is judged by how long it took. */
const PATIENCE_MS = 45_000;

/** Two shelves, each an account of its own. Names begin with the one they are on. */
async function start(targetLimits: Partial<TargetLimits> = {}) {
  const store = await openStore();
  const [left, right] = [new Shelf(), new Shelf()];
  const isLeft = (name: string) => name.startsWith("left");
  const controller = itemController(
    ({ metadata }) => (isLeft(metadata.name) ? left : right),
    ({ metadata }) => (isLeft(metadata.name) ? "shelf:left" : "shelf:right"),
  );
  return { store, left, right, engine: await startEngine(store, controller, { targetLimits, leaseTtlMs: 15_000 }) };
}

const unreachable = new SetpointError("Unreachable", "left cannot be reached");

async function createMany(store: Store, prefix: string, count: number): Promise<void> {
  for (let i = 0; i < count; i += 20) await Promise.all(Array.from({ length: 20 }, (_, j) => create(store, `${prefix}-${i + j}`)));
}

async function states(store: Store, prefix: string): Promise<Record<string, number>> {
  const { rows } = await store.pool.query("select state, count(*)::int as count from resource where name like $1 group by state", [
    `${prefix}-%`,
  ]);
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

describe("a target that does not answer", () => {
  it("is asked by few, explains itself on every object, harms no other target, and all follow soon after its return", async () => {
    const { store, left, right, engine } = await start();
    left.fault = unreachable;
    await createMany(store, "left", 100);
    await createMany(store, "right", 20);
    await eventually("all on the dead target say so", async () => (await states(store, "left")).BackingOff === 100, PATIENCE_MS);
    await eventually("all on the other are converged", async () => (await states(store, "right")).Converged === 20);
    // Those that began before it was known, and now and then one that tries.
    expect(left.looks).toBeLessThanOrEqual(3 * OPENS_AFTER);

    const waiting = await store.resources.list({ kind: "Item", fields: [], limit: 500 });
    for (const { metadata, status } of waiting.items.filter(({ metadata }) => metadata.name.startsWith("left"))) {
      expect(status, metadata.name).toMatchObject({ reason: "Unreachable", nextAttempt: { at: expect.any(String) } });
      expect(status?.conditions.find(({ type }) => type === "Reachable")?.status).toBe("False");
    }
    const [trouble, ...others] = engine.stats().Item?.targets ?? [];
    expect(others).toEqual([]);
    expect(trouble).toMatchObject({ target: "shelf:left", reason: "Unreachable", message: "left cannot be reached", waiting: 100 });
    // Told once, with the target: only those that really tried have an event and a pass of their own.
    const { rows } = await store.pool.query("select count(*)::int as count from event where name like 'left-%'");
    expect(rows[0].count).toBeLessThanOrEqual(3 * OPENS_AFTER);

    left.fault = undefined;
    await eventually("all follow", async () => (await states(store, "left")).Converged === 100, PATIENCE_MS);
    expect(engine.stats().Item?.targets).toBeUndefined();
    expect(left.writes + right.writes).toBe(120);
  });

  it("counts nothing against those that wait, and keeps what was known of them as known no longer", async () => {
    const { store, left } = await start();
    await createMany(store, "left", 20);
    await eventually("all converged", async () => (await states(store, "left")).Converged === 20);
    left.fault = unreachable;
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
    const { store, left } = await start();
    await createMany(store, "left", 20);
    await eventually("all converged", async () => (await states(store, "left")).Converged === 20);
    left.fault = unreachable;
    await eventually("it is known to be dead", async () => (await states(store, "left")).BackingOff === 20);
    await store.resources.mutate(key("left-0"), by, () => ({ deletion: true, audit: audit("left-0") }));
    left.fault = undefined;
    await eventually("gone", async () => !(await store.resources.get(key("left-0"))), PATIENCE_MS);
    expect(left.values.size).toBe(19);
  });
});

describe("calls to one account", () => {
  it("are bounded in number at once", async () => {
    const { store, left } = await start({ atOnce: 2 });
    await createMany(store, "left", 60);
    await eventually("all converged", async () => (await states(store, "left")).Converged === 60, PATIENCE_MS);
    expect(left.mostRunning).toBeLessThanOrEqual(2);
  });

  it("are bounded in rate: what is beyond it waits and nothing is lost", async () => {
    const { store, left } = await start({ perSecond: 50, burst: 5 });
    await createMany(store, "left", 40);
    await eventually("all converged", async () => (await states(store, "left")).Converged === 40, PATIENCE_MS);
    expect(left.writes).toBe(40);
  });
});

describe("somebody else who keeps changing a field back", () => {
  it("makes the object Contested, which names both, stops the corrections, and ends with new intent", async () => {
    const { store, left } = await start();
    const { metadata } = await create(store, "left-a");
    await inState(store, "left-a", "Converged");
    for (let i = 0; i < 2; i++) {
      left.values.set(metadata.uid, "theirs");
      await eventually("corrected", () => left.values.get(metadata.uid) === "one");
      await inState(store, "left-a", "Converged");
      const { looks } = left;
      await eventually("seen in place", () => left.looks >= looks + 2);
    }
    left.values.set(metadata.uid, "theirs");
    const { status } = await inState(store, "left-a", "Failed", "Contested");
    expect(status?.message).toMatch(/^spec\.value goes back and forth between two writers: Setpoint .* a writer the target does not name/);
    expect(status?.nextAttempt?.cause).toBe("Contested");
    expect(Date.parse(status?.nextAttempt?.at ?? "") - systemClock.now()).toBeGreaterThan(60_000);
    expect(left.values.get(metadata.uid)).toBe("theirs");
    expect(left.writes).toBe(3);

    await store.resources.mutate(key("left-a"), by, () => ({ spec: { value: "two" }, audit: audit("left-a") }));
    await inState(store, "left-a", "Converged");
    expect(left.values.get(metadata.uid)).toBe("two");
  });
});
