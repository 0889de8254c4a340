/** The part of the store's contract that the engine lives on: permits, feed, reports. */
import { describe, expect, it } from "vitest";
import { DEFAULT_CONTROL, FINALIZER, type PlannedAction, type Resource, type Status } from "@/lib/resource";
import type { Fence, Report } from "@/lib/store";
import { eventually } from "./store";
import type { StorePorts, StoreUnderTest } from "./store-contract";
import { held, renewed, stateOf } from "./store-leases";
import { KIND, mutate } from "./store-resources";

const PAUSE = { by: "ada", reason: "maintenance", since: "2026-01-01T00:00:00.000Z" };
const ACTION: PlannedAction = { type: "put", effect: "update", target: "thing", reason: "Differs", message: "put thing" };

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
        await expect(store().breaking(when, ({ engine }) => engine.report(reports, { line: 1, name: "first" }))).rejects.toMatchObject({
          reason: "ServiceUnavailable",
        });
      await eventually("written", async () => (await history()).passes === 1);
      expect(await store().engine.report(reports, { line: 1, name: "first" })).toEqual({ dropped: [] });
      expect(await history()).toEqual({ passes: 1, told: [1] });
      expect((await stored(store(), resource))?.status).toEqual(statusOf(resource));
      await store().engine.report(reports, { line: 1, name: "second" });
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
