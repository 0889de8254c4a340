/** More than is comfortable: accepted writes at a rate with hopeless specs among them, and a great many objects on a target that is down. */
import { systemClock } from "@/lib/clock";
import type { RecordingProxy } from "@/lib/conformance/proxy";
import { until } from "./until";
import { HOST, type World } from "./world";

/** Every so many specs can never be fulfilled. */
const HOPELESS_EVERY = 10;
const SEVERAL = 24;

export interface FloodReport {
  accepted: number;
  seconds: number;
  /** Hopeless ones among them. */
  hopeless: number;
  /** Most attempts that any hopeless one has had by the time all others were converged. */
  mostAttempts: number;
  /** Shortest time between two attempts of one, the first two aside, in milliseconds; undefined when none had three. */
  quickestRepeatMs?: number;
  /** Milliseconds from the last acknowledgement until all that can be fulfilled was. */
  caughtUpMs: number;
}

/** Writes `count` new intents at `perSecond`; every tenth is for a path below a file, which no folder can be. */
export async function flood(world: World, { perSecond, count }: { perSecond: number; count: number }): Promise<FloodReport> {
  await world.create("ConfigFile", "flood-block", { path: "blocked", content: "a file, not a folder", host: HOST });
  await world.settled(60_000, "flood-block");
  const begun = systemClock.monotonic();
  let next = 0;
  await Promise.all(
    Array.from({ length: SEVERAL }, async () => {
      while (next < count) {
        const index = next++;
        const wait = begun + (index * 1000) / perSecond - systemClock.monotonic();
        if (wait > 0) await systemClock.sleep(wait);
        const hopeless = index % HOPELESS_EVERY === 0;
        const path = hopeless ? `blocked/${index}.conf` : `flood/${index}.conf`;
        await world.create("ConfigFile", `${hopeless ? "never" : "flood"}-${index}`, { path, content: String(index), host: HOST });
      }
    }),
  );
  const accepted = systemClock.monotonic();
  await world.settled(300_000, "flood-%");
  const caughtUpMs = systemClock.monotonic() - accepted;
  const { rows } = await world.store.pool.query(
    `select count(*)::int as hopeless, max(attempts)::int as most, count(*) filter (where state = 'Converged')::int as lies,
       count(*) filter (where status->'nextAttempt'->>'at' is null)::int as mute from resource where name like 'never-%'`,
  );
  const { rows: gaps } = await world.store.pool.query(
    `select min(extract(epoch from gap) * 1000)::float as quickest from
       (select attempt, started_at - lag(started_at) over (partition by uid order by started_at) as gap from pass where name like 'never-%') as p
     where attempt > 2`,
  );
  const { hopeless, most, lies, mute } = rows[0] ?? {};
  if (lies > 0) throw new Error(`${lies} hopeless objects are called converged`);
  if (mute > 0) throw new Error(`${mute} hopeless objects do not say when they are tried next`);
  return {
    accepted: count + 1,
    seconds: (accepted - begun) / 1000,
    hopeless,
    mostAttempts: most,
    quickestRepeatMs: gaps[0]?.quickest ?? undefined,
    caughtUpMs,
  };
}

export interface DeadReport {
  objects: number;
  /** Connections tried at the dead target until every object said why it waits. */
  triedWhileSpreading: number;
  /** Connections tried in the rest of the outage, and how long that was. */
  triedWhileDown: number;
  downSeconds: number;
  /** Milliseconds from the target's return until every object was converged. */
  recoveredMs: number;
}

/** `objects` roles whose server is down from the start. The worker must run already, its server `main` behind the proxy. */
export async function deadTarget(
  world: World,
  proxy: RecordingProxy,
  { objects, downMs }: { objects: number; downMs: number },
): Promise<DeadReport> {
  proxy.refuse(true);
  const before = proxy.connections;
  let next = 0;
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next < objects) {
        const name = `dead-${next++}`;
        await world.create("PostgresRole", name, { server: "main", name });
      }
    }),
  );
  const explained =
    "select count(*)::int as count from resource where name like 'dead-%' and reason = 'Unreachable' and next_attempt_at is not null";
  await until(
    "every object says why it waits, and until when",
    async () => (await world.store.pool.query(explained)).rows[0].count === objects,
    300_000,
  );
  const spread = proxy.connections;
  const downAt = systemClock.monotonic();
  await systemClock.sleep(downMs);
  const down = proxy.connections;
  const downSeconds = (systemClock.monotonic() - downAt) / 1000;
  proxy.refuse(false);
  const backAt = systemClock.monotonic();
  await world.settled(300_000, "dead-%");
  const recoveredMs = systemClock.monotonic() - backAt;
  const [{ count } = { count: 0 }] = await world.server.query("select count(*)::int as count from pg_roles where rolname like 'dead-%'");
  if (count !== objects) throw new Error(`${count} roles instead of ${objects}`);
  return { objects, triedWhileSpreading: spread - before, triedWhileDown: down - spread, downSeconds, recoveredMs };
}
