/** Paused: nothing is written, whatever happens outside, and nothing says that all is well. */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "playwright/test";
import { Client, Refused } from "./client";
import { instancesOf, untilInstances } from "./instances";
import { type Server, startServer, until } from "./server";
import { declareTarget, startTarget, type Target } from "./target";

const paused = { paused: { reason: "maintenance" } };

let server: Server;
let client: Client;
let target: Target;
test.beforeAll(async () => {
  target = await startTarget();
  server = await startServer();
  client = new Client(server.url, server.token);
});
test.afterAll(async () => {
  await server?.stop();
  await target?.stop();
});

/** Waits until the paused object has been looked at since now: twice, so that one look began after. */
async function lookedAtAgain(plural: string, name: string): Promise<void> {
  for (let round = 0; round < 2; round++) {
    const since = Date.now();
    await client.waitFor(plural, name, "looked at", ({ freshness }) => Date.parse(freshness.observedAt ?? "") >= since, 75_000);
  }
}

test("a paused ReplicaSet stays broken while it is looked at, is never shown converged, and heals when resumed", async () => {
  const { metadata } = await client.create("replicasets", "web", { replicas: 2, template: { command: ["sample-service"] } });
  const [first, second] = await untilInstances(metadata.uid, 2);
  await client.converged("replicasets", "web");
  const { control, view } = await client.control("replicasets", "web", paused);
  expect(control.paused).toMatchObject({ by: "bootstrap-token", reason: "maintenance", since: expect.any(String) });
  expect(view.state).toBe("Paused");

  process.kill(second?.pid ?? 0, "SIGKILL");
  await until(() => instancesOf(metadata.uid).length === 1, 5_000, "it is still there");
  await client.patch("replicasets", "web", { spec: { replicas: 3 } });
  const held = await client.waitFor("replicasets", "web", "planned", ({ status }) => (status?.plan?.actions.length ?? 0) === 2);
  expect(held.view).toMatchObject({ state: "Paused", notActing: expect.stringContaining("maintenance") });
  expect(held.status?.conditions.find(({ type }) => type === "Ready")?.status).toBe("False");
  await expect(client.reconcile("replicasets", "web")).rejects.toThrow(/409.*paused by bootstrap-token: maintenance/);
  await lookedAtAgain("replicasets", "web");
  expect(instancesOf(metadata.uid)).toEqual([first]);
  expect((await client.list("replicasets", "?fieldSelector=status.state%3DConverged")).items).toEqual([]);

  await client.control("replicasets", "web", { paused: null });
  await untilInstances(metadata.uid, 3);
  await client.converged("replicasets", "web");
});

test("a paused role that was broken by hand stays so, and the recording proxy sees no write", async () => {
  await declareTarget(client, target);
  await client.create("postgresroles", "reader", { server: "main", login: true });
  await client.converged("postgresroles", "reader");
  await client.control("postgresroles", "reader", paused);
  await target.postgres.query("alter role reader nologin createdb");
  target.proxy.forget();
  await client.waitFor("postgresroles", "reader", "seen as drift", ({ status }) => status?.drift?.count === 2, 60_000);
  const { drift } = await client.plan("postgresroles", "reader");
  expect(drift.map(({ path: at, desired, actual }) => ({ at, desired, actual }))).toEqual(
    expect.arrayContaining([
      { at: "spec.login", desired: true, actual: false },
      { at: "spec.createdb", desired: false, actual: true },
    ]),
  );
  // Neither new intent nor deletion gets through a pause.
  await client.patch("postgresroles", "reader", { spec: { connectionLimit: 7 } });
  await client.waitFor("postgresroles", "reader", "seen as drift", ({ status }) => status?.drift?.count === 3);
  await client.ask("DELETE", client.path("postgresroles", "reader"));
  await client.waitFor("postgresroles", "reader", "planning to drop", ({ status }) => status?.plan?.actions[0]?.effect === "delete");
  expect((await client.get("postgresroles", "reader")).view.state).toBe("Paused");
  expect(target.proxy.statements.length).toBeGreaterThan(0);
  expect(target.proxy.writes()).toEqual([]);
  expect(await target.postgres.query("select rolcanlogin, rolconnlimit from pg_roles where rolname = 'reader'")).toEqual([
    { rolcanlogin: false, rolconnlimit: -1 },
  ]);
  await client.control("postgresroles", "reader", { paused: null });
  await client.untilGone("postgresroles", "reader");
  expect(await target.postgres.query("select 1 from pg_roles where rolname = 'reader'")).toEqual([]);
});

test("a pause with an end is over at that time without anybody's doing, and not before", async () => {
  const file = path.join(server.dataDir, "files", "app.conf");
  await client.create("configfiles", "app", { path: "app.conf", content: "mine\n" });
  await client.converged("configfiles", "app");
  const until = new Date(Date.now() + 6_000).toISOString();
  const { status } = await client.control("configfiles", "app", { paused: { reason: "back soon", until } });
  expect(status).toBeDefined();
  writeFileSync(file, "theirs\n");
  const held = await client.waitFor("configfiles", "app", "withheld", ({ status: report }) => report?.nextAttempt !== undefined);
  expect(held.status?.nextAttempt).toMatchObject({ at: until, cause: "PauseEnds" });
  const healed = await client.waitFor("configfiles", "app", "healed", ({ view }) => view.state === "Converged", 20_000);
  expect(Date.parse(healed.status?.lastConvergedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(until));
  expect(readFileSync(file, "utf8")).toBe("mine\n");
});

test("a whole kind that is paused writes nothing, new objects included, and goes on when it is resumed", async () => {
  const pause = "/api/console/controllers/replicasets/pause";
  await client.ask("PUT", pause, { reason: "freeze" });
  const { metadata } = await client.create("replicasets", "later", { replicas: 1, template: { command: ["sample-service"] } });
  const held = await client.waitFor("replicasets", "later", "withheld", ({ status }) => status?.plan !== undefined);
  expect(held.view).toMatchObject({ state: "Paused", notActing: expect.stringContaining("freeze") });
  expect(await client.reconcile("replicasets", "later").catch((error: unknown) => error instanceof Refused && error.code)).toBe(409);
  expect(instancesOf(metadata.uid)).toEqual([]);
  await client.ask("DELETE", pause);
  await untilInstances(metadata.uid, 1);
  await client.converged("replicasets", "later");
});
