import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { CRASH_POINTS } from "@/lib/engine";
import { crashTogether, uncovered } from "./crash";
import { World } from "./world";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe("a worker that is killed with -9", () => {
  it("leaves nothing doubled, skipped or lost, whichever crash point it dies at: create, update and delete of every kind", async () => {
    const world = await World.open(server);
    try {
      const report = await crashTogether(world);
      expect(report.kills).toBe(CRASH_POINTS.length);
      expect(uncovered(report)).toEqual([]);
    } finally {
      await world.close();
    }
  }, 240_000);
});
