/** The part of the store's contract that workers live on: who holds what, for how long, and what is known of its looks. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { SHARDS, shardOf } from "@/lib/controller";
import type { Resource } from "@/lib/resource";
import type { Fence, Heartbeat, Renewal } from "@/lib/store";
import { eventually } from "./store";
import type { StorePorts, StoreUnderTest } from "./store-contract";
import { create, mutate, newKey } from "./store-resources";

const TERM_MS = 60_000;

/** Renews a worker that is a guest on the host of that slice; answers with the fence of it, if it got it. */
export async function renewed(
  { engine }: StorePorts,
  id: string,
  slice: string,
  more: Partial<Heartbeat> = {},
): Promise<Fence | undefined> {
  const who = { id, host: slice.slice("host/".length), pid: 1, role: "worker", version: "1", startedAt: 0, stats: {}, guest: true };
  const { leases } = await engine.renew({ ...who, ttlMs: TERM_MS, looks: { oldest: {}, behind: {} }, covers: [], ...more });
  return leases.find((fence) => fence.slice === slice);
}

/** An object in a slice of its own, and the fence of a worker that holds it. */
export async function held(
  store: StoreUnderTest,
  ttlMs = TERM_MS,
): Promise<{ resource: Resource; fence: Fence; key: ReturnType<typeof newKey> }> {
  const key = newKey();
  const slice = `host/${randomUUID()}`;
  const resource = await create(store, key, { slice });
  const fence = await renewed(store, `worker-${randomUUID()}`, slice, { ttlMs });
  if (!fence) throw new Error("a free lease was not given");
  return { resource, fence, key };
}

export async function stateOf({ engine }: StorePorts, slice: string) {
  return (await engine.leases()).find((lease) => lease.slice === slice);
}

export function leaseContract(store: () => StoreUnderTest): void {
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
}

function epochOf(fences: Fence[], slice: string): string {
  return fences.find((fence) => fence.slice === slice)?.epoch ?? "";
}
