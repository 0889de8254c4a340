import { describe, expect, it } from "vitest";
import { eventually } from "@/lib/conformance/store";
import { SetpointError } from "@/lib/errors";
import { DEFAULT_CONTROL } from "@/lib/resource";
import type { Store } from "@/lib/store/prisma";
import { audit, by, create, inState, itemController, key, openStore, Shelf, startEngine } from "./testing/shelf";

async function world({ notify = true } = {}) {
  const store = await openStore({ notify });
  const shelf = new Shelf();
  const start = () =>
    startEngine(
      store,
      itemController(() => shelf),
    );
  return { store, shelf, start, engine: await start() };
}

/** A worker that is nothing but a heartbeat. */
function beat(store: Store, { id }: { id: string }) {
  const looks = { oldest: {}, behind: {} };
  const who = { host: "elsewhere", pid: 1, role: "all", version: "test", startedAt: 0 };
  return store.engine.renew({ id, ...who, ttlMs: 60_000, stats: {}, guest: true, looks, covers: [] });
}

describe("the engine", () => {
  it("brings reality to intent, and again when reality changes", async () => {
    const { store, shelf } = await world();
    const { metadata } = await create(store, "a", "one");
    await inState(store, "a", "Converged");
    expect(shelf.values.get(metadata.uid)).toBe("one");
    shelf.values.set(metadata.uid, "broken");
    await eventually("healed", () => shelf.values.get(metadata.uid) === "one");
  });

  it("needs no notification: with them switched off everything still converges", async () => {
    const { store, shelf } = await world({ notify: false });
    const { metadata } = await create(store, "a", "one");
    await inState(store, "a", "Converged");
    await store.resources.mutate(key("a"), by, () => ({ spec: { value: "two" }, audit: audit("a") }));
    await eventually("new intent applied", () => shelf.values.get(metadata.uid) === "two");
  });

  it("is silent at rest: no write to the target, no row changed, same resourceVersion", async () => {
    const { store, shelf } = await world();
    await create(store, "a", "one");
    await inState(store, "a", "Converged");
    await eventually("looked again", () => shelf.looks > 3);
    const before = await store.resources.get(key("a"));
    const { writes, looks } = shelf;
    await eventually("looked five times more", () => shelf.looks >= looks + 5);
    expect(shelf.writes).toBe(writes);
    expect(await store.resources.get(key("a"))).toEqual(before);
  });

  it("shows why it fails and when it is tried next, keeps that over a restart, and recovers by itself", async () => {
    const { store, shelf, engine, start } = await world();
    shelf.fault = new SetpointError("Unreachable", "connect ECONNREFUSED shelf");
    await create(store, "a", "one");
    const failing = await inState(store, "a", "BackingOff");
    expect(failing.status).toMatchObject({ reason: "Unreachable", message: "connect ECONNREFUSED shelf", nextAttempt: { cause: "Retry" } });
    const second = await eventually("second attempt", async () => {
      const status = (await store.resources.get(key("a")))?.status;
      return status && status.attempts >= 2 ? status : undefined;
    });
    await engine.close();
    const { looks } = shelf;
    await start();
    expect((await store.resources.get(key("a")))?.status?.nextAttempt).toEqual(second.nextAttempt);
    const next = await eventually("next attempt", async () => {
      const status = (await store.resources.get(key("a")))?.status;
      return status && status.attempts > second.attempts ? status : undefined;
    });
    expect(shelf.looks).toBe(looks + 1);
    expect(Date.parse(next.lastAttemptAt ?? "")).toBeGreaterThanOrEqual(Date.parse(second.nextAttempt?.at ?? ""));
    shelf.fault = undefined;
    const { status } = await eventually("converged", () => inState(store, "a", "Converged"), 20_000);
    expect(status?.attempts).toBe(0);
  });

  it("tries new intent at once, whatever the backoff of the old one", async () => {
    const { store, shelf } = await world();
    shelf.fault = new SetpointError("AccessDenied", "no");
    await create(store, "a", "one");
    await inState(store, "a", "Failed");
    shelf.fault = undefined;
    await store.resources.mutate(key("a"), by, () => ({ spec: { value: "two" }, audit: audit("a") }));
    const { status } = await inState(store, "a", "Converged");
    expect(status?.attempts).toBe(0);
  });

  it("writes nothing while paused or in dry-run, publishes the plan, and goes on when resumed", async () => {
    const { store, shelf } = await world();
    await create(store, "a", "one", { ...DEFAULT_CONTROL, paused: { by: "ana", reason: "migration", since: new Date().toISOString() } });
    await create(store, "b", "one", { ...DEFAULT_CONTROL, mode: "DryRun" });
    const paused = await inState(store, "a", "Paused");
    const dry = await inState(store, "b", "Drifted");
    expect(paused.status?.plan?.actions).toMatchObject([{ type: "put", target: "a" }]);
    expect(dry.status?.plan?.actions).toMatchObject([{ type: "put", target: "b" }]);
    const { looks } = shelf;
    await eventually("still looked at", () => shelf.looks >= looks + 4);
    expect(shelf.writes).toBe(0);
    await store.resources.mutate(key("a"), by, () => ({ control: DEFAULT_CONTROL, audit: audit("a") }));
    await store.resources.mutate(key("b"), by, () => ({ control: DEFAULT_CONTROL, audit: audit("b") }));
    await inState(store, "a", "Converged");
    await inState(store, "b", "Converged");
  });

  it("lets an object go only after nothing of it is left, and leaves what is orphaned on purpose", async () => {
    const { store, shelf } = await world();
    const a = await create(store, "a", "one");
    const b = await create(store, "b", "one", { ...DEFAULT_CONTROL, deletionPolicy: "Orphan" });
    await inState(store, "a", "Converged");
    await inState(store, "b", "Converged");
    for (const name of ["a", "b"]) await store.resources.mutate(key(name), by, () => ({ deletion: true, audit: audit(name) }));
    await eventually("rows gone", async () => !(await store.resources.get(key("a"))) && !(await store.resources.get(key("b"))));
    expect(shelf.values.has(a.metadata.uid)).toBe(false);
    expect(shelf.values.get(b.metadata.uid)).toBe("one");
  });

  it("never runs a key twice at once, and many changes during a run cause one more", async () => {
    const { store, shelf } = await world();
    let release = () => {};
    shelf.slowUntil = new Promise((resolve) => {
      release = resolve;
    });
    const { metadata } = await create(store, "a", "0");
    await eventually("first look begun", () => shelf.running === 1);
    for (let i = 1; i <= 20; i++) await store.resources.mutate(key("a"), by, () => ({ spec: { value: String(i) }, audit: audit("a") }));
    release();
    await inState(store, "a", "Converged");
    expect(shelf.values.get(metadata.uid)).toBe("20");
    expect(shelf.mostRunning).toBe(1);
    expect(shelf.writes).toBe(1);
  });

  it("stops repeating a correction that does not last, says so, and tries again later", async () => {
    const { store, shelf } = await world();
    // Somebody undoes each write at once.
    const set = shelf.values.set.bind(shelf.values);
    shelf.values.set = (uid: string) => set(uid, "undone");
    await create(store, "a", "one");
    const { status } = await inState(store, "a", "Failed");
    expect(status).toMatchObject({ reason: "NotConvergent", nextAttempt: { cause: "NotConvergent" } });
    expect(shelf.writes).toBe(3);
  });

  it("takes over when a worker is gone, and a worker that lost its lease writes nothing", async () => {
    const { store, shelf, engine } = await world();
    await create(store, "a", "one");
    await inState(store, "a", "Converged");
    const { slice, metadata } = (await store.resources.get(key("a"))) ?? {};
    const { uid = "", generation = 0 } = metadata ?? {};
    const { rows } = await store.pool.query("select slice, holder, epoch from lease where slice = $1", [slice]);
    await beat(store, { id: "another" });
    await store.pool.query("select lease_move(array[$1], array['another'])", [slice]);
    const action = { type: "put", effect: "update", target: "a", reason: "", message: "" } as const;
    expect(await store.engine.permit(uid, generation, rows[0], action, false)).toEqual({ granted: false, reason: "LeaseLost" });
    shelf.values.set(uid, "broken");
    const { writes } = shelf;
    await store.resources.mutate(key("a"), by, () => ({ spec: { value: "two" }, audit: audit("a") }));
    await eventually("lease given up", () => !engine.holds(slice ?? ""));
    expect(shelf.writes).toBe(writes);
    await store.engine.leave("another");
    await inState(store, "a", "Converged");
    expect(shelf.values.get(uid)).toBe("two");
  });
});
