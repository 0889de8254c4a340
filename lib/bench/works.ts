import { systemClock } from "@/lib/clock";
import { viewOf } from "@/lib/resource";
import { allConverged, createMany, createOne, openWorld, type World } from "./world";

export interface Measurement {
  work: string;
  metric: string;
  value: number;
  unit: string;
  aim?: string;
}

const FLEET = 10_000;

export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

/** From the acknowledgement of a commit to the first look at that object, one at a time on an idle engine. */
async function firstLook(world: World): Promise<Measurement[]> {
  const samples: number[] = [];
  for (let i = 0; i < 300; i++) {
    const looked = new Promise<number>((resolve) => {
      world.onLook((resource) => {
        if (resource.metadata.name === `latency-${i}`) resolve(systemClock.monotonic());
      });
    });
    await createOne(world.store, `latency-${i}`);
    const acknowledged = systemClock.monotonic();
    samples.push(Math.max(0, (await looked) - acknowledged));
    if (i % 10 === 0) await allConverged(world.store);
  }
  samples.sort((a, b) => a - b);
  return [
    { work: "commit to first look", metric: "p50", value: quantile(samples, 0.5), unit: "ms" },
    { work: "commit to first look", metric: "p99", value: quantile(samples, 0.99), unit: "ms", aim: "< 20" },
  ];
}

async function fleet(world: World): Promise<Measurement[]> {
  const begun = systemClock.monotonic();
  await createMany(world.store, FLEET, "fleet");
  const created = systemClock.monotonic();
  await allConverged(world.store);
  const converged = systemClock.monotonic();
  return [
    { work: "create 10,000", metric: "created one by one", value: (created - begun) / 1000, unit: "s" },
    { work: "create 10,000", metric: "all converged", value: (converged - begun) / 1000, unit: "s" },
    { work: "create 10,000", metric: "rate to converged", value: FLEET / ((converged - begun) / 1000), unit: "resources/s" },
  ];
}

/** New intent for all in one statement, until every report is durable. */
async function change(world: World): Promise<Measurement[]> {
  const begun = systemClock.monotonic();
  await world.store.pool.query(`update resource set spec = jsonb_build_object('value', clock_timestamp()::text) where name like 'fleet-%'`);
  await allConverged(world.store);
  const seconds = (systemClock.monotonic() - begun) / 1000;
  return [{ work: "change 10,000", metric: "changed to durably converged", value: FLEET / seconds, unit: "resources/s" }];
}

/** Reads the first pages of the list as the API does, with rows turned into what is shown. */
async function list(world: World): Promise<Measurement[]> {
  const samples: number[] = [];
  for (let i = 0; i < 50; i++) {
    const begun = systemClock.monotonic();
    const { items } = await world.store.resources.list({ kind: "Noop", namespace: "default", limit: 100 });
    const freshness = { observedAt: null, stale: false };
    JSON.stringify(items.map((item) => ({ ...item, view: viewOf(item, freshness, systemClock.now()) })));
    samples.push(systemClock.monotonic() - begun);
  }
  samples.sort((a, b) => a - b);
  return [{ work: "list 100 of 10,000 by the resource API", metric: "p50", value: quantile(samples, 0.5), unit: "ms", aim: "< 300" }];
}

/** Nothing changes: what does it cost to keep looking? */
async function rest(world: World): Promise<Measurement[]> {
  const seconds = 20;
  // Counted from the rows themselves: the server's own statistics arrive late.
  const written = async () => {
    const { rows } = await world.store.pool.query(
      "select (select last_value from resource_revision) + (select count(*) from event) + (select coalesce(max(id), 0) from pass) + (select coalesce(max(id), 0) from audit) as written",
    );
    return Number(rows[0].written);
  };
  await systemClock.sleep(3_000);
  const looks = () => Object.values(world.engine.stats()).reduce((sum, { looks }) => sum + looks, 0);
  const [writesBefore, looksBefore, cpuBefore] = [await written(), looks(), process.cpuUsage()];
  await systemClock.sleep(seconds * 1_000);
  const cpu = process.cpuUsage(cpuBefore);
  return [
    {
      work: "at rest, 10,300 resources, resync 15 s",
      metric: "row writes",
      value: (await written()) - writesBefore,
      unit: `in ${seconds} s`,
      aim: "0",
    },
    { work: "at rest, 10,300 resources, resync 15 s", metric: "looks", value: (looks() - looksBefore) / seconds, unit: "per s" },
    {
      work: "at rest, 10,300 resources, resync 15 s",
      metric: "CPU of the worker",
      value: (cpu.user + cpu.system) / 10_000 / seconds,
      unit: "% of a core",
    },
  ];
}

/** Heap that one more resource costs the worker, from a second engine loading the same fleet. */
async function memory(world: World, databaseUrl: string): Promise<Measurement[]> {
  await world.close();
  const collect = () => {
    if (!globalThis.gc) throw new Error("run with --expose-gc");
    globalThis.gc();
    globalThis.gc();
    return process.memoryUsage().heapUsed;
  };
  const before = collect();
  const { loadFleet } = await import("./load");
  const loaded = await loadFleet(databaseUrl);
  const after = collect();
  await loaded.close();
  return [{ work: "memory", metric: "heap per resource", value: (after - before) / 1024 / loaded.count, unit: "KiB" }];
}

/** All works on one store, in the order in which they build on each other. */
export async function measure(databaseUrl: string): Promise<Measurement[]> {
  const world = await openWorld(databaseUrl);
  const results: Measurement[] = [];
  for (const work of [firstLook, fleet, change, list, rest]) results.push(...(await work(world)));
  results.push(...(await memory(world, databaseUrl)));
  return results;
}
