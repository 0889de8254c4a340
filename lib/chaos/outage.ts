/** The store goes away under a worker, in every way it can, while intent is written. */
import { systemClock } from "@/lib/clock";
import type { TestPostgres } from "@/lib/conformance/postgres";
import { until } from "./until";
import { HOST, type World } from "./world";

export const OUTAGES = ["fast", "immediate", "kill -9", "terminated backends"] as const;
export type Outage = (typeof OUTAGES)[number];

export interface OutageReport {
  acknowledged: number;
  refused: number;
  /** Milliseconds from the server's return until a new write was acknowledged and converged. */
  workingAgainMs: number;
}

async function inflict(server: TestPostgres, outage: Outage): Promise<void> {
  if (outage === "terminated backends") {
    for (let i = 0; i < 5; i++) {
      await server.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'setpoint%' and pid <> pg_backend_pid() and random() < 0.7",
      );
      await systemClock.sleep(50);
    }
    return;
  }
  if (outage === "immediate") await server.kill("SIGQUIT");
  if (outage === "kill -9") await server.kill("SIGKILL");
  await server.restart();
}

/**
 * Writes intent all the while; everything that was acknowledged must be there and converged afterwards, by the same processes.
 * The worker must run already.
 */
export async function outageRound(world: World, outage: Outage, writes: number): Promise<OutageReport> {
  const prefix = outage.replaceAll(/[^a-z0-9]+/g, "-");
  const acknowledged: string[] = [];
  let refused = 0;
  let begun = 0;
  const writing = (async () => {
    while (begun < writes) {
      const name = `${prefix}-${begun++}`;
      try {
        await world.create("ConfigFile", name, { path: `${name}.conf`, content: name, host: HOST });
        acknowledged.push(name);
      } catch {
        // Not acknowledged: nothing is promised. It may have been committed all the same.
        refused += 1;
        await systemClock.sleep(20);
      }
    }
  })();
  await until("writes are under way", () => begun >= writes / 4);
  await inflict(world.server, outage);
  const backAt = systemClock.monotonic();
  const probe = `${prefix}-probe`;
  await until("a write is accepted again", () =>
    world
      .create("ConfigFile", probe, { path: `${probe}.conf`, content: probe, host: HOST })
      .then(Boolean, () => world.get("ConfigFile", probe).then(Boolean, () => false)),
  );
  await world.settled(120_000, probe);
  const workingAgainMs = systemClock.monotonic() - backAt;
  await writing;
  await world.settled(120_000, `${prefix}-%`);
  for (const name of acknowledged) {
    if (!(await world.get("ConfigFile", name))) throw new Error(`${name} was acknowledged and is lost`);
    if (world.fileOf(`${name}.conf`) !== name) throw new Error(`${name} is called converged, and its file is not there`);
  }
  return { acknowledged: acknowledged.length, refused, workingAgainMs };
}
