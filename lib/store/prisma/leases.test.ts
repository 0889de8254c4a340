import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import { toIso } from "@/lib/clock";
import { eventually, openTestStore } from "@/lib/conformance/store";
import type { Heartbeat } from "..";
import type { Store } from ".";

let store: Store;
beforeAll(async () => {
  store = await openTestStore({ notify: false });
});
afterAll(() => store.close());

function beatOf(id: string, ttlMs: number): Heartbeat {
  const looks = { oldest: {}, behind: {} };
  return { id, host: id, pid: 1, role: "worker", version: "0", startedAt: 0, stats: {}, guest: false, ttlMs, looks, covers: [] };
}

it("a renewal that is under way when its term ends is not told that it holds what another takes meanwhile", async () => {
  const [late, other] = [randomUUID(), randomUUID()];
  const term = await store.engine.renew(beatOf(late, 1_500));
  const client = await store.pool.connect();
  try {
    await client.query("begin");
    const beat = { ...beatOf(late, 60_000), startedAt: toIso(0) };
    const { rows } = await client.query("select lease_renew($1) as renewal", [beat]);
    const told: [string, string][] = rows[0].renewal.leases;
    expect(told).toHaveLength(term.leases.length);
    const ended = "select expires_at <= clock_timestamp() as ended from worker where id = $1";
    await eventually("its term is over for all others", async () => (await store.pool.query(ended, [late])).rows[0].ended);
    await store.engine.renew(beatOf(other, 60_000));
    await client.query("commit");
    const { rows: kept } = await store.pool.query("select slice, epoch from lease where holder = $1", [late]);
    const held = new Map(kept.map(({ slice, epoch }) => [slice, String(epoch)]));
    expect(told.filter(([slice, epoch]) => held.get(slice) !== epoch)).toEqual([]);
  } finally {
    client.release();
  }
});
