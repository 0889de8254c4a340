import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "@/lib/clock";
import { eventually, openTestStore } from "@/lib/conformance/store";
import { API_VERSION, type JsonObject, ORPHAN_FINALIZER, type OwnerReference, type Resource } from "@/lib/resource";
import type { Store } from "@/lib/store/prisma";
import { Collector } from ".";
import { decideOwned, type OwnerState } from "./decide";

let store: Store;
let collector: Collector;
const logged: string[] = [];
/** Of one kind, whose objects may need others of it. */
const needs = ({ needs = [] }: JsonObject) =>
  [needs].flat().flatMap((name) => (typeof name === "string" ? [{ kind: "Thing", name, field: "spec.needs" }] : []));
const ports = () => ({
  ...{ store: store.collection, resources: store.resources, history: store.history, signal: store.signal, clock: systemClock },
  ...{ kinds: [{ name: "Thing", references: needs }], mentioning: store.console.mentioning },
});
beforeAll(async () => {
  store = await openTestStore();
  collector = new Collector({
    ...ports(),
    mine: () => true,
    log: (message) => logged.push(message),
  });
});
afterAll(() => store.close());

const actor = { name: "test" };
const audit = { actor: "test", verb: "create", kind: "Thing", namespace: "default", name: "", outcome: "done" } as const;
const key = (name: string, namespace = "default") => ({ kind: "Thing", namespace, name });

function make(
  name: string,
  ownerReferences: OwnerReference[] = [],
  { namespace = "default", finalizers = [] as string[], spec = {} as JsonObject } = {},
): Promise<Resource> {
  const parts = { slice: "*", labels: {}, annotations: {}, finalizers, ownerReferences, spec };
  return store.resources.create({ ...key(name, namespace), ...parts, control: { mode: "Auto", deletionPolicy: "Delete" } }, actor, "", {
    ...audit,
    name,
  });
}
const ownedBy = ({ kind, metadata }: Resource, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: API_VERSION,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  ...more,
});
const remove = (name: string, finalizers: string[] = []) =>
  store.resources.mutate(key(name), actor, ({ metadata }) => ({
    deletion: true,
    finalizers: [...(metadata.finalizers ?? []), ...finalizers],
  }));
const there = async (name: string) => (await store.resources.get(key(name))) !== undefined;
const settled = async () => {
  while ((await collector.collect()) > 0);
};

describe("a collector that runs", () => {
  it("lets an owner go as soon as what it owned is orphaned, however much else changes", async () => {
    const running = new Collector({
      ...ports(),
      mine: () => true,
      log: (message) => logged.push(message),
    });
    running.start();
    await make("busy");
    let done = false;
    const busy = (async () => {
      for (let count = 0; !done; count++)
        await store.resources.mutate(key("busy"), actor, () => ({ labels: { count: String(count) } })).then(() => systemClock.sleep(50));
    })();
    try {
      const owner = await make("owner");
      await make("orphan", [ownedBy(owner)]);
      await remove("owner", [ORPHAN_FINALIZER]);
      await eventually("the owner is gone", async () => !(await there("owner")));
      expect(await there("orphan")).toBe(true);
    } finally {
      done = true;
      await busy;
      await running.close();
    }
  });
});

describe("what is owned", () => {
  it("goes with the last of its owners, by uid, and stays while one is there", async () => {
    const [one, two] = [await make("one"), await make("two")];
    await make("both", [ownedBy(one), ownedBy(two)]);
    await make("below", [ownedBy((await store.resources.get(key("both"))) ?? one)]);
    await make("foreign", [{ apiVersion: "apps/v1", kind: "Deployment", name: "x", uid: randomUUID() }]);
    await settled();
    expect(await collector.collect()).toBe(0);
    await remove("one");
    // A new object of the same name is another owner.
    await make("one");
    await settled();
    expect((await store.resources.get(key("both")))?.metadata.ownerReferences).toEqual([ownedBy(two)]);
    await remove("two");
    await settled();
    expect([await there("both"), await there("below"), await there("foreign"), await there("one")]).toEqual([false, false, true, true]);
  });

  it("is told apart by namespace", async () => {
    const elsewhere = await make("elsewhere", [], { namespace: "other" });
    await make("mistaken", [ownedBy(elsewhere)]);
    await settled();
    expect(await there("mistaken")).toBe(false);
  });

  it("goes first, all the way down, when its owner is deleted in the foreground; what does not block is not waited for", async () => {
    const top = await make("top");
    const middle = await make("middle", [ownedBy(top, { blockOwnerDeletion: true })]);
    await make("bottom", [ownedBy(middle, { blockOwnerDeletion: true })], { finalizers: ["example.org/work"] });
    await make("loose", [ownedBy(top)], { finalizers: ["example.org/work"] });
    await remove("top", ["foregroundDeletion"]);
    await settled();
    // The work of the one at the bottom holds up all above it.
    expect([await there("top"), await there("middle"), await there("bottom")]).toEqual([true, true, true]);
    expect((await store.resources.get(key("bottom")))?.metadata.deletionTimestamp).toBeDefined();
    await store.resources.mutate(key("bottom"), actor, () => ({ finalizers: [] }));
    await settled();
    expect([await there("top"), await there("middle"), await there("bottom"), await there("loose")]).toEqual([false, false, false, true]);
  });

  it("lives on when its owner is deleted with Orphan", async () => {
    const parent = await make("parent");
    await make("child", [ownedBy(parent, { blockOwnerDeletion: true })]);
    await remove("parent", ["orphan"]);
    await settled();
    expect(await there("parent")).toBe(false);
    expect((await store.resources.get(key("child")))?.metadata.ownerReferences).toBeUndefined();
  });

  it("stays while others need it, whether or not they go with it, and the audit says once why", async () => {
    const owner = await make("landlord");
    await make("credential", [ownedBy(owner)]);
    await make("tenant", [ownedBy(owner)], { spec: { needs: "credential" }, finalizers: ["example.org/work"] });
    await make("stranger", [], { spec: { needs: "credential" } });
    await make("unneeded", [ownedBy(owner)], { spec: { text: "credential" } });
    await remove("landlord");
    await settled();
    await settled();
    // The tenant is deleted, and needs the credential until it is gone.
    expect([await there("credential"), await there("tenant"), await there("unneeded")]).toEqual([true, true, false]);
    expect((await store.resources.get(key("credential")))?.metadata.deletionTimestamp).toBeUndefined();
    await store.resources.mutate(key("tenant"), actor, () => ({ finalizers: [] }));
    await settled();
    expect([await there("credential"), await there("tenant")]).toEqual([true, false]);
    const { rows } = await store.pool.query("select outcome, error from audit where name = 'credential' and verb = 'delete'");
    expect(rows).toEqual([
      { outcome: "denied", error: expect.stringMatching(/in use by Thing\/(stranger|tenant), Thing\/(tenant|stranger)/) },
    ]);
    expect(logged.splice(0)).toHaveLength(1);
    await store.resources.mutate(key("stranger"), actor, () => ({ spec: { needs: "another" } }));
    await settled();
    expect(await there("credential")).toBe(false);
  });

  it("and kept is in nobody's way, however much it is, and counts no more once it is gone", async () => {
    const small = new Collector({ ...ports(), mine: () => true, log: (message) => logged.push(message), batch: 2 });
    const all = async () => {
      while ((await small.collect()) > 0);
    };
    const owner = await make("hoarder");
    const names = ["kept-1", "kept-2", "kept-3", "kept-4", "kept-5"];
    for (const name of names) await make(name, [ownedBy(owner)]);
    await make("user-of-all", [], { spec: { needs: names } });
    await make("behind", [ownedBy(owner)]);
    await remove("hoarder");
    await all();
    expect([await there("behind"), await Promise.all(names.map(there))]).toEqual([false, names.map(() => true)]);
    expect(logged.splice(0)).toHaveLength(names.length);
    await remove("kept-3");
    await remove("user-of-all");
    await all();
    expect(await Promise.all(names.map(there))).toEqual(names.map(() => false));
  });

  it("in a ring does not wait for ever", async () => {
    const left = await make("left");
    const right = await make("right", [ownedBy(left, { blockOwnerDeletion: true })]);
    await store.resources.mutate(key("left"), actor, () => ({ ownerReferences: [ownedBy(right, { blockOwnerDeletion: true })] }));
    await remove("left", ["foregroundDeletion"]);
    await settled();
    expect([await there("left"), await there("right")]).toEqual([false, false]);
  });

  it("is collected by itself once the feed moves, and at rest nothing is written", async () => {
    collector.start();
    const parent = await make("parent-2");
    await make("child-2", [ownedBy(parent)]);
    await remove("parent-2");
    await eventually("the child is gone", async () => !(await there("child-2")), 20_000);
    const before = await store.resources.currentRevision();
    expect(await collector.collect()).toBe(0);
    expect(await store.resources.currentRevision()).toBe(before);
    await collector.close();
    expect(logged).toEqual([]);
    const { rows } = await store.pool.query("select verb from audit where actor = 'controller/garbage-collector' and name = 'child-2'");
    expect(rows).toEqual([{ verb: "delete" }]);
  });
});

describe("the decision", () => {
  const object = (ownerReferences: OwnerReference[]): Resource => ({
    kind: "Thing",
    metadata: { name: "a", namespace: "n", uid: "u", resourceVersion: "1", generation: 1, creationTimestamp: "", ownerReferences },
    spec: {},
    control: { mode: "Auto", deletionPolicy: "Delete" },
  });
  const reference = (uid: string, apiVersion = API_VERSION) => ({ apiVersion, kind: "K", name: uid, uid });

  it.each<[OwnerState[], boolean, unknown]>([
    [["there"], false, undefined],
    [["gone"], false, { deletion: true, finalizers: [] }],
    [["gone", "there"], false, { ownerReferences: [reference("1")] }],
    [["waiting", "there"], true, { ownerReferences: [reference("1")] }],
    [["waiting"], false, { deletion: true, finalizers: [] }],
    [["waiting", "gone"], true, { deletion: true, finalizers: ["foregroundDeletion"] }],
  ])("over owners that are %j, owning: %j, is %j", (states, owns, expected) => {
    const known = new Map(states.map((state, index) => [String(index), state]));
    expect(decideOwned(object(states.map((_, index) => reference(String(index)))), known, owns)).toEqual(expected);
  });
});
