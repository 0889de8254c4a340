/** What tests of the engine act on: named values outside, a kind for them, and engines on a real database of its own. All is closed after each test. */
import { randomUUID } from "node:crypto";
import { afterEach } from "vitest";
import { z } from "zod";
import { systemClock } from "@/lib/clock";
import { eventually, openTestStore } from "@/lib/conformance/store";
import type { AnyController } from "@/lib/controller";
import type { SetpointError } from "@/lib/errors";
import { compareField, DEFAULT_CONTROL, FINALIZER, type Json, type Resource } from "@/lib/resource";
import type { Store } from "@/lib/store/prisma";
import { Engine } from "..";
import type { EngineOptions } from "../options";

/** Values outside, by uid. Its looks can be slow and can fail. */
export class Shelf {
  readonly values = new Map<string, string>();
  writes = 0;
  looks = 0;
  /** Every look fails with it. */
  fault?: SetpointError;
  slowUntil?: Promise<void>;
  running = 0;
  mostRunning = 0;

  async look(resource: Resource): Promise<string | undefined> {
    this.running += 1;
    this.mostRunning = Math.max(this.mostRunning, this.running);
    try {
      await (this.slowUntil ?? systemClock.sleep(1));
      this.looks += 1;
      if (this.fault) throw this.fault;
      return this.values.get(resource.metadata.uid);
    } finally {
      this.running -= 1;
    }
  }
}

/** A kind of values: on one shelf without an account, or each on the shelf that its name begins with, under an account of that name. */
export function itemController(shelfOf: (resource: Resource) => Shelf, accountOf?: (resource: Resource) => string): AnyController {
  return {
    kind: {
      name: "Item",
      plural: "items",
      singular: "item",
      description: "A value on a shelf.",
      schema: z.strictObject({ value: z.string() }),
      columns: [],
      example: { value: "a" },
      resyncMs: 300,
    },
    ...(accountOf ? { target: async (resource: Resource) => accountOf(resource) } : {}),
    observe: (resource: Resource) => shelfOf(resource).look(resource),
    plan({ resource, observed, deleting }) {
      const desired = deleting ? undefined : resource.spec.value;
      const field = compareField("spec.value", desired, observed);
      const { name } = resource.metadata;
      const effect = desired === undefined ? "delete" : "update";
      const action = { type: "put", effect, target: name, reason: "Differs", message: `${effect} ${name}` } as const;
      return { fields: [field], actions: field.same ? [] : [action], conditions: [] };
    },
    async apply(action, resource) {
      const shelf = shelfOf(resource);
      shelf.writes += 1;
      if (action.effect === "delete") shelf.values.delete(resource.metadata.uid);
      else shelf.values.set(resource.metadata.uid, resource.spec.value);
    },
  };
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

export async function openStore(options: { notify?: boolean } = {}): Promise<Store> {
  const store = await openTestStore(options);
  closers.push(() => store.close());
  return store;
}

/** A worker's engine on that store, under a name of its own. */
export async function startEngine(store: Store, controller: AnyController, more: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = new Engine({
    store: store.engine,
    resources: store.resources,
    history: store.history,
    signal: store.signal,
    clock: systemClock,
    controllers: [controller],
    installation: store.installation,
    secret: async () => "",
    worker: { id: randomUUID(), host: "test", pid: process.pid, role: "all", version: "test" },
    log: () => undefined,
    leaseTtlMs: 3_000,
    ...more,
  });
  await engine.start();
  closers.push(() => engine.close());
  return engine;
}

export const by = { name: "test" };
export const key = (name: string) => ({ kind: "Item", namespace: "default", name });
export const audit = (name: string) => ({ actor: by.name, verb: "update", ...key(name), outcome: "done" as const });

export function create(store: Store, name: string, value: Json = "one", control = DEFAULT_CONTROL): Promise<Resource> {
  const parts = { slice: "*", labels: {}, annotations: {}, finalizers: [FINALIZER], ownerReferences: [] };
  return store.resources.create({ ...key(name), ...parts, spec: { value }, control }, by, "", audit(name));
}

/** Waits until its newest intent is reported in that state. */
export function inState(store: Store, name: string, state: string, reason?: string): Promise<Resource> {
  return eventually(`${name} is ${state} ${reason ?? ""}`, async () => {
    const resource = await store.resources.get(key(name));
    const { status, metadata } = resource ?? {};
    const asWanted = status?.state === state && (reason === undefined || status.reason === reason);
    return asWanted && status.observedGeneration === metadata?.generation ? resource : undefined;
  });
}
