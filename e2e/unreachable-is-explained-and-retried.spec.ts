/** A target that cannot be reached: the page says why and when it is tried next, keeps that word across a restart, and never storms. */
import { expect, test } from "playwright/test";
import type { ApiObject } from "@/lib/api/contract";
import { startProxy } from "@/lib/conformance/proxy";
import { Client, isConverged } from "./client";
import { type Server, startServer } from "./server";
import { declareTarget, startTarget, type Target } from "./target";

/** The first delay; each further one is twice as long, and jitter halves it at most. */
const BASE_MS = 1_000;

let server: Server;
let client: Client;
let target: Target;
// Waits for several delays that double, and for a restart.
test.describe.configure({ timeout: 300_000 });
test.beforeAll(async () => {
  target = await startTarget();
  server = await startServer();
  client = new Client(server.url, server.token);
  await declareTarget(client, target);
});
test.afterAll(async () => {
  await server?.stop();
  await target?.stop();
});

const nextIn = ({ status }: ApiObject) => Date.parse(status?.nextAttempt?.at ?? "") - Date.now();
const failing = (least: number) => (object: ApiObject) => (object.status?.attempts ?? 0) >= least;

test("an unreachable PostgreSQL shows its reason and next attempt, the same after a restart, without a storm, and recovers by itself", async () => {
  const { postgres } = target;
  const proxy = await startProxy(postgres);
  proxy.refuse(true);
  const began = Date.now();
  await declareTarget(client, { ...target, proxy }, "far");
  await client.create("postgresroles", "reader", { server: "far", login: true });

  const first = await client.waitFor("postgresservers", "far", "failing", failing(1));
  expect(first.view.state).toBe("BackingOff");
  expect(first.status).toMatchObject({
    reason: "Unreachable",
    nextAttempt: { cause: "Retry", attempt: (first.status?.attempts ?? 0) + 1 },
  });
  expect(first.status?.message).toContain(`${postgres.host}:${proxy.port}`);
  expect(first.status?.lastAttemptAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(first.view.notActing).toContain(first.status?.nextAttempt?.at);
  expect(first.status?.conditions.find(({ type }) => type === "Available")?.status).toBe("False");

  // Attempts grow apart: the server's next one is further away than a restart takes.
  const both = (least: number, holds: (object: ApiObject) => boolean = () => true) =>
    Promise.all([
      client.waitFor("postgresservers", "far", "waiting", (object) => failing(least)(object) && holds(object), 90_000),
      client.waitFor("postgresroles", "reader", "waiting", failing(least), 90_000),
    ]);
  const count = (objects: ApiObject[]) => objects.reduce((sum, { status }) => sum + (status?.attempts ?? 0), 0);
  const early = count(await both(2));
  const earlyConnections = proxy.connections;
  const waiting = await both(4, (object) => nextIn(object) > 8_000);
  const [far] = waiting;
  // One connection per attempt, and each object may have one under way.
  expect(proxy.connections - earlyConnections).toBeLessThanOrEqual(count(waiting) - early + 2);
  expect(far.status?.attempts).toBeLessThanOrEqual(mostAttempts(Date.now() - began));
  const failed = async () =>
    (await client.passes("postgresservers", "far")).filter(({ attempt }) => attempt > 0).map(({ attempt }) => attempt);
  // The next attempt may have been made since: those up to the one that was read are all on record.
  const attempts = far.status?.attempts ?? 0;
  expect(new Set((await failed()).filter((attempt) => attempt <= attempts)).size).toBe(attempts);

  await server.kill("SIGKILL");
  const connections = proxy.connections;
  server = await startServer({ dataDir: server.dataDir });
  client = new Client(server.url, server.token);
  const again = await client.get("postgresservers", "far");
  const inTime = nextIn(far) > 0;
  if (inTime) {
    expect(again.status).toEqual(far.status);
    expect(proxy.connections - connections).toBeLessThanOrEqual(1);
  }
  // The appointment is kept, and never brought forward; only a restart that outlasts it can be late.
  const tried = await client.waitFor("postgresservers", "far", "tried again", failing((far.status?.attempts ?? 0) + 1));
  const late = Date.parse(tried.status?.lastAttemptAt ?? "") - Date.parse(far.status?.nextAttempt?.at ?? "");
  expect(late).toBeGreaterThanOrEqual(0);
  if (inTime) expect(late).toBeLessThan(10_000);

  proxy.refuse(false);
  await Promise.all([client.converged("postgresservers", "far", 90_000), client.converged("postgresroles", "reader", 90_000)]);
  expect(await postgres.query("select rolcanlogin from pg_roles where rolname = 'reader'")).toEqual([{ rolcanlogin: true }]);
  const healed = await client.get("postgresservers", "far");
  expect(healed.status).toMatchObject({ attempts: 0, lastAttemptAt: expect.any(String) });
  expect(healed.status?.nextAttempt).toBeUndefined();
  await client.remove("postgresroles", "reader");
  await client.remove("postgresservers", "far");
  await proxy.close();
});

test("a corrected spec cancels the wait for the old one and converges at once", async () => {
  const { postgres, proxy } = target;
  await client.create("secrets", "wrong", { values: { password: "not-the-password" } });
  const passwordFrom = { secret: "wrong", key: "password" };
  const spec = { host: postgres.host, port: proxy.port, user: postgres.user, passwordFrom };
  await client.create("postgresservers", "other", spec);
  const refused = await client.waitFor("postgresservers", "other", "refused", failing(1));
  expect(refused.status).toMatchObject({ reason: "AccessDenied", state: "Failed", nextAttempt: { cause: "Unauthorised" } });
  expect(nextIn(refused)).toBeGreaterThan(5_000);

  const asked = Date.now();
  await client.patch("postgresservers", "other", { spec: { passwordFrom: { secret: "main-login" } } });
  const healed = await client.converged("postgresservers", "other", 10_000);
  expect(Date.parse(healed.status?.lastConvergedAt ?? "") - asked).toBeLessThan(5_000);
  expect(Date.parse(healed.status?.lastConvergedAt ?? "")).toBeLessThan(Date.parse(refused.status?.nextAttempt?.at ?? ""));
  expect(healed.status).toMatchObject({ attempts: 0 });
});

test("correcting what it depends on is enough too: the secret is set right, and nobody touches the server", async () => {
  const { postgres, proxy } = target;
  await client.create("secrets", "later", { values: { password: "not-yet" } });
  const passwordFrom = { secret: "later", key: "password" };
  await client.create("postgresservers", "patient", { host: postgres.host, port: proxy.port, user: postgres.user, passwordFrom });
  await client.waitFor("postgresservers", "patient", "refused", failing(1));
  await client.patch("secrets", "later", { spec: { values: { password: postgres.password } } });
  await client.converged("postgresservers", "patient", 10_000);
});

test("a server that dies under converged roles is reported, with the age of what is shown, and found again", async () => {
  const { postgres } = target;
  await client.create("postgresroles", "kept", { server: "main", login: true });
  await client.converged("postgresroles", "kept");
  await postgres.kill();
  const lost = await client.waitFor("postgresservers", "main", "unreachable", (object) => object.view.reason === "Unreachable", 40_000);
  expect(isConverged(lost)).toBe(false);
  expect(lost.view.health).not.toBe("Healthy");
  await postgres.restart();
  await Promise.all([client.converged("postgresservers", "main"), client.converged("postgresroles", "kept", 90_000)]);
});

/** Attempts that fit into a time when each delay is the shortest that jitter makes of it: 0.5, 1, 2, 4 … seconds. */
function mostAttempts(ms: number): number {
  let attempts = 1;
  for (let left = ms, delay = BASE_MS / 2; left >= delay; delay *= 2) {
    left -= delay;
    attempts += 1;
  }
  return attempts;
}
