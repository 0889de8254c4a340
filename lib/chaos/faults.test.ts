import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kind as configFile } from "@/controllers/configfile";
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { type RecordingProxy, startProxy } from "@/lib/conformance/proxy";
import { DEFAULT_RESYNC_MS } from "@/lib/controller";
import { CUTS, cutRound } from "./cut";
import { FREEZE_TTL_MS, freezeRound } from "./freeze";
import { OUTAGES, outageRound } from "./outage";
import { deadTarget, flood } from "./overload";
import type { WorkerProcess } from "./process";
import { World } from "./world";

const healthyMs = configFile.resyncMs ?? DEFAULT_RESYNC_MS;
const ORDERS = { leaseTtlMs: FREEZE_TTL_MS, freezeAt: { point: "before-apply", object: "ConfigFile/frozen@2" } } as const;
const PATIENCE_MS = 240_000;

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres({ synchronous_commit: "on" });
});
afterAll(() => server.stop());

describe("one worker, never restarted,", () => {
  let world: World;
  let proxy: RecordingProxy;
  let worker: WorkerProcess;
  beforeAll(async () => {
    world = await World.open(server);
    proxy = await startProxy({ host: server.host, port: server.port });
    await world.createServer(proxy.port);
    worker = world.spawn(ORDERS);
    await worker.started();
  }, PATIENCE_MS);
  afterAll(async () => {
    proxy?.refuse(false);
    await world?.close();
    await proxy?.close();
  });

  it.each(CUTS)(
    "makes, changes and removes a role right over a line with: %s",
    async (fault) => {
      await cutRound(world, proxy, fault);
      expect(worker.ended()).toBeUndefined();
    },
    PATIENCE_MS,
  );

  it(
    "keeps up with 300 accepted writes a second, a tenth of them hopeless, which it does not try over and over",
    async () => {
      const { hopeless, quickestRepeatMs = healthyMs } = await flood(world, { perSecond: 300, count: 600 });
      expect(hopeless).toBe(60);
      expect(quickestRepeatMs).toBeGreaterThanOrEqual(healthyMs);
      expect(worker.ended()).toBeUndefined();
    },
    PATIENCE_MS,
  );

  it(
    "asks a dead target few times for many objects, and all follow when it returns",
    async () => {
      const { triedWhileSpreading } = await deadTarget(world, proxy, { objects: 150, downMs: 0 });
      expect(triedWhileSpreading).toBeLessThan(40);
      expect(worker.ended()).toBeUndefined();
    },
    PATIENCE_MS,
  );

  it.each(OUTAGES)(
    "loses no acknowledged intent when the store goes away: %s",
    async (outage) => {
      const { acknowledged } = await outageRound(world, outage, 40);
      expect(acknowledged).toBeGreaterThan(0);
      expect(worker.ended()).toBeUndefined();
    },
    PATIENCE_MS,
  );

  it(
    "is one of three; the one that is frozen past its lease and goes on begins nothing and reports nothing stale, and another has long taken over",
    async () => {
      await freezeRound(world, ORDERS.freezeAt, [worker, world.spawn(ORDERS), world.spawn(ORDERS)]);
      expect(worker.ended()).toBeUndefined();
    },
    PATIENCE_MS,
  );
});
