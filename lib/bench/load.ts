import { randomUUID } from "node:crypto";
import { systemClock } from "@/lib/clock";
import { Engine } from "@/lib/engine";
import { openStore } from "@/lib/store/prisma";
import { noopController } from "./world";

/** An engine that takes over what is stored, loaded and at rest. */
export async function loadFleet(databaseUrl: string): Promise<{ count: number; close(): Promise<void> }> {
  const store = await openStore({ databaseUrl, clock: systemClock, notify: true, log: () => undefined });
  const engine = new Engine({
    store: store.engine,
    resources: store.resources,
    history: store.history,
    signal: store.signal,
    clock: systemClock,
    controllers: [noopController(() => undefined)],
    installation: store.installation,
    secret: async () => "",
    worker: { id: randomUUID(), host: "bench", pid: process.pid, role: "all", version: "bench" },
    log: () => undefined,
  });
  await engine.start();
  await engine.runFor(5_000);
  const { rows } = await store.pool.query("select count(*)::int as count from resource");
  return {
    count: rows[0].count,
    async close() {
      await engine.close();
      await store.close();
    },
  };
}
