/** Several processes on one PostgreSQL: pages and controllers apart, and a dead worker never looks alive. */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "playwright/test";
import type { ControllersAnswer } from "@/lib/api/contract";
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { Client, isConverged } from "./client";
import { type Server, startServer } from "./server";

/** How long a worker that says nothing is believed. */
const LEASE_MS = 15_000;

let store: TestPostgres;
let root: string;
let key: string;
let web: Server;
let client: Client;
const workers: Server[] = [];
// Several starts of the whole product, and a lease that has to run out.
test.describe.configure({ timeout: 300_000, mode: "serial" });
test.beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), "setpoint-e2e-root-"));
  key = randomBytes(32).toString("base64");
  store = await startPostgres();
  await store.query("create database setpoint");
  web = await start("web");
  client = new Client(web.url, web.token);
});
test.afterAll(async () => {
  for (const server of [web, ...workers]) await server?.stop();
  await store?.stop();
  rmSync(root, { recursive: true, force: true });
});

const start = (role: "web" | "worker", env: Record<string, string> = {}) => {
  const databaseUrl = `postgresql://${store.user}:${store.password}@${store.host}:${store.port}/setpoint`;
  const common = { DATABASE_URL: databaseUrl, SETPOINT_FILE_ROOT: root, SETPOINT_ENCRYPTION_KEY: key };
  return startServer({ env: { ...common, ...env, SETPOINT_ROLE: role } });
};
const startWorker = async () => {
  const worker = await start("worker");
  workers.push(worker);
  return worker;
};
const at = (name: string) => path.join(root, name);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined);

test("without a worker nothing is done and nothing claims to be: intent is kept, and shown as stale", async () => {
  await client.create("configfiles", "app", { path: "app.conf", content: "one\n" });
  const { view, freshness } = await client.get("configfiles", "app");
  expect(view.state).toBe("Stale");
  expect(freshness).toMatchObject({ stale: true, message: expect.stringContaining("No worker") });
  expect(read("app.conf")).toBeUndefined();
});

test("POST /api/worker on the web role runs what is due in bounded time and says what it did", async () => {
  const done = await client.ask<Record<string, number>>("POST", "/api/worker?ms=20000");
  expect(done).toMatchObject({ corrected: 1, converged: 1, failed: 0, remaining: 0 });
  expect(read("app.conf")).toBe("one\n");
  writeFileSync(at("app.conf"), "by hand\n");
  expect(await client.ask<Record<string, number>>("POST", "/api/worker?ms=20000")).toMatchObject({ corrected: 1, remaining: 0 });
  expect(read("app.conf")).toBe("one\n");
  expect((await new Client(web.url).send("POST", "/api/worker")).status).toBe(401);
  // Between two runs nobody looks, and that is said.
  expect((await client.get("configfiles", "app")).view.state).toBe("Stale");
});

test("a worker in a process of its own brings about what the web accepts, and serves no API itself", async () => {
  const worker = await startWorker();
  await client.converged("configfiles", "app");
  await client.patch("configfiles", "app", { spec: { content: "two\n" } });
  await client.converged("configfiles", "app");
  expect(read("app.conf")).toBe("two\n");
  writeFileSync(at("app.conf"), "by hand\n");
  await client.reconcile("configfiles", "app");
  await expect.poll(() => read("app.conf"), { timeout: 20_000 }).toBe("two\n");
  expect((await new Client(worker.url, worker.token).send("GET", client.path("configfiles"))).status).toBe(404);
  expect((await fetch(`${worker.url}/readyz`)).status).toBe(200);
});

test("kill -9 of the worker: its objects turn Stale within the lease, never converged, and a new worker brings them back", async () => {
  await client.converged("configfiles", "app");
  const [worker] = workers;
  const killed = Date.now();
  await worker?.kill("SIGKILL");
  writeFileSync(at("app.conf"), "while nobody looks\n");
  await client.state("configfiles", "app", "Stale", LEASE_MS + 10_000);
  expect(Date.now() - killed).toBeLessThan(LEASE_MS + 5_000);
  const stale = await client.get("configfiles", "app");
  expect(isConverged(stale)).toBe(false);
  expect(stale).toMatchObject({ freshness: { stale: true }, view: { health: "Unknown", message: expect.stringContaining("No worker") } });
  // Intent is still taken, and kept for whoever comes.
  await client.patch("configfiles", "app", { spec: { content: "three\n" } });

  await startWorker();
  await client.converged("configfiles", "app");
  expect(read("app.conf")).toBe("three\n");
});

test("two workers share without doubling: one holds the host, and the other takes over when it ends", async () => {
  const second = await startWorker();
  for (let n = 0; n < 10; n++) await client.create("configfiles", `f${n}`, { path: `f${n}.conf`, content: `${n}\n` });
  for (let n = 0; n < 10; n++) await client.converged("configfiles", `f${n}`);
  for (let n = 0; n < 10; n++) {
    const actions = (await client.passes("configfiles", `f${n}`)).flatMap((pass) => pass.actions);
    expect(actions.map(({ type }) => type)).toEqual(["Create"]);
  }
  const [, first] = workers;
  const ended = Date.now();
  await first?.kill("SIGTERM");
  expect(Date.now() - ended).toBeLessThan(10_000);
  writeFileSync(at("f3.conf"), "by hand\n");
  await expect.poll(() => read("f3.conf"), { timeout: 40_000 }).toBe("3\n");
  await client.converged("configfiles", "f3");
  expect(second.log()).toContain("lease of host/");
});

test("what is bound to a host is acted on only there, and without a worker there it is Stale for that reason, while the rest stays as it is", async () => {
  const far = await start("worker", { SETPOINT_HOSTNAME: "far" });
  workers.push(far);
  await client.create("configfiles", "away", { path: "away.conf", content: "away\n", host: "far" });
  await client.converged("configfiles", "away");
  const controllers = () => client.ask<ControllersAnswer>("GET", "/api/console/controllers");
  const alive = (await controllers()).workers.filter((worker) => worker.alive);
  expect(alive.map(({ host, holdsHost }) => ({ host: host === "far", holdsHost }))).toEqual(
    expect.arrayContaining([
      { host: true, holdsHost: true },
      { host: false, holdsHost: true },
    ]),
  );
  await far.kill("SIGKILL");
  await client.state("configfiles", "away", "Stale", LEASE_MS + 10_000);
  expect((await client.get("configfiles", "away")).view.message).toContain("No worker on the host far is running");
  expect((await controllers()).unowned).toEqual([{ host: "far", resources: 1 }]);
  expect(isConverged(await client.get("configfiles", "f3"))).toBe(true);
  // Its shards are taken over by the one that is left, within a renewal.
  await expect.poll(async () => (await controllers()).shards, { timeout: LEASE_MS }).toEqual({ owned: 1_024, unowned: 0, lagging: 0 });
});
