/** More than one worker: how throughput grows, and how soon the work of a dead one is taken over. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { systemClock } from "@/lib/clock";
import { openStore, type Store } from "@/lib/store/prisma";
import type { Measurement, Work } from "./work";
import { allConverged, changeAll, openWorld, seed } from "./world";

const LEASE_TTL_MS = 6_000;

/** A worker in a process of its own; resolves when it holds what it is given. */
async function startWorker(databaseUrl: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["--import", "tsx", "lib/bench/worker.ts", databaseUrl, String(LEASE_TTL_MS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.stdout) await once(child.stdout, "data");
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

async function evenly(store: Store, workers: number): Promise<void> {
  for (;;) {
    const { rows } = await store.pool.query(
      "select count(*)::int as held from lease where slice like 'shard/%' and holder is not null group by holder",
    );
    const held = rows.map((row) => row.held as number);
    if (held.length === workers && Math.min(...held) * workers > 0.8 * 1024) return;
    await systemClock.sleep(50);
  }
}

/** 10,000 changed, by one, two and four workers. */
export const scale: Work = {
  name: "scale",
  title: "10,000 changed, by several workers",
  measure: (bench) =>
    bench.withDatabase(async (databaseUrl) => {
      const store = await openStore({ databaseUrl, clock: systemClock, notify: false, log: () => undefined });
      await seed(store, 10_000, "fleet");
      const children: ChildProcess[] = [];
      const results: Measurement[] = [];
      for (const workers of [1, 2, 4]) {
        while (children.length < workers) children.push(await startWorker(databaseUrl));
        await evenly(store, workers);
        await allConverged(store);
        const begun = systemClock.monotonic();
        await changeAll(store, "fleet");
        await allConverged(store);
        const value = 10_000 / ((systemClock.monotonic() - begun) / 1000);
        results.push({ metric: `${workers} ${workers === 1 ? "worker" : "workers"}`, value, unit: "items/s" });
      }
      await Promise.all(children.map((child) => end(child, "SIGTERM")));
      await store.close();
      return results;
    }),
};

/** The only worker of 50,000 is killed; another one is there. Until each was looked at by it. */
export const failover: Work = {
  name: "failover",
  title: "50,000 taken over from a killed worker, lease 6 s",
  measure: (bench) =>
    bench.withDatabase(async (databaseUrl) => {
      const count = 50_000;
      const victim = await startWorker(databaseUrl);
      const seeding = await openStore({ databaseUrl, clock: systemClock, notify: false, log: () => undefined });
      await seed(seeding, count, "fleet");
      await allConverged(seeding);
      const seen = new Set<string>();
      let killedAt = Number.POSITIVE_INFINITY;
      const last = new Promise<number>((resolve) => {
        void openWorld(databaseUrl, {
          leaseTtlMs: LEASE_TTL_MS,
          resyncMs: 60_000,
          looked({ metadata }) {
            if (systemClock.monotonic() < killedAt) return;
            seen.add(metadata.uid);
            if (seen.size === count) resolve(systemClock.monotonic());
          },
        }).then(async (world) => {
          await evenly(seeding, 2);
          killedAt = systemClock.monotonic();
          await end(victim, "SIGKILL");
          await last;
          await world.close();
        });
      });
      const value = ((await last) - killedAt) / 1000;
      await seeding.close();
      return [{ metric: "killed to all looked at", value, unit: "s", aim: `<= ${LEASE_TTL_MS / 1000 + 1}` }];
    }),
};
