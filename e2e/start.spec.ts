/** Starting, stopping and crashing, as the person at the terminal sees it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, test } from "playwright/test";
import { type Server, startServer } from "./server";

const ROOT = path.resolve(import.meta.dirname, "..");
const REPLICA_SETS = "/apis/setpoint.dev/v1alpha1/namespaces/default/replicasets";

let server: Server;
test.beforeAll(async () => {
  server = await startServer();
});
test.afterAll(() => server?.stop());

const ask = (url: string, init: RequestInit = {}) => fetch(url, { ...init, headers: { authorization: `Bearer ${server.token}` } });

/** Runs `npm start` with this environment until it ends by itself. */
async function startAndFail(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ["lib/setup/start.mjs"], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_ENV: "production", ...env },
  });
  let output = "";
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  await once(child, "close");
  return { code: child.exitCode, output };
}

test("a second process on the same data folder is refused, told by whom, and harms nothing", async () => {
  const second = await startAndFail({ PORT: "0", SETPOINT_DATA_DIR: server.dataDir });
  expect(second.code).toBe(1);
  expect(second.output).toContain(`The data folder ${server.dataDir} is in use by another Setpoint process: pid ${server.pid}, started `);
  expect((await ask(server.url + REPLICA_SETS)).status).toBe(200);
});

test("a port in use is said plainly, with the process that has the data folder", async () => {
  const second = await startAndFail({ PORT: String(server.port), SETPOINT_DATA_DIR: server.dataDir });
  expect(second.code).toBe(1);
  expect(second.output).toContain(`127.0.0.1:${server.port} is in use`);
  expect(second.output).toContain(`pid ${server.pid}`);
  expect(second.output).not.toContain("    at ");
});

test("every mistake in the configuration is listed at once, and nothing is started", async () => {
  const failed = await startAndFail({
    PORT: "0",
    SETPOINT_ROLE: "boss",
    SETPOINT_NOTIFY: "perhaps",
    SETPOINT_ADMIN_PASSWORD: "short",
    SETPOINT_DEMOO: "1",
  });
  expect(failed.code).toBe(1);
  for (const name of ["SETPOINT_ROLE", "SETPOINT_NOTIFY", "SETPOINT_ADMIN_PASSWORD", "SETPOINT_ADMIN_EMAIL"])
    expect(failed.output).toContain(name);
  expect(failed.output).toContain("did you mean SETPOINT_DEMO?");
  expect(failed.output.match(/The configuration has/g)).toHaveLength(1);
});

test("SIGTERM ends it within 10 seconds although an event stream is open, and takes its PostgreSQL along", async () => {
  const stream = await ask(`${server.url}${REPLICA_SETS}?watch=true`);
  expect(stream.status).toBe(200);
  const start = Date.now();
  await server.kill("SIGTERM");
  expect(Date.now() - start).toBeLessThan(10_000);
  await stream.text().catch(() => "cut");
  server = await startServer({ dataDir: server.dataDir });
  expect(server.log()).not.toContain("Adopted");
});

test("after kill -9 the next start adopts the PostgreSQL that was left, and what was acknowledged is there", async () => {
  const object = {
    apiVersion: "setpoint.dev/v1alpha1",
    kind: "Secret",
    metadata: { name: "kept" },
    spec: { values: { word: "kept-by-the-store" } },
  };
  const secrets = REPLICA_SETS.replace("replicasets", "secrets");
  const created = await fetch(server.url + secrets, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(object),
  });
  expect(created.status).toBe(201);
  await server.kill("SIGKILL");
  server = await startServer({ dataDir: server.dataDir });
  expect(server.log()).toContain("Adopted the embedded PostgreSQL");
  expect((await ask(`${server.url}${secrets}/kept`)).status).toBe(200);
});
