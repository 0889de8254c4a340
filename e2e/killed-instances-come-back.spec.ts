/** A ReplicaSet's promise: so many instances run, whoever ends them and whatever is asked of it. */
import { expect, test } from "playwright/test";
import { Client } from "./client";
import { instancesOf, pidsOf, untilInstances, watchInstances } from "./instances";
import { type Server, startServer, until } from "./server";

const template = (env: Record<string, string> = {}) => ({ command: ["sample-service"], env, stopGraceSeconds: 2 });

for (const notify of ["on", "off"]) {
  test.describe(`with notifications ${notify}`, () => {
    let server: Server;
    let client: Client;
    test.beforeAll(async () => {
      server = await startServer({ env: { SETPOINT_NOTIFY: notify } });
      client = new Client(server.url, server.token);
    });
    test.afterAll(() => server?.stop());

    test("kill one of three instances with -9 and three are back, the other two untouched", async () => {
      const { metadata } = await client.create("replicasets", "web", { replicas: 3, template: template() });
      const [first, second, third] = await untilInstances(metadata.uid, 3);
      await client.converged("replicasets", "web");
      process.kill(second?.pid ?? 0, "SIGKILL");
      await until(() => !pidsOf(metadata.uid).includes(second?.pid ?? 0), 5_000, "the killed one is still there");

      const after = await untilInstances(metadata.uid, 3);
      expect(after.map(({ pid }) => pid)).toEqual([first?.pid, expect.any(Number), third?.pid]);
      await client.converged("replicasets", "web");
      // The history says what happened: four starts, the newest of the one that was killed.
      const starts = async () => {
        const passes = await client.passes("replicasets", "web");
        return passes.flatMap(({ actions }) => actions.filter(({ type }) => type === "Start").map((action) => action.target));
      };
      await expect.poll(starts).toHaveLength(4);
      expect((await starts())[0]).toBe("process web-1");
    });

    test("scaling up keeps those that run, scaling down ends the highest, zero ends all", async () => {
      const { metadata } = await client.create("replicasets", "scaled", { replicas: 2, template: template() });
      const two = await untilInstances(metadata.uid, 2);
      await client.patch("replicasets", "scaled", { spec: { replicas: 4 } });
      const four = await untilInstances(metadata.uid, 4);
      expect(four.slice(0, 2)).toEqual(two);
      await client.patch("replicasets", "scaled", { spec: { replicas: 1 } });
      expect(await untilInstances(metadata.uid, 1)).toEqual(two.slice(0, 1));
      await client.patch("replicasets", "scaled", { spec: { replicas: 0 } });
      await untilInstances(metadata.uid, 0);
      await client.converged("replicasets", "scaled");
      await client.remove("replicasets", "scaled");
    });

    test("a new template replaces one instance at a time: never fewer than all but one, never two in a slot", async () => {
      const { metadata } = await client.create("replicasets", "rolled", { replicas: 3, template: template({ VERSION: "1" }) });
      const old = await untilInstances(metadata.uid, 3);
      await client.converged("replicasets", "rolled");
      const watch = watchInstances(metadata.uid);
      await client.patch("replicasets", "rolled", { spec: { template: { env: { VERSION: "2" } } } });
      await client.converged("replicasets", "rolled", 60_000);
      const { fewest, most, doubled } = watch.stop();
      expect(fewest).toBeGreaterThanOrEqual(2);
      expect(most).toBe(3);
      expect(doubled).toEqual([]);
      const now = instancesOf(metadata.uid);
      expect(now.map(({ env }) => env.VERSION)).toEqual(["2", "2", "2"]);
      expect(now.some(({ pid }) => old.some((one) => one.pid === pid))).toBe(false);
      await client.remove("replicasets", "rolled");
    });

    test("deleting ends every instance, and only of that object", async () => {
      const kept = await client.create("replicasets", "kept", { replicas: 1, template: template() });
      const left = await client.create("replicasets", "left", { replicas: 2, template: template() });
      const [one] = await untilInstances(kept.metadata.uid, 1);
      await untilInstances(left.metadata.uid, 2);
      await client.remove("replicasets", "left");
      expect(pidsOf(left.metadata.uid)).toEqual([]);
      expect(pidsOf(kept.metadata.uid)).toEqual([one?.pid]);
    });
  });
}
