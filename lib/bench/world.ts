import { randomUUID } from "node:crypto";
import { z } from "zod";
import { systemClock } from "@/lib/clock";
import { type AnyController, defineController } from "@/lib/controller";
import { Engine } from "@/lib/engine";
import { DEFAULT_CONTROL, FINALIZER, type Resource } from "@/lib/resource";
import { openStore, type Store } from "@/lib/store/prisma";

export interface WorldOptions {
  resyncMs?: number;
  leaseTtlMs?: number;
  /** Told of every look. */
  looked?(resource: Resource): void;
}

/** A store with one engine on it, running. */
export interface World {
  /** The worker's. */
  id: string;
  store: Store;
  engine: Engine;
  close(): Promise<void>;
}

/** A kind whose target does nothing, so that what is measured is the engine and the store. */
function noopController(looked: (resource: Resource) => void, resyncMs: number): AnyController {
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

/** An engine on a migrated database, loaded and running. */
export async function openWorld(
  databaseUrl: string,
  { resyncMs = 15_000, leaseTtlMs, looked = () => {} }: WorldOptions = {},
): Promise<World> {
  const log = () => undefined;
  const store = await openStore({ databaseUrl, clock: systemClock, notify: true, log });
  const id = randomUUID();
  const engine = new Engine({
    store: store.engine,
    resources: store.resources,
    history: store.history,
    signal: store.signal,
    clock: systemClock,
    controllers: [noopController(looked, resyncMs)],
    installation: store.installation,
    secret: async () => "",
    worker: { id, host: "bench", pid: process.pid, role: "all", version: "bench" },
    log,
    ...(leaseTtlMs === undefined ? {} : { leaseTtlMs }),
  });
  await engine.start();
  return {
    id,
    store,
    engine,
    async close() {
      await engine.close();
      await store.close();
    },
  };
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

/** Puts `count` objects into the store in one statement, as a restore would. */
export async function seed(store: Store, count: number, prefix: string): Promise<void> {
  await store.pool.query(
    `insert into resource (uid, kind, namespace, name, slice, spec, control, finalizers)
     select gen_random_uuid(), 'Noop', 'default', $2 || '-' || n, '*', '{"value":"a"}', $3, array[$4] from generate_series(1, $1::int) n`,
    [count, prefix, DEFAULT_CONTROL, FINALIZER],
  );
  await store.pool.query("analyze resource");
}

/** New intent for all of that prefix, in one statement. */
export async function changeAll(store: Store, prefix: string): Promise<void> {
  await store.pool.query(`update resource set spec = jsonb_build_object('value', clock_timestamp()::text) where name like $1 || '-%'`, [
    prefix,
  ]);
}

/** Waits until every object in the store is converged, durably. */
export async function allConverged(store: Store): Promise<void> {
  for (;;) {
    const { rows } = await store.pool.query(
      "select exists (select from resource where state <> 'Converged' or observed_generation <> generation) as open",
    );
    if (!rows[0].open) return;
    await systemClock.sleep(50);
  }
}
