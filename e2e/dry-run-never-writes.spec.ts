/** Dry-run: what would be done is shown, nothing is; and what is then done is what was shown. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "playwright/test";
import type { ApiObject } from "@/lib/api/contract";
import { Client } from "./client";
import { instancesOf, untilInstances } from "./instances";
import { type Server, startServer } from "./server";
import { declareTarget, startTarget, type Target } from "./target";

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

const dryRun = { control: { mode: "DryRun" as const } };
const role = { server: "main", login: true, connectionLimit: 3, memberOf: ["pg_monitor"] };

/** Looked at, with a plan that waits. */
const planned = ({ status, metadata }: ApiObject) => status?.observedGeneration === metadata.generation && status.plan !== undefined;

/** What the passes since `since` did, oldest first, as the plan shows actions. */
async function done(plural: string, name: string, since: string) {
  const passes = (await client.passes(plural, name)).filter(({ startedAt }) => startedAt >= since);
  return passes
    .reverse()
    .flatMap(({ actions }) => actions)
    .filter(({ outcome }) => outcome === "done")
    .map(({ type, effect, target }) => ({ type, effect, target }));
}

test("a role in dry-run: the plan is shown, the recording proxy sees no write, and Auto does exactly what was planned", async () => {
  await declareTarget(client, target);
  await client.converged("postgresservers", "main");
  target.proxy.forget();
  const created = await client.create("postgresroles", "reader", role, dryRun);
  const held = await client.waitFor("postgresroles", "reader", "planned", planned);
  const plan = await client.plan("postgresroles", "reader");
  expect(plan).toMatchObject({ generation: 1, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(Date.parse(plan.observedAt ?? "")).toBeGreaterThan(Date.parse(created.metadata.creationTimestamp) - 1);
  expect(plan.actions.map(({ type, effect }) => ({ type, effect }))).toEqual([expect.objectContaining({ effect: "create" })]);
  expect(plan.drift.map(({ path }) => path)).toContain("spec.memberOf");
  // The published plan is the same one.
  expect(held.status?.plan?.hash).toBe(plan.hash);
  expect(held.status?.plan?.actions).toEqual(plan.actions);
  expect(held.view).toMatchObject({ state: "Drifted", notActing: expect.stringContaining("dry-run") });

  await client.reconcile("postgresroles", "reader");
  await client.plan("postgresroles", "reader");
  expect(target.proxy.statements.length).toBeGreaterThan(0);
  expect(target.proxy.writes()).toEqual([]);
  expect(await target.postgres.query("select 1 from pg_roles where rolname = 'reader'")).toEqual([]);

  const since = new Date().toISOString();
  await client.control("postgresroles", "reader", { mode: "Auto" });
  await client.converged("postgresroles", "reader");
  expect(await done("postgresroles", "reader", since)).toEqual(
    plan.actions.map(({ type, effect, target: what }) => ({ type, effect, target: what })),
  );
  const [row] = await target.postgres.query("select rolcanlogin, rolconnlimit from pg_roles where rolname = 'reader'");
  expect(row).toEqual({ rolcanlogin: true, rolconnlimit: 3 });
  expect(await client.plan("postgresroles", "reader")).toMatchObject({ drift: [], actions: [] });
});

test("instances in dry-run: none is started, and Auto starts exactly those that were planned", async () => {
  const spec = { replicas: 3, template: { command: ["sample-service"], stopGraceSeconds: 2 } };
  const { metadata } = await client.create("replicasets", "web", spec, dryRun);
  await client.waitFor("replicasets", "web", "planned", planned);
  const plan = await client.plan("replicasets", "web");
  expect(plan.actions.map(({ type, target: what }) => `${type} ${what}`)).toEqual([
    "Start process web-0",
    "Start process web-1",
    "Start process web-2",
  ]);
  expect(instancesOf(metadata.uid)).toEqual([]);
  const since = new Date().toISOString();
  await client.control("replicasets", "web", { mode: "Auto" });
  await client.converged("replicasets", "web");
  await untilInstances(metadata.uid, 3);
  expect(await done("replicasets", "web", since)).toEqual(
    plan.actions.map(({ type, effect, target: what }) => ({ type, effect, target: what })),
  );
});

test("a converged file set to dry-run: an edit by hand is shown by field and left, and deletion waits too", async () => {
  const file = path.join(server.dataDir, "files", "app.conf");
  await client.create("configfiles", "app", { path: "app.conf", content: "a = 1\n" });
  await client.converged("configfiles", "app");
  await client.control("configfiles", "app", { mode: "DryRun" });
  writeFileSync(file, "a = 2\n");
  const drifted = await client.state("configfiles", "app", "Drifted");
  expect(drifted.status?.drift).toMatchObject({ count: 1, paths: ["spec.content"] });
  const { drift, actions } = await client.plan("configfiles", "app");
  expect(drift).toEqual([expect.objectContaining({ path: "spec.content", desired: "a = 1\n", actual: "a = 2\n" })]);
  expect(actions.map(({ type }) => type)).toEqual(["Replace"]);
  expect(readFileSync(file, "utf8")).toBe("a = 2\n");

  // Deletion is a goal as any other: planned, shown, not done.
  await client.ask("DELETE", client.path("configfiles", "app"));
  await client.waitFor("configfiles", "app", "planning to delete", ({ status }) => status?.plan?.actions[0]?.type === "Delete");
  expect(existsSync(file)).toBe(true);
  await client.control("configfiles", "app", { mode: "Auto" });
  await client.untilGone("configfiles", "app");
  expect(existsSync(file)).toBe(false);
});

test("a candidate that is posted is planned against reality, and neither stored nor carried out", async () => {
  await client.create("configfiles", "kept", { path: "kept.conf", content: "one\n" });
  const before = await client.converged("configfiles", "kept");
  const candidate = { spec: { path: "kept.conf", content: "two\n" } };
  const answer = await client.ask<{ specChanges: unknown[]; actions: { type: string }[] }>(
    "POST",
    client.path("configfiles", "kept", "plan"),
    candidate,
  );
  expect(answer.specChanges).toEqual([expect.objectContaining({ path: "spec.content", desired: "two\n", actual: "one\n" })]);
  expect(answer.actions.map(({ type }) => type)).toEqual(["Replace"]);
  await client.ask("PATCH", `${client.path("configfiles", "kept")}?dryRun=All`, candidate);
  await client.ask("POST", client.path("configfiles", "unborn", "plan"), { spec: { path: "unborn.conf", content: "x" } });
  expect((await client.send("GET", client.path("configfiles", "unborn"))).status).toBe(404);
  expect((await client.get("configfiles", "kept")).metadata).toEqual(before.metadata);
  expect(readFileSync(path.join(server.dataDir, "files", "kept.conf"), "utf8")).toBe("one\n");
  expect(existsSync(path.join(server.dataDir, "files", "unborn.conf"))).toBe(false);
});
