/** The part of the store's contract that owners of intent see: rows, generations, revisions, the feed, unknown outcomes of a commit. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { API_VERSION, DEFAULT_CONTROL, FINALIZER, type Key, type ManagedFields, type Resource } from "@/lib/resource";
import type { AuditEntry, Mutation, NewResource } from "@/lib/store";
import { eventually } from "./store";
import type { StorePorts, StoreUnderTest } from "./store-contract";

export const KIND = "Item";
const by = { name: "ada" };

/** A key nobody else has. */
export function newKey(): Key {
  return { kind: KIND, namespace: "contract", name: `i-${randomUUID()}` };
}

export function entry(key: Key, verb: string): AuditEntry {
  return { actor: by.name, verb, ...key, outcome: "done" };
}

export function create(ports: Pick<StorePorts, "resources">, key: Key, more: Partial<NewResource> = {}, dryRun = false) {
  const input: NewResource = {
    ...key,
    slice: "*",
    labels: {},
    annotations: {},
    finalizers: [FINALIZER],
    ownerReferences: [],
    spec: { value: 1 },
    control: DEFAULT_CONTROL,
    ...more,
  };
  return ports.resources.create(input, by, "first", entry(key, "create"), { dryRun });
}

export function mutate(ports: Pick<StorePorts, "resources">, key: Key, mutation: Mutation, dryRun = false) {
  return ports.resources.mutate(key, by, () => ({ ...mutation, audit: entry(key, "update") }), { dryRun });
}

const revisionOf = ({ metadata }: Resource) => BigInt(metadata.resourceVersion);

export function resourceContract(store: () => StoreUnderTest): void {
  describe("keeps intent", () => {
    it("gives a new object uid, generation 1, a revision, and its first revision and audit row with it", async () => {
      const key = newKey();
      const created = await create(store(), key, { labels: { app: "a" } });
      expect(created).toMatchObject({
        kind: KIND,
        spec: { value: 1 },
        metadata: { generation: 1, labels: { app: "a" }, finalizers: [FINALIZER] },
      });
      expect(created.metadata).not.toHaveProperty("annotations");
      expect(created).not.toHaveProperty("status");
      expect(await store().resources.get(key)).toEqual(created);
      expect(await store().resources.getByUid(created.metadata.uid)).toEqual(created);
      expect(await store().history.revisions(created.metadata.uid, 10)).toMatchObject([
        { generation: 1, spec: { value: 1 }, message: "first", author: "ada" },
      ]);
      expect(await store().audit(created.metadata.uid)).toMatchObject([{ actor: "ada", verb: "create", outcome: "done", generation: 1 }]);
    });

    it("refuses a second object of the same key, and a change of one that is not there", async () => {
      const key = newKey();
      await create(store(), key);
      await expect(create(store(), key)).rejects.toMatchObject({ reason: "AlreadyExists" });
      await expect(mutate(store(), newKey(), { spec: {} })).rejects.toMatchObject({ reason: "NotFound" });
      expect(await store().resources.get(newKey())).toBeUndefined();
    });

    it("raises the generation with spec and with deletion, never with labels, hand or finalizers", async () => {
      const key = newKey();
      const first = await create(store(), key);
      const steps: [Mutation, number][] = [
        [{ labels: { a: "b" } }, 1],
        [{ control: { ...DEFAULT_CONTROL, mode: "DryRun" } }, 1],
        [{ finalizers: [FINALIZER, "example.org/mine"] }, 1],
        [{ spec: { value: 2 }, message: "why" }, 2],
        [{ deletion: true }, 3],
      ];
      let before = first;
      for (const [mutation, generation] of steps) {
        const { resource, changed, removed } = await mutate(store(), key, mutation);
        expect({ changed, removed, generation: resource.metadata.generation }).toEqual({ changed: true, removed: false, generation });
        expect(revisionOf(resource)).toBeGreaterThan(revisionOf(before));
        before = resource;
      }
      expect(before.metadata.deletionTimestamp).toBeDefined();
      expect((await store().history.revisions(first.metadata.uid, 10)).map(({ generation, message }) => [generation, message])).toEqual([
        [2, "why"],
        [1, "first"],
      ]);
    });

    it("makes no write of a write that changes nothing", async () => {
      const key = newKey();
      await create(store(), key, { spec: { a: 1, b: 2 } });
      await mutate(store(), key, { deletion: true });
      const before = await store().resources.get(key);
      const revision = await store().resources.currentRevision();
      for (const mutation of [{}, { spec: { b: 2, a: 1 } }, { labels: {} }, { deletion: true } as const]) {
        const { changed, resource } = await mutate(store(), key, mutation);
        expect(changed).toBe(false);
        expect(resource).toEqual(before);
      }
      expect(await store().resources.currentRevision()).toBe(revision);
    });

    it("keeps who owns which field; another owner alone is a change, but none of intent", async () => {
      const key = newKey();
      const owned = (manager: string): ManagedFields => ({
        manager,
        operation: "Apply",
        apiVersion: API_VERSION,
        time: "2026-01-01T00:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:spec": { "f:value": {} } },
      });
      const created = await create(store(), key, { managedFields: [owned("a")] });
      expect(created.metadata.managedFields).toEqual([owned("a")]);
      const { resource, changed } = await mutate(store(), key, { managedFields: [owned("b")] });
      expect([changed, resource.metadata.generation, resource.metadata.managedFields]).toEqual([true, 1, [owned("b")]]);
      expect((await mutate(store(), key, { managedFields: [owned("b")] })).changed).toBe(false);
      const [change] = await store().resources.changesAfter(created.metadata.resourceVersion, 1);
      expect(change).toMatchObject({ intent: false, resource: { metadata: { managedFields: [owned("b")] } } });
    });

    it("gives an outside thing to one object: the second claimant is refused with the first's name and the field", async () => {
      const [first, second] = [newKey(), newKey()];
      const claim = (text: string) => ({ claims: [{ text: `thing:${first.name}:${text}`, field: "spec.path" }] });
      const refusal = {
        reason: "AlreadyExists",
        message: expect.stringContaining(`${KIND} ${first.namespace}/${first.name}`),
        causes: [{ reason: "FieldValueDuplicate", field: "spec.path" }],
      };
      await create(store(), first, claim("a"));
      await expect(create(store(), second, claim("a"), true)).rejects.toMatchObject(refusal);
      await expect(create(store(), second, claim("a"))).rejects.toMatchObject(refusal);
      expect(await store().resources.get(second)).toBeUndefined();
      await create(store(), second, claim("b"));
      await expect(mutate(store(), second, { ...claim("a"), spec: { value: 2 } })).rejects.toMatchObject(refusal);
      expect((await store().resources.get(second))?.spec).toEqual({ value: 1 });
      // A dry run takes nothing and gives nothing away.
      await mutate(store(), first, { ...claim("c"), spec: { value: 2 } }, true);
      await expect(mutate(store(), second, claim("a"))).rejects.toMatchObject(refusal);
      // An edit moves the claim, and what it leaves is free.
      await mutate(store(), first, { ...claim("c"), spec: { value: 2 } });
      await mutate(store(), second, { ...claim("a"), spec: { value: 2 } });
      expect((await store().engine.contests()).filter(({ text }) => text.startsWith(`thing:${first.name}`))).toEqual([]);
    });

    it("frees a claim when the row leaves, and not when deletion is asked for", async () => {
      const [first, second] = [newKey(), newKey()];
      const claims = [{ text: `thing:${first.name}`, field: "spec.path" }];
      await create(store(), first, { claims });
      await mutate(store(), first, { deletion: true });
      await expect(create(store(), second, { claims })).rejects.toMatchObject({ reason: "AlreadyExists" });
      expect((await mutate(store(), first, { finalizers: [] })).removed).toBe(true);
      expect((await create(store(), second, { claims })).spec).toEqual({ value: 1 });
    });

    it("lets a row leave with its last finalizer once deletion was asked for, and at once when it has none", async () => {
      const [held, free] = [newKey(), newKey()];
      await create(store(), held);
      await create(store(), free, { finalizers: [] });
      expect((await mutate(store(), free, { deletion: true })).removed).toBe(true);
      expect((await mutate(store(), held, { deletion: true })).removed).toBe(false);
      expect((await mutate(store(), held, { finalizers: [] })).removed).toBe(true);
      expect(await store().resources.get(held)).toBeUndefined();
      expect(await store().resources.get(free)).toBeUndefined();
      const again = await create(store(), free);
      expect(again.metadata.generation).toBe(1);
    });

    it("stores nothing of a dry run, nor of a decision that throws", async () => {
      const [key, other] = [newKey(), newKey()];
      const before = await create(store(), key);
      const revision = await store().resources.currentRevision();
      expect((await create(store(), other, {}, true)).metadata.generation).toBe(1);
      const { resource } = await mutate(store(), key, { spec: { value: 9 } }, true);
      const { resourceVersion } = (await store().resources.get(key))?.metadata ?? {};
      expect(resource).toMatchObject({ spec: { value: 9 }, metadata: { generation: 2, resourceVersion } });
      const refusal = new Error("no");
      const refuse = () => {
        throw refusal;
      };
      await expect(store().resources.mutate(key, by, refuse)).rejects.toBe(refusal);
      expect(await store().resources.get(other)).toBeUndefined();
      expect(await store().resources.get(key)).toEqual(before);
      expect(await store().resources.currentRevision()).toBe(revision);
      expect(await store().audit(before.metadata.uid)).toHaveLength(1);
    });

    it("hands out copies: what a caller does to them changes nothing stored", async () => {
      const key = newKey();
      const before = await create(store(), key);
      await store().resources.mutate(key, by, (current) => {
        current.spec.value = 99;
        return {};
      });
      expect(await store().resources.get(key)).toEqual(before);
    });

    it("decides on the newest row: of concurrent changes none is lost", async () => {
      const key = newKey();
      await create(store(), key, { spec: { value: 0 } });
      const raise = () => store().resources.mutate(key, by, ({ spec }) => ({ spec: { value: Number(spec.value) + 1 } }));
      await Promise.all(Array.from({ length: 10 }, raise));
      expect(await store().resources.get(key)).toMatchObject({ spec: { value: 10 }, metadata: { generation: 11 } });
    });
  });

  describe("lists", () => {
    it("by labels and fields, in order, page by page", async () => {
      const kind = `Kind${randomUUID()}`;
      for (const [index, name] of ["c", "a", "b", "d"].entries())
        await create(
          store(),
          { kind, namespace: index === 3 ? "other" : "contract", name },
          { labels: index === 0 ? {} : { n: String(index) } },
        );
      const names = async (query: object) => (await store().resources.list({ kind, ...query })).items.map(({ metadata }) => metadata.name);
      expect(await names({})).toEqual(["a", "b", "c", "d"]);
      expect(await names({ namespace: "contract" })).toEqual(["a", "b", "c"]);
      expect(await names({ labels: [{ key: "n", operator: "NotIn", values: ["1"] }] })).toEqual(["b", "c", "d"]);
      expect(await names({ labels: [{ key: "n", operator: "In", values: ["1", "2"] }] })).toEqual(["a", "b"]);
      expect(await names({ labels: [{ key: "n", operator: "DoesNotExist", values: [] }] })).toEqual(["c"]);
      expect(await names({ fields: [{ path: "metadata.name", operator: "!=", value: "a" }] })).toEqual(["b", "c", "d"]);
      expect(await names({ fields: [{ path: "status.state", operator: "=", value: "Progressing" }] })).toHaveLength(4);
      const first = await store().resources.list({ kind, limit: 3 });
      expect(first).toMatchObject({ remaining: 1, next: { namespace: "contract", name: "c" } });
      expect(await names({ limit: 3, after: first.next })).toEqual(["d"]);
      expect(first.resourceVersion).toBe(await store().resources.currentRevision());
      await expect(store().resources.list({ kind, fields: [{ path: "spec.value", operator: "=", value: "1" }] })).rejects.toMatchObject({
        reason: "BadRequest",
      });
    });

    it("who refers to a value in a spec, newest first", async () => {
      const [one, two] = [newKey(), newKey()];
      const value = randomUUID();
      await create(store(), one, { spec: { server: { name: value } } });
      await create(store(), two, { spec: { server: { name: value } } });
      const found = await store().resources.findBySpecValue("contract", KIND, ["server", "name"], value);
      expect(found.map(({ metadata }) => metadata.name)).toEqual([two.name, one.name]);
      expect(await store().resources.findBySpecValue("elsewhere", KIND, ["server", "name"], value)).toEqual([]);
    });
  });

  describe("feeds changes", () => {
    it("in commit order, each with the row after it and whether intent moved", async () => {
      const key = newKey();
      const from = await store().resources.currentRevision();
      await create(store(), key, { labels: { a: "1" } });
      await mutate(store(), key, { labels: { a: "2" } });
      await mutate(store(), key, { spec: { value: 2 } });
      await mutate(store(), key, { deletion: true });
      await mutate(store(), key, { finalizers: [] });
      const changes = await store().resources.changesAfter(from, 100);
      expect(changes.map(({ type, intent, oldLabels }) => [type, intent, oldLabels?.a])).toEqual([
        ["ADDED", true, undefined],
        ["MODIFIED", false, "1"],
        ["MODIFIED", true, "2"],
        ["MODIFIED", true, "2"],
        ["MODIFIED", true, "2"],
        ["DELETED", true, "2"],
      ]);
      const revisions = changes.map(({ resourceVersion }) => BigInt(resourceVersion));
      expect(revisions).toEqual([...revisions].sort((a, b) => (a < b ? -1 : 1)));
      expect(changes.map(({ resource }) => resource.metadata.resourceVersion)).toEqual(
        changes.map(({ resourceVersion }) => resourceVersion),
      );
      expect(await store().resources.currentRevision()).toBe(changes.at(-1)?.resourceVersion);
      expect(await store().resources.changesAfter(from, 2)).toEqual(changes.slice(0, 2));
      expect(BigInt(await store().resources.oldestRevision())).toBeLessThanOrEqual(BigInt(from) + 1n);
    });

    it("for as long as they are kept: from before that it refuses instead of skipping, and the newest stays", async () => {
      const key = newKey();
      const { metadata } = await create(store(), key);
      const from = metadata.resourceVersion;
      for (const value of [2, 3, 4]) await mutate(store(), key, { spec: { value } });
      await store().engine.prune();
      expect(await store().resources.changesAfter(from, 100)).toHaveLength(3);
      await store().ageChanges();
      await store().engine.prune();
      await expect(store().resources.changesAfter(from, 100)).rejects.toMatchObject({ reason: "Expired" });
      await expect(store().engine.feed(from, 100)).rejects.toMatchObject({ reason: "Expired" });
      const newest = await store().resources.currentRevision();
      expect(await store().resources.oldestRevision()).toBe(newest);
      expect(await store().resources.changesAfter(newest, 100)).toEqual([]);
      await mutate(store(), key, { spec: { value: 5 } });
      expect((await store().resources.changesAfter(newest, 100)).map(({ resource }) => resource.spec.value)).toEqual([5]);
    });

    it("never skips a change under concurrent writers", async () => {
      const keys = Array.from({ length: 12 }, newKey);
      let cursor = await store().resources.currentRevision();
      const seen = new Set<string>();
      const read = async () => {
        for (const change of await store().resources.changesAfter(cursor, 3)) {
          expect(BigInt(change.resourceVersion)).toBeGreaterThan(BigInt(cursor));
          cursor = change.resourceVersion;
          seen.add(change.resource.metadata.name);
        }
      };
      const writing = Promise.all(keys.map((key) => create(store(), key)));
      await eventually("all seen", async () => {
        await read();
        return keys.every(({ name }) => seen.has(name));
      });
      await writing;
    });

    it("wakes who listens, until the listener leaves", async () => {
      let woken = 0;
      const leave = store().signal.subscribe(() => {
        woken += 1;
      });
      await create(store(), newKey());
      await eventually("woken", () => woken > 0);
      leave();
    });
  });

  describe("when a commit's outcome is unknown", () => {
    it("says that it could not be reached, and reading again tells what happened: a create", async () => {
      for (const when of ["before", "after"] as const) {
        const key = newKey();
        await expect(store().breaking(when, (ports) => create(ports, key))).rejects.toMatchObject({ reason: "ServiceUnavailable" });
        const stored = await eventually("known", async () => (await settled(store(), key)) ?? "absent");
        if (when === "before") {
          expect(stored).toBe("absent");
          expect((await create(store(), key)).metadata.generation).toBe(1);
        } else {
          expect(stored).toMatchObject({ spec: { value: 1 } });
          await expect(create(store(), key)).rejects.toMatchObject({ reason: "AlreadyExists" });
        }
        const { uid } = (await store().resources.get(key))?.metadata ?? {};
        expect(await store().audit(uid ?? "")).toHaveLength(1);
      }
    });

    it("a change happened whole or not at all, and the same change again adds nothing", async () => {
      for (const when of ["before", "after"] as const) {
        const key = newKey();
        const { metadata } = await create(store(), key);
        const change = (ports: Pick<StorePorts, "resources">) => mutate(ports, key, { spec: { value: 2 }, message: "edit" });
        await expect(store().breaking(when, change)).rejects.toMatchObject({ reason: "ServiceUnavailable" });
        const happened = when === "after";
        await eventually("known", async () => {
          const now = await store().resources.get(key);
          return now?.metadata.generation === (happened ? 2 : 1);
        });
        expect(await store().history.revisions(metadata.uid, 10)).toHaveLength(happened ? 2 : 1);
        expect(await store().audit(metadata.uid)).toHaveLength(happened ? 2 : 1);
        expect((await change(store())).changed).toBe(!happened);
        expect(await store().resources.get(key)).toMatchObject({ spec: { value: 2 }, metadata: { generation: 2 } });
      }
    });
  });
}

/** The row, once no transaction of a cut connection can still bring it. */
async function settled({ resources }: StorePorts, key: Key): Promise<Resource | undefined> {
  // A write of ours comes after any that the server still works on: revisions are given out one transaction at a time.
  await create({ resources }, newKey());
  return resources.get(key);
}
