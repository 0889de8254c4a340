import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { systemClock } from "@/lib/clock";
import { eventually, openTestStore } from "@/lib/conformance/store";
import type { AnyController } from "@/lib/controller";
import { compareField, DEFAULT_CONTROL, FINALIZER, type Resource } from "@/lib/resource";
import type { Store } from "@/lib/store/prisma";
import { Engine } from ".";

const outside = new Map<string, string>();
const slots: AnyController = {
  kind: {
    name: "Slot",
    plural: "slots",
    singular: "slot",
    description: "A value in a place outside.",
    schema: z.strictObject({ place: z.string(), value: z.string() }),
    columns: [],
    example: {},
    resyncMs: 300,
    claims: ({ spec }) => [{ text: `place:${spec.place}`, field: "spec.place" }],
  },
  observe: async ({ spec }: Resource) => outside.get(String(spec.place)),
  plan({ resource: { spec }, observed, deleting }) {
    const field = compareField("value", deleting ? undefined : spec.value, observed);
    const action = { type: "put", effect: "update", target: spec.place, reason: "Differs", message: `put ${spec.value}` } as const;
    return { fields: [field], actions: field.same ? [] : [action], conditions: [] };
  },
  async apply(_action, { spec, metadata }: Resource) {
    if (metadata.deletionTimestamp === undefined) outside.set(String(spec.place), String(spec.value));
    else outside.delete(String(spec.place));
  },
};

let store: Store;
let engine: Engine;
beforeEach(async () => {
  store = await openTestStore();
  engine = new Engine({
    store: store.engine,
    resources: store.resources,
    history: store.history,
    signal: store.signal,
    clock: systemClock,
    controllers: [slots],
    installation: store.installation,
    secret: async () => "",
    worker: { id: randomUUID(), host: "here", pid: 1, role: "worker", version: "0" },
    log: () => undefined,
    leaseTtlMs: 1_500,
    eager: true,
  });
});
afterEach(async () => {
  await engine.close(100);
  await store.close();
});

const by = { name: "ada" };
const keyOf = (name: string) => ({ kind: "Slot", namespace: "default", name });
const audit = (name: string) => ({ actor: "ada", verb: "create", ...keyOf(name), outcome: "done" as const });

/** As rows were stored before claims were kept. */
function create(name: string, place: string) {
  const parts = { slice: "host/here", labels: {}, annotations: {}, finalizers: [FINALIZER], ownerReferences: [], control: DEFAULT_CONTROL };
  return store.resources.create({ ...keyOf(name), ...parts, spec: { place, value: name } }, by, "", audit(name));
}

const restore = () => store.restoreClaims("Slot", (object) => slots.kind.claims?.(object) ?? []);
const status = async (name: string) => (await store.resources.get(keyOf(name)))?.status;

test("of two that claimed the same before claims were kept, the first goes on, the second is Contested and names both, and follows once the first is gone", async () => {
  await create("first", "a");
  await create("second", "a");
  await create("other", "b");
  await restore();
  // A second start changes nothing.
  await restore();
  await engine.start();
  await eventually("first and other are in place", async () =>
    (await Promise.all(["first", "other"].map(status))).every((report) => report?.state === "Converged"),
  );
  const refused = await eventually("second is refused", async () => {
    const report = await status("second");
    return report?.reason === "Contested" ? report : undefined;
  });
  expect(refused.message).toContain("Slot default/first");
  expect(refused.message).toContain("Slot default/second");
  expect(outside.get("a")).toBe("first");

  await store.resources.mutate(keyOf("first"), by, () => ({ deletion: true }));
  await eventually("second follows", async () => (await status("second"))?.state === "Converged" && outside.get("a") === "second");
  expect(await store.resources.get(keyOf("first"))).toBeUndefined();
  expect(await store.engine.contests()).toEqual([]);
});

test("no permit is given to one that waits for a claim, whatever its worker knows", async () => {
  const [, second] = [await create("first", "c"), await create("second", "c")];
  await restore();
  const who = { id: "holder", host: "here", pid: 1, role: "worker", version: "0", startedAt: 0, stats: {}, guest: true };
  const { leases } = await store.engine.renew({ ...who, ttlMs: 60_000, looks: { oldest: {}, behind: {} }, covers: [] });
  const fence = leases.find(({ slice }) => slice === "host/here");
  if (!fence) throw new Error("no lease");
  const action = { type: "put", effect: "update", target: "c", reason: "", message: "" } as const;
  expect(await store.engine.permit(second.metadata.uid, 1, fence, action, false)).toEqual({ granted: false, reason: "Contested" });
});
