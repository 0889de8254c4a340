import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fakeClock } from "@/lib/clock";
import type { AnyController } from "@/lib/controller";
import { DEFAULT_CONTROL, type Resource } from "@/lib/resource";
import type { EngineStore } from "@/lib/store";
import { openMemoryStore } from "@/lib/store/memory";
import { Stop } from "./deadline";
import { type LeaseEvents, Leases } from "./leases";
import { runPass } from "./pass";

const TTL_MS = 15_000;

/** Leases on a store in memory, whose requests may be kept from arriving. */
async function holder(id: string, { clock = fakeClock(), store = openMemoryStore(clock) } = {}) {
  const told: string[] = [];
  let cutOff = false;
  const reach = <T>(request: () => Promise<T>) => (cutOff ? new Promise<T>(() => undefined) : request());
  const ports: Pick<EngineStore, "renew" | "handOver" | "leave"> = {
    renew: (beat) => reach(() => store.engine.renew(beat)),
    handOver: (from, slices) => reach(() => store.engine.handOver(from, slices)),
    leave: (from) => reach(() => store.engine.leave(from)),
  };
  const events: LeaseEvents = {
    load: async (slices) => {
      told.push(`load ${slices.length}`);
      return () => undefined;
    },
    lost: (slices) => void told.push(`lost ${slices.length}`),
    drained: async (slices) => slices,
    lapsed: () => void told.push("lapsed"),
  };
  const looks = { oldest: {}, behind: {} };
  const beat = () => ({ host: id, pid: 1, role: "worker", version: "1", startedAt: 0, stats: {}, guest: false, looks });
  const leases = new Leases({ store: ports, clock, holder: id, ttlMs: TTL_MS, beat, events, log: () => undefined });
  await leases.start();
  return {
    ...{ clock, store, leases, told },
    cutOff(off: boolean) {
      cutOff = off;
    },
  };
}

describe("the holder of leases", () => {
  it("stops by its own clock before the store's term ends, and goes on under new epochs when it is heard again after it", async () => {
    const { clock, store, leases, told, cutOff } = await holder("a");
    const before = leases.fence("shard/7");
    expect(before).toBeDefined();
    cutOff(true);
    await clock.advance(TTL_MS * 0.8);
    expect(leases.fence("shard/7")).toBeUndefined();
    expect(told).toContain("lapsed");
    expect((await store.engine.leases()).find(({ slice }) => slice === "shard/7")?.alive).toBe(true);
    await clock.advance(TTL_MS);
    cutOff(false);
    await clock.advance(TTL_MS);
    const after = leases.fence("shard/7");
    expect(BigInt(after?.epoch ?? 0)).toBeGreaterThan(BigInt(before?.epoch ?? 0));
  });

  it("is not kept from renewing by a request that is never answered", async () => {
    const { clock, leases, cutOff } = await holder("a");
    cutOff(true);
    await clock.advance(TTL_MS / 3 + 1);
    cutOff(false);
    // One renewal hangs; the one after it comes while the term still runs.
    for (let step = 0; step < 100; step++) {
      await clock.advance(TTL_MS / 10);
      if (step > 10) expect(leases.current).toBe(true);
    }
  });

  it("takes over right after the term of one that is silent, not only when its own renewal is due", async () => {
    const clock = fakeClock();
    const first = await holder("a", { clock });
    await clock.advance(1_000);
    const second = await holder("b", { clock, store: first.store });
    await clock.advance(TTL_MS);
    expect(second.leases.heldSlices).toHaveLength(513);
    second.cutOff(true);
    // The second one renewed at 16 s for the last time; the first one does so at 30 s, and would at 35 s.
    await clock.advance(TTL_MS + 100);
    expect(clock.now()).toBe(31_100);
    expect(first.leases.heldSlices.filter((slice) => slice.startsWith("shard/"))).toHaveLength(1024);
  });

  it("gives half away to a second one, step by step, and loads what it is given in one go", async () => {
    const clock = fakeClock();
    const first = await holder("a", { clock });
    const second = await holder("b", { clock, store: first.store });
    await clock.advance(TTL_MS);
    const held = (leases: Leases) => leases.heldSlices.filter((slice) => slice.startsWith("shard/") && leases.fence(slice)).length;
    expect([held(first.leases), held(second.leases)]).toEqual([512, 512]);
    expect(second.told.filter((line) => line.startsWith("load"))).toEqual(["load 1", "load 256", "load 256"]);
    const twice = first.leases.heldSlices.filter((slice) => second.leases.holds(slice));
    expect(twice).toEqual([]);
  });

  it("begins no outside call once its term is over, though the permit was granted: the pass ends with nothing done, on record", async () => {
    const clock = fakeClock();
    const applied: string[] = [];
    const settled: unknown[] = [];
    const metadata = { uid: "u", name: "n", namespace: "d", generation: 1, resourceVersion: "1", creationTimestamp: "" };
    const resource: Resource = { kind: "Item", metadata, spec: {}, control: DEFAULT_CONTROL };
    const action = { type: "put", effect: "update", target: "t", reason: "r", message: "m" } as const;
    const controller: AnyController = {
      kind: { name: "Item", plural: "items", singular: "item", description: "", schema: z.strictObject({}), columns: [], example: {} },
      observe: async () => undefined,
      plan: () => ({ fields: [], actions: [action], conditions: [] }),
      apply: async ({ target }) => void applied.push(target),
    };
    let held = true;
    const { outcome } = await runPass(
      {
        ...{ resource, controller, fence: { slice: "shard/1", holder: "a", epoch: "1" }, stop: new Stop() },
        held: () => held,
        refuse: () => undefined,
      },
      {
        ...{ clock, installation: "i", lookup: async () => undefined, secret: async () => "" },
        async permit() {
          // The process is stopped here, for longer than its term.
          held = false;
          return { granted: true, id: "p" };
        },
        async settle(id, result) {
          settled.push([id, result]);
        },
      },
    );
    expect(outcome).toMatchObject({ type: "outdated", reason: "LeaseLost" });
    expect(applied).toEqual([]);
    expect(settled).toEqual([["p", "failed"]]);
  });
});
