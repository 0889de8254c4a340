/** The part of the store's contract that the engine lives on: leases and fences, permits, reports. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SHARDS, shardOf } from "@/lib/controller";
import { DEFAULT_CONTROL, FINALIZER, type PlannedAction, type Resource, type Status } from "@/lib/resource";
import type { Fence, Heartbeat, Renewal, Report } from "@/lib/store";
import { eventually } from "./store";
import type { StorePorts, StoreUnderTest } from "./store-contract";
import { create, KIND, mutate, newKey } from "./store-resources";

const TERM_MS = 60_000;
const PAUSE = { by: "ada", reason: "maintenance", since: "2026-01-01T00:00:00.000Z" };
const ACTION: PlannedAction = { type: "put", effect: "update", target: "thing", reason: "Differs", message: "put thing" };

/** Renews a worker that is a guest on the host of that slice; answers with the fence of it, if it got it. */
async function renewed({ engine }: StorePorts, id: string, slice: string, more: Partial<Heartbeat> = {}): Promise<Fence | undefined> {
  const who = { id, host: slice.slice("host/".length), pid: 1, role: "worker", version: "1", startedAt: 0, stats: {}, guest: true };
  const { leases } = await engine.renew({ ...who, ttlMs: TERM_MS, looks: { oldest: {}, behind: {} }, covers: [], ...more });
  return leases.find((fence) => fence.slice === slice);
}

/** An object in a slice of its own, and the fence of a worker that holds it. */
async function held(store: StoreUnderTest, ttlMs = TERM_MS): Promise<{ resource: Resource; fence: Fence; key: ReturnType<typeof newKey> }> {
  const key = newKey();
  const slice = `host/${randomUUID()}`;
  const resource = await create(store, key, { slice });
  const fence = await renewed(store, `worker-${randomUUID()}`, slice, { ttlMs });
  if (!fence) throw new Error("a free lease was not given");
  return { resource, fence, key };
}

function statusOf({ metadata }: Resource, more: Partial<Status> = {}): Status {
  const generation = metadata.generation;
  const at = "2026-01-01T00:00:00.000Z";
  return {
    observedGeneration: generation,
    conditions: [
      { type: "Ready", status: "True", reason: "Converged", message: "", lastTransitionTime: at, observedGeneration: generation },
    ],
    attempts: 0,
    state: "Converged",
    reason: "Converged",
    message: "Reality matches intent.",
    lastConvergedAt: at,
    ...more,
  };
}

function reportOf(resource: Resource, fence: Fence, more: Partial<Report> = {}): Report {
  const { uid, generation, namespace, name } = resource.metadata;
  return { uid, key: { kind: KIND, namespace, name }, generation, fence, status: statusOf(resource), events: [], ...more };
}

const PASS = {
  startedAt: Date.parse("2026-01-01T00:00:00.000Z"),
  durationMs: 12.3,
  trigger: "intent",
  outcome: "converged",
  reason: "Converged",
  message: "m",
  attempt: 0,
  actions: [],
};
const EVENT = { type: "Normal", reason: "Converged", message: "m".repeat(700), at: PASS.startedAt } as const;

const stored = async ({ resources }: StorePorts, { metadata }: Resource) => resources.getByUid(metadata.uid);

export function engineContract(store: () => StoreUnderTest): void {
  describe("gives leases", () => {
    it("to one holder at a time, renewed under the same epoch, taken over under a higher one", async () => {
      const slice = `host/${randomUUID()}`;
      const [one, two] = [randomUUID(), randomUUID()];
      const renew = (id: string, ttlMs = TERM_MS) => renewed(store(), id, slice, { ttlMs });
      const first = await renew(one);
      expect(await renew(two)).toBeUndefined();
      expect(await renew(one, 1)).toEqual(first);
      const second = await eventually("taken over after its term", () => renew(two));
      expect(BigInt(second.epoch)).toBeGreaterThan(BigInt(first?.epoch ?? 0));
      expect(await renew(two)).toEqual(second);
      expect(await renew(one)).toBeUndefined();
    });

    it("its own holder gets a new epoch after its term, and anybody at once when it was given back", async () => {
      const slice = `host/${randomUUID()}`;
      const holder = randomUUID();
      const renew = (id: string, ttlMs: number) => renewed(store(), id, slice, { ttlMs });
      const first = await renew(holder, 1);
      await eventually("its term is over", async () => (await stateOf(store(), slice))?.alive === false);
      const again = await renew(holder, TERM_MS);
      expect(BigInt(again?.epoch ?? 0)).toBeGreaterThan(BigInt(first?.epoch ?? 0));
      await store().engine.leave(holder);
      expect(await stateOf(store(), slice)).toMatchObject({ alive: false });
      const other = randomUUID();
      expect(await renew(other, TERM_MS)).toMatchObject({ holder: other });
    });

    it("shows who holds what, and the looks its holder published: once it covers the slice, with what is behind told apart", async () => {
      const { fence } = await held(store());
      const { slice, holder, epoch } = fence;
      const oldest = { Item: "2026-01-03T00:00:00.000Z", Other: "2026-01-03T00:00:00.000Z", Third: "2026-01-03T00:00:00.000Z" };
      const publish = (behind: Heartbeat["looks"]["behind"], covers: Heartbeat["covers"] = []) =>
        renewed(store(), holder, slice, { looks: { oldest, behind }, covers });
      const looks = async () => (await stateOf(store(), slice))?.looks;
      await publish({});
      expect(await stateOf(store(), slice)).toEqual({ slice, holder, alive: true, looks: {} });
      await publish({}, [{ slice, epoch: "999" }]);
      expect(await looks()).toEqual({});
      await publish({}, [{ slice, epoch }]);
      expect(await looks()).toEqual(oldest);
      await publish({ [slice]: { Item: "2026-01-01T00:00:00.000Z", Other: null } });
      expect(await looks()).toEqual({ Item: "2026-01-01T00:00:00.000Z", Third: oldest.Third });
    });

    it("moves shards from one that has more to those that have less, and only its own; what it began there before is refused", async () => {
      const [rich, poor] = [randomUUID(), randomUUID()];
      const host = `host/${randomUUID()}`;
      const renew = async (id: string, guest = false) => {
        const who = { id, host: host.slice("host/".length), pid: 1, role: "worker", version: "1", startedAt: 0, stats: {}, guest };
        return store().engine.renew({ ...who, ttlMs: TERM_MS, looks: { oldest: {}, behind: {} }, covers: [] });
      };
      const shards = ({ leases }: Renewal) => leases.filter(({ slice }) => slice.startsWith("shard/"));
      for (const { holder = "" } of await store().engine.leases()) if (holder !== "") await store().engine.leave(holder);
      const all = shards(await renew(rich));
      expect(all).toHaveLength(SHARDS);
      expect(shards(await renew(poor))).toEqual([]);
      const { surplus } = await renew(rich);
      expect(surplus).toBe(SHARDS / 2);
      expect(await store().engine.handOver(poor, ["shard/1"])).toEqual([]);
      const given = await store().engine.handOver(rich, ["shard/1", "shard/2", "shard/none"]);
      expect(new Set(given)).toEqual(new Set(["shard/1", "shard/2"]));
      const received = shards(await renew(poor));
      expect(new Set(received.map(({ slice }) => slice))).toEqual(new Set(given));
      for (const { slice, epoch } of received) expect(BigInt(epoch)).toBeGreaterThan(BigInt(epochOf(all, slice)));
      expect(shards(await renew(rich))).toHaveLength(SHARDS - 2);
      await store().engine.leave(rich);
      expect(shards(await renew(poor))).toHaveLength(SHARDS);
      expect((await renew(poor)).leases.map(({ slice }) => slice)).toContain(host);
      await store().engine.leave(poor);
    });

    it("and tells when the first term of another holder ends, unless that is renewed", async () => {
      const [one, two] = [randomUUID(), randomUUID()];
      const renew = async (id: string, ttlMs: number) => {
        const who = { id, host: id, pid: 1, role: "worker", version: "1", startedAt: 0, stats: {}, guest: false };
        return (await store().engine.renew({ ...who, ttlMs, looks: { oldest: {}, behind: {} }, covers: [] })).lapseMs;
      };
      await renew(one, 30_000);
      expect(await renew(two, TERM_MS)).toBeLessThanOrEqual(30_000);
      await renew(two, 20_000);
      const lapse = await renew(one, TERM_MS);
      expect(lapse).toBeLessThanOrEqual(20_000);
      expect(lapse).toBeGreaterThan(10_000);
      for (const id of [one, two]) await store().engine.leave(id);
    });

    it("keeps what was known of looks when a slice changes hands, so that nothing looks fresher than it is", async () => {
      const { fence } = await held(store());
      const { slice, holder, epoch } = fence;
      const old = { Item: "2026-01-01T00:00:00.000Z" };
      const young = { Item: "2026-01-05T00:00:00.000Z" };
      await renewed(store(), holder, slice, { looks: { oldest: old, behind: {} }, covers: [{ slice, epoch }] });
      await store().engine.leave(holder);
      expect(await stateOf(store(), slice)).toEqual({ slice, alive: false, looks: old });
      const next = randomUUID();
      const taken = await renewed(store(), next, slice, { looks: { oldest: young, behind: {} } });
      expect(await stateOf(store(), slice)).toEqual({ slice, holder: next, alive: true, looks: old });
      const covers = [{ slice, epoch: taken?.epoch ?? "" }];
      await renewed(store(), next, slice, { looks: { oldest: young, behind: { [slice]: { Item: null } } }, covers });
      expect((await stateOf(store(), slice))?.looks).toEqual(old);
      await renewed(store(), next, slice, { looks: { oldest: young, behind: {} } });
      expect((await stateOf(store(), slice))?.looks).toEqual(young);
    });

    it("puts what is bound to no host into the shard of its root owner, for ever", async () => {
      const parent = await create(store(), newKey(), { slice: "*" });
      expect(parent.slice).toBe(shardOf(parent.metadata.uid));
      const owned = async ({ kind, metadata: { name, uid } }: Resource) =>
        create(store(), newKey(), { slice: "*", ownerReferences: [{ apiVersion: "setpoint.dev/v1alpha1", kind, name, uid }] });
      const child = await owned(parent);
      expect(child.slice).toBe(parent.slice);
      expect((await owned(child)).slice).toBe(parent.slice);
    });

    it("and loads what is in a slice, with the revision that the feed continues from", async () => {
      const { resource, fence, key } = await held(store());
      const { resources, revision } = await store().engine.load([fence.slice]);
      expect(resources).toEqual([{ resource, slice: fence.slice }]);
      await mutate(store(), key, { labels: { a: "b" } });
      const [change] = await store().resources.changesAfter(revision, 10);
      expect(change?.resource.metadata.uid).toBe(resource.metadata.uid);
    });
  });

  describe("permits an outside write", () => {
    const ask = (fence: Fence, { metadata }: Resource, generation = metadata.generation) =>
      store().engine.permit(metadata.uid, generation, fence, ACTION, false);

    it("to the holder, with an intent-to-act row that is settled afterwards", async () => {
      const { resource, fence } = await held(store());
      const permit = await ask(fence, resource);
      if (!permit.granted) throw new Error(`refused: ${permit.reason}`);
      const acts = async () => (await store().audit(resource.metadata.uid)).filter(({ verb }) => verb === "act");
      expect(await acts()).toMatchObject([{ actor: `controller/${KIND}`, outcome: "pending", generation: 1 }]);
      await store().engine.settle(permit.id, "failed", "refused");
      expect(await acts()).toMatchObject([{ outcome: "failed", error: "refused" }]);
    });

    it("and to nobody else, for nothing older, while paused, not acting, or without our finalizer", async () => {
      const { resource, fence, key } = await held(store());
      const refused = async (reason: string, by: Fence = fence, generation?: number) =>
        expect(await ask(by, resource, generation)).toEqual({ granted: false, reason });
      await refused("LeaseLost", { ...fence, holder: "somebody" });
      await refused("LeaseLost", { ...fence, epoch: String(BigInt(fence.epoch) - 1n) });
      await refused("LeaseLost", (await held(store())).fence);
      await refused("StaleGeneration", fence, 2);
      await mutate(store(), key, { control: { ...DEFAULT_CONTROL, paused: PAUSE } });
      await refused("Paused");
      await mutate(store(), key, { control: { ...DEFAULT_CONTROL, paused: { ...PAUSE, until: PAUSE.since } } });
      expect((await ask(fence, resource)).granted).toBe(true);
      await mutate(store(), key, { control: { ...DEFAULT_CONTROL, mode: "DryRun" } });
      await refused("ModeChanged");
      await mutate(store(), key, { control: DEFAULT_CONTROL, finalizers: [] });
      await refused("NoFinalizer");
      await mutate(store(), key, { finalizers: [FINALIZER], spec: { value: 2 } });
      await refused("StaleGeneration");
      await mutate(store(), key, { deletion: true });
      await mutate(store(), key, { finalizers: [] });
      await refused("Gone");
      expect((await store().audit(resource.metadata.uid)).filter(({ verb }) => verb === "act")).toHaveLength(1);
    });

    it("not while the whole kind is paused", async () => {
      const { resource, fence } = await held(store());
      await store().pauseKind(KIND, PAUSE);
      expect(await store().engine.kindPauses()).toEqual({ [KIND]: PAUSE });
      expect(await ask(fence, resource)).toEqual({ granted: false, reason: "Paused" });
      await store().pauseKind(KIND, undefined);
      expect((await ask(fence, resource)).granted).toBe(true);
    });

    it("not after the lease's term, also when its holder is back", async () => {
      const { resource, fence } = await held(store(), 1);
      await eventually("its term is over", async () => (await stateOf(store(), fence.slice))?.alive === false);
      expect(await ask(fence, resource)).toEqual({ granted: false, reason: "LeaseLost" });
      const again = await renewed(store(), fence.holder, fence.slice);
      expect(await ask(fence, resource)).toEqual({ granted: false, reason: "LeaseLost" });
      expect(again && (await ask(again, resource)).granted).toBe(true);
    });

    it("and when its answer is lost, the row of the intent is there or not, and no permit was given", async () => {
      for (const when of ["before", "after"] as const) {
        const { resource, fence } = await held(store());
        const { uid, generation } = resource.metadata;
        const asking = store().breaking(when, ({ engine }) => engine.permit(uid, generation, fence, ACTION, false));
        await expect(asking).rejects.toMatchObject({ reason: "ServiceUnavailable" });
        const pending = async () => (await store().audit(uid)).filter(({ verb, outcome }) => verb === "act" && outcome === "pending");
        await eventually("known", async () => (await pending()).length === (when === "after" ? 1 : 0));
        expect((await ask(fence, resource)).granted).toBe(true);
      }
    });
  });

  describe("feeds workers", () => {
    it("with what may concern a controller and how far that goes; reports alone are passed over", async () => {
      const { resource, fence, key } = await held(store());
      let cursor = await store().resources.currentRevision();
      const fed = async () => {
        const { changes, revision } = await store().engine.feed(cursor, 100);
        cursor = revision;
        return changes.map(({ type, resource: { metadata } }) => `${type} ${metadata.name}`);
      };
      const report = (status: Partial<Status>) =>
        store().engine.report([reportOf(resource, fence, { status: statusOf(resource, status) })]);
      expect(await fed()).toEqual([]);
      await report({ state: "Converged" });
      expect(await fed()).toEqual([`MODIFIED ${key.name}`]);
      await report({ state: "Converged", message: "Still." });
      expect(await fed()).toEqual([]);
      expect(cursor).toBe(await store().resources.currentRevision());
      for (const mutation of [
        { labels: { a: "b" } },
        { annotations: { a: "b" } },
        { control: { ...DEFAULT_CONTROL, mode: "Observe" } },
      ] as const)
        await mutate(store(), key, mutation);
      expect(await fed()).toEqual(Array(3).fill(`MODIFIED ${key.name}`));
      const from = cursor;
      await mutate(store(), key, { spec: { value: 9 } });
      await report({ message: "Late, of an older generation." });
      await mutate(store(), key, { labels: {} });
      const first = await store().engine.feed(from, 1);
      expect(first).toMatchObject({ changes: [{ intent: true }], revision: first.changes[0]?.resourceVersion });
      expect((await store().engine.feed(first.revision, 1)).changes).toMatchObject([{ intent: false }]);
      await mutate(store(), key, { finalizers: [], deletion: true });
      cursor = from;
      expect((await fed()).at(-1)).toBe(`DELETED ${key.name}`);
    });
  });

  describe("takes reports", () => {
    it("with status, timeline, events and the moment of convergence, in one", async () => {
      const { resource, fence } = await held(store());
      const { generation, uid } = resource.metadata;
      const event = { ...EVENT, generation };
      const report = reportOf(resource, fence, { pass: { ...PASS, generation }, events: [event, event], convergedAt: PASS.startedAt });
      expect(await store().engine.report([report])).toEqual({ dropped: [] });
      expect((await stored(store(), resource))?.status).toEqual(report.status);
      expect((await stored(store(), resource))?.metadata.generation).toBe(generation);
      expect(await store().history.passes(uid, 10)).toMatchObject([{ ...PASS, startedAt: "2026-01-01T00:00:00.000Z", durationMs: 12 }]);
      const [kept] = await store().history.events(uid, 10);
      expect(kept).toMatchObject({ type: "Normal", reason: "Converged", count: 2, firstAt: "2026-01-01T00:00:00.000Z" });
      expect(kept?.message).toHaveLength(600);
      expect(await store().history.revisions(uid, 1)).toMatchObject([{ convergedAt: "2026-01-01T00:00:00.000Z" }]);
    });

    it("that change nothing without changing the row, its version or the feed", async () => {
      const { resource, fence } = await held(store());
      await store().engine.report([reportOf(resource, fence)]);
      const before = await stored(store(), resource);
      const revision = await store().resources.currentRevision();
      expect(await store().engine.report([reportOf(resource, fence)])).toEqual({ dropped: [] });
      expect(await stored(store(), resource)).toEqual(before);
      expect(await store().resources.currentRevision()).toBe(revision);
    });

    it("of the holder alone, of the newest generation alone, and of each on its own", async () => {
      const { resource, fence, key } = await held(store());
      const other = await held(store());
      const stale = [
        reportOf(resource, { ...fence, holder: "somebody" }),
        reportOf(resource, { ...fence, epoch: String(BigInt(fence.epoch) - 1n) }),
        reportOf(resource, fence, { generation: 2 }),
      ];
      for (const report of stale) {
        const pass = { ...PASS, generation: report.generation };
        const { dropped } = await store().engine.report([{ ...report, pass }, reportOf(other.resource, other.fence)]);
        expect(dropped).toEqual([resource.metadata.uid]);
      }
      expect((await stored(store(), other.resource))?.status?.state).toBe("Converged");
      const { resource: newer } = await mutate(store(), key, { spec: { value: 2 } });
      const pass = { ...PASS, generation: 1 };
      const batch = [reportOf(resource, fence, { pass, status: undefined }), reportOf(newer, fence, { pass: { ...pass, generation: 2 } })];
      await store().engine.report(batch);
      expect((await store().history.passes(resource.metadata.uid, 10)).map(({ generation }) => generation)).toEqual([2]);
      expect((await stored(store(), resource))?.status?.observedGeneration).toBe(2);
    });

    it("of a cleaned-up object: it leaves once deletion was asked for, keeping what others still hold", async () => {
      const { resource, fence, key } = await held(store());
      const released = async (of: Resource) => store().engine.report([reportOf(of, fence, { status: undefined, released: true })]);
      await released(resource);
      expect((await stored(store(), resource))?.metadata.finalizers).toEqual([FINALIZER]);
      await mutate(store(), key, { finalizers: [FINALIZER, "example.org/mine"] });
      const { resource: deleting } = await mutate(store(), key, { deletion: true });
      await released(deleting);
      expect((await stored(store(), resource))?.metadata.finalizers).toEqual(["example.org/mine"]);
      await mutate(store(), key, { finalizers: [FINALIZER] });
      const from = await store().resources.currentRevision();
      await released(deleting);
      expect(await stored(store(), resource)).toBeUndefined();
      expect((await store().resources.changesAfter(from, 10)).map(({ type }) => type)).toEqual(["MODIFIED", "DELETED"]);
    });

    it("once, however often the same batch is sent because its answer was lost", async () => {
      const { resource, fence } = await held(store());
      const reports = [reportOf(resource, fence, { pass: { ...PASS, generation: 1 }, events: [{ ...EVENT, generation: 1 }] })];
      const history = async () => ({
        passes: (await store().history.passes(resource.metadata.uid, 10)).length,
        told: (await store().history.events(resource.metadata.uid, 10)).map(({ count }) => count),
      });
      for (const when of ["before", "after"] as const)
        await expect(store().breaking(when, ({ engine }) => engine.report(reports, "first"))).rejects.toMatchObject({
          reason: "ServiceUnavailable",
        });
      await eventually("written", async () => (await history()).passes === 1);
      expect(await store().engine.report(reports, "first")).toEqual({ dropped: [] });
      expect(await history()).toEqual({ passes: 1, told: [1] });
      expect((await stored(store(), resource))?.status).toEqual(statusOf(resource));
      await store().engine.report(reports, "second");
      expect(await history()).toEqual({ passes: 2, told: [2] });
    });

    it("after the term of its lease from nobody, and begun before it not from its holder that is back", async () => {
      const { resource, fence } = await held(store(), 1);
      await eventually("its term is over", async () => (await stateOf(store(), fence.slice))?.alive === false);
      const report = () => store().engine.report([reportOf(resource, fence)]);
      expect(await report()).toEqual({ dropped: [resource.metadata.uid] });
      await renewed(store(), fence.holder, fence.slice);
      expect(await report()).toEqual({ dropped: [resource.metadata.uid] });
      expect((await stored(store(), resource))?.status).toBeUndefined();
    });

    it("whole or not at all when the commit's answer is lost, and the same report again is no second change", async () => {
      for (const when of ["before", "after"] as const) {
        const { resource, fence } = await held(store());
        const send = ({ engine }: StorePorts) => engine.report([reportOf(resource, fence)]);
        await expect(store().breaking(when, send)).rejects.toMatchObject({ reason: "ServiceUnavailable" });
        await eventually("known", async () => ((await stored(store(), resource))?.status !== undefined) === (when === "after"));
        expect(await send(store())).toEqual({ dropped: [] });
        const once = await stored(store(), resource);
        expect(once?.status?.state).toBe("Converged");
        await send(store());
        expect(await stored(store(), resource)).toEqual(once);
      }
    });
  });
}

function epochOf(fences: Fence[], slice: string): string {
  return fences.find((fence) => fence.slice === slice)?.epoch ?? "";
}

async function stateOf({ engine }: StorePorts, slice: string) {
  return (await engine.leases()).find((lease) => lease.slice === slice);
}
