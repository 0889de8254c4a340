/** What it costs to keep many: at rest, in memory, on a page. */
import { systemClock } from "@/lib/clock";
import { viewOf } from "@/lib/resource";
import { type Measurement, quantile, type Work } from "./work";
import { allConverged, openWorld, seed, type World } from "./world";

/** Reads the first pages of the list as the API does, with rows turned into what is shown. */
export const list: Work = {
  name: "list",
  title: "first 100 of 10,000 by the resource API",
  measure: (bench) =>
    bench.withDatabase(async (url) => {
      const world = await openWorld(url);
      await seed(world.store, 10_000, "fleet");
      await allConverged(world.store);
      const samples: number[] = [];
      for (let i = 0; i < 50; i++) {
        const begun = systemClock.monotonic();
        const { items } = await world.store.resources.list({ kind: "Noop", namespace: "default", limit: 100 });
        const freshness = { observedAt: null, stale: false };
        JSON.stringify(items.map((item) => ({ ...item, view: viewOf(item, freshness, systemClock.now()) })));
        samples.push(systemClock.monotonic() - begun);
      }
      await world.close();
      return [{ metric: "p50", value: quantile(samples, 0.5), unit: "ms", aim: "< 300" }];
    }),
};

/** Everything a worker may write, counted from the rows themselves: the server's own statistics arrive late. */
async function written({ store }: World): Promise<number> {
  const { rows } = await store.pool.query(
    `select (select last_value from resource_revision) + (select count(*) from event) + (select coalesce(max(id), 0) from pass)
       + (select coalesce(max(id), 0) from audit) + (select coalesce(sum(epoch), 0) from lease) as written`,
  );
  return Number(rows[0].written);
}

async function measureRest(world: World, seconds: number): Promise<Measurement[]> {
  const looks = () => Object.values(world.engine.stats()).reduce((sum, { looks }) => sum + looks, 0);
  const [writesBefore, looksBefore, cpuBefore] = [await written(world), looks(), process.cpuUsage()];
  await systemClock.sleep(seconds * 1_000);
  const cpu = process.cpuUsage(cpuBefore);
  return [
    { metric: "row writes", value: (await written(world)) - writesBefore, unit: `in ${seconds} s`, aim: "0" },
    { metric: "looks", value: (looks() - looksBefore) / seconds, unit: "per s" },
    { metric: "CPU of the worker", value: (cpu.user + cpu.system) / 10_000 / seconds, unit: "% of a core", aim: "< 5" },
  ];
}

function heap(): number {
  if (!globalThis.gc) throw new Error("run with --expose-gc");
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** One worker holds 100,000 and looks at each of them once a minute. */
export const rest: Work = {
  name: "rest",
  title: "100,000 resources at rest, resync 60 s",
  measure: (bench) =>
    bench.withDatabase(async (url) => {
      const count = 100_000;
      const first = await openWorld(url, { resyncMs: 60_000 });
      await seed(first.store, count, "fleet");
      await allConverged(first.store);
      await first.close();
      const before = heap();
      const begun = systemClock.monotonic();
      const world = await openWorld(url, { resyncMs: 60_000 });
      const loaded = systemClock.monotonic() - begun;
      // One whole resync, so that first looks after the load are not what is measured; nor is the collection of what loading left.
      await systemClock.sleep(70_000);
      heap();
      const results = await measureRest(world, 60);
      const perResource = (heap() - before) / 1024 / count;
      await world.close();
      return [
        ...results,
        { metric: "heap per resource", value: perResource, unit: "KB", aim: "<= 1.5" },
        { metric: "load", value: loaded / 1000, unit: "s" },
      ];
    }),
};
