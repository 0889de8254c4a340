/** More than one worker: how throughput grows, and how soon the work of a dead one is taken over. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { systemClock } from "@/lib/clock";
import { openStore, type Store } from "@/lib/store/prisma";
import type { Measurement, Work } from "./work";
import { allConverged, changeAll, openWorld, seed } from "./world";

const LEASE_TTL_MS = 6_000;

/** A worker in a process of its own; resolves when it holds what it is given. */
async function startWorker(databaseUrl: string): Promise<ChildProcess> {
  // Bundled beside this; with the room for young objects that this process has.
  const program = fileURLToPath(new URL("worker.mjs", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, program, databaseUrl, String(LEASE_TTL_MS)], {
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

/** One of two workers that share 50,000 is killed. Until each object that it held was looked at by the other one. */
export const failover: Work = {
  name: "failover",
  title: "50,000 shared by two workers, one is killed, lease 6 s",
  measure: (bench) =>
    bench.withDatabase(async (databaseUrl) => {
      const victim = await startWorker(databaseUrl);
      const orphans = new Set<string>();
      let done: (at: number) => void = () => {};
      const world = await openWorld(databaseUrl, {
        leaseTtlMs: LEASE_TTL_MS,
        resyncMs: 60_000,
        looked({ metadata }) {
          if (orphans.delete(metadata.uid) && orphans.size === 0) done(systemClock.monotonic());
        },
      });
      await seed(world.store, 50_000, "fleet");
      await allConverged(world.store);
      await evenly(world.store, 2);
      const { rows } = await world.store.pool.query("select r.uid from resource r join lease l using (slice) where l.holder <> $1", [
        world.id,
      ]);
      const last = new Promise<number>((resolve) => {
        done = resolve;
      });
      const killedAt = systemClock.monotonic();
      for (const { uid } of rows) orphans.add(uid);
      await end(victim, "SIGKILL");
      const value = ((await last) - killedAt) / 1000;
      await world.close();
      return [
        { metric: "objects taken over", value: rows.length, unit: "" },
        { metric: "killed to all looked at", value, unit: "s", aim: `<= ${LEASE_TTL_MS / 1000 + 1}` },
      ];
    }),
};
