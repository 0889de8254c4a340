import { randomUUID } from "node:crypto";
import { z } from "zod";
import { systemClock } from "@/lib/clock";
import { type AnyController, defineController } from "@/lib/controller";
import { Engine } from "@/lib/engine";
import { SetpointError } from "@/lib/errors";
import { DEFAULT_CONTROL, FINALIZER, type Resource } from "@/lib/resource";
import { openStore, type Store } from "@/lib/store/prisma";
import { migrate } from "@/lib/store/prisma/migrate";

/** A kind whose target does nothing, so that what is measured is the engine and the store. `looked` is told of each look. */
export function noopController(looked: (resource: Resource) => void, resyncMs = 15_000): AnyController {
  return defineController<{ value: string }, undefined, never>({
    kind: {
      name: "Noop",
      plural: "noops",
      singular: "noop",
      description: "Nothing, measured.",
      schema: z.strictObject({ value: z.string() }),
      columns: [],
      example: { value: "a" },
      resyncMs,
      concurrency: 32,
    },
    async observe(resource) {
      looked(resource);
      return undefined;
    },
    plan: () => ({ fields: [], actions: [], conditions: [] }),
    apply: async () => undefined,
  });
}

export interface World {
  store: Store;
  engine: Engine;
  /** Told of every look until replaced. */
  onLook(listener: (resource: Resource) => void): void;
  close(): Promise<void>;
}

/** A migrated store with one engine on it, running. */
export async function openWorld(databaseUrl: string, resyncMs?: number): Promise<World> {
  await migrate(databaseUrl);
  const log = () => undefined;
  const store = await openStore({ databaseUrl, clock: systemClock, notify: true, log });
  await refuseUsed(store);
  await store.pool.query("truncate resource, change, revision, event, pass, audit, lease, worker");
  let listener: (resource: Resource) => void = () => {};
  const engine = new Engine({
    store: store.engine,
    resources: store.resources,
    history: store.history,
    signal: store.signal,
    clock: systemClock,
    controllers: [noopController((resource) => listener(resource), resyncMs)],
    installation: store.installation,
    secret: async () => "",
    worker: { id: randomUUID(), host: "bench", pid: process.pid, role: "all", version: "bench" },
    log,
  });
  await engine.start();
  return {
    store,
    engine,
    onLook(next) {
      listener = next;
    },
    async close() {
      await engine.close();
      await store.close();
    },
  };
}

/** The bench empties its tables: a database that anybody uses is not for it. */
async function refuseUsed(store: Store): Promise<void> {
  const { rows } = await store.pool.query(
    `select (select count(*) from resource where kind <> 'Noop') + (select count(*) from "user") as used`,
  );
  if (Number(rows[0].used) === 0) return;
  await store.close();
  throw new SetpointError("Conflict", "This database holds resources or accounts. Name an empty one: the bench empties its tables.");
}

/** Creates one object through the store, as the API does after admission; resolves after commit. */
export function createOne(store: Store, name: string, value = "a"): Promise<Resource> {
  const key = { kind: "Noop", namespace: "default", name };
  return store.resources.create(
    {
      ...key,
      slice: "*",
      labels: {},
      annotations: {},
      finalizers: [FINALIZER],
      ownerReferences: [],
      spec: { value },
      control: DEFAULT_CONTROL,
    },
    { name: "bench" },
    "",
    { actor: "bench", verb: "create", ...key, outcome: "done" },
  );
}

/** Creates `count` objects, sixteen at a time. */
export async function createMany(store: Store, count: number, prefix: string): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (next < count) {
        const index = next++;
        await createOne(store, `${prefix}-${index}`);
      }
    }),
  );
}

/** Waits until every object in the store is converged, durably. */
export async function allConverged(store: Store): Promise<void> {
  for (;;) {
    const { rows } = await store.pool.query(
      "select count(*)::int as open from resource where state <> 'Converged' or observed_generation <> generation",
    );
    if (rows[0].open === 0) return;
    await systemClock.sleep(20);
  }
}
