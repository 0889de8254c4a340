/** How soon intent is acted on, and how much of it. */
import { systemClock } from "@/lib/clock";
import { type Measurement, quantile, type Work } from "./work";
import { allConverged, changeAll, createMany, createOne, openWorld, seed } from "./world";

const FLEET = 10_000;
/** So often the same is done, for the median; by peers too. */
export const ROUNDS = 5;
const SAMPLES = 300;

/** From the acknowledgement of a commit to the first look at that object, one at a time on an idle engine. */
export const firstLook: Work = {
  name: "first-look",
  title: "one on an idle engine",
  measure: (bench) =>
    bench.withDatabase(async (url) => {
      const waiting = new Map<string, () => void>();
      const world = await openWorld(url, { looked: ({ metadata }) => waiting.get(metadata.name)?.() });
      const samples: number[] = [];
      for (let i = 0; i < SAMPLES; i++) {
        const name = `latency-${i}`;
        const looked = new Promise<number>((resolve) => waiting.set(name, () => resolve(systemClock.monotonic())));
        await createOne(world.store, name);
        const acknowledged = systemClock.monotonic();
        samples.push(Math.max(0, (await looked) - acknowledged));
        if (i % 10 === 0) await allConverged(world.store);
      }
      await world.close();
      return [
        { metric: "commit to start, p50", value: quantile(samples, 0.5), unit: "ms" },
        { metric: "commit to start, p99", value: quantile(samples, 0.99), unit: "ms", aim: "< 20" },
      ];
    }),
};

export const create: Work = {
  name: "create",
  title: "create 10,000 one by one",
  measure: (bench) =>
    bench.withDatabase(async (url) => {
      const world = await openWorld(url);
      const begun = systemClock.monotonic();
      await createMany(world.store, FLEET, "fleet");
      const created = systemClock.monotonic();
      await allConverged(world.store);
      const converged = systemClock.monotonic();
      await world.close();
      return [
        { metric: "all created", value: (created - begun) / 1000, unit: "s" },
        { metric: "all converged", value: (converged - begun) / 1000, unit: "s" },
      ];
    }),
};

/** New intent for all in one statement, until every report is durable; with statistics as a store that has run for a while has them. */
export const change: Work = {
  name: "change",
  title: "10,000 trivial items, and one on an idle queue",
  measure: (bench) =>
    bench.withDatabase(async (url) => {
      const world = await openWorld(url);
      await seed(world.store, FLEET, "fleet");
      await allConverged(world.store);
      const rates: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const begun = systemClock.monotonic();
        await changeAll(world.store, "fleet");
        await allConverged(world.store);
        rates.push(FLEET / ((systemClock.monotonic() - begun) / 1000));
      }
      await world.close();
      const results: Measurement[] = [{ metric: "stored to recorded as done", value: quantile(rates, 0.5), unit: "items/s" }];
      return results;
    }),
};
