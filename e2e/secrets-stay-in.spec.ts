/** A secret goes in and never comes out: not in an answer, a log, a command line, an error, the store's files, or what is sent to a server. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import pg from "pg";
import { expect, test } from "playwright/test";
import { API, Client } from "./client";
import { type Server, startServer, until } from "./server";
import { declareTarget, startTarget, type Target } from "./target";

/** One for a sign-in that works, one that is refused, one for a role, and one that is never used. */
const canary = () => `canary-${randomBytes(12).toString("hex")}`;
const [refused, own, unused] = [canary(), canary(), canary()];
const PLURALS = ["secrets", "postgresservers", "postgresroles"];

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

/** The value as itself and as it may be dressed up. */
function leaksOf(text: string | Buffer): string[] {
  const hay = Buffer.isBuffer(text) ? text : Buffer.from(text);
  const found: string[] = [];
  for (const value of [refused, own, unused, target.postgres.password]) {
    const bytes = Buffer.from(value);
    // Base64 of the middle, at each of its three alignments.
    const base64 = [0, 1, 2].map((skip) => bytes.subarray(skip, skip + 21).toString("base64"));
    const dresses = [value, bytes.toString("hex"), bytes.toString("hex").toUpperCase(), ...base64, [...value].reverse().join("")];
    if (dresses.some((dress) => hay.includes(dress))) found.push(value);
  }
  return found;
}

test("a canary in a Secret shows up nowhere that anybody can look", async () => {
  const { postgres, proxy } = target;
  const heard = listen(`${API}/secrets?watch=true`, "/api/console/stream");
  await declareTarget(client, target);
  await client.create("secrets", "canaries", { values: { refused, own, unused } });
  const address = { host: postgres.host, port: proxy.port, user: postgres.user };
  await client.create("postgresservers", "refused", { ...address, passwordFrom: { secret: "canaries", key: "refused" } });
  await client.create("postgresroles", "reader", { server: "main", login: true, passwordFrom: { secret: "canaries", key: "own" } });
  await client.create("postgresroles", "lost", { server: "refused", passwordFrom: { secret: "canaries", key: "own" } });
  await client.converged("postgresroles", "reader");
  const failed = await client.waitFor("postgresservers", "refused", "refused", ({ status }) => status?.reason === "AccessDenied");
  expect(failed.status?.message).toContain("password authentication failed");
  await client.waitFor("postgresroles", "lost", "refused", ({ status }) => (status?.attempts ?? 0) > 0);
  // It is really used: the role can sign in with it.
  const session = new pg.Client({ host: postgres.host, port: postgres.port, database: "postgres", user: "reader", password: own });
  await session.connect();
  await session.end();
  // Changed, so that there is a diff of it; and mistaken in ways that quote what they refuse elsewhere.
  const answers = [
    await client.send("PATCH", client.path("secrets", "canaries"), { spec: { values: { unused: `${unused}-changed` } } }),
    await client.send("PATCH", client.path("secrets", "canaries"), { spec: { values: { unused: { nested: unused } } } }),
    await client.send("PATCH", client.path("secrets", "canaries"), { spec: { values: [unused] } }),
    await client.send("PATCH", client.path("secrets", "canaries"), { spec: { value: { unused } } }),
    await client.send("POST", client.path("secrets"), `{"metadata":{"name":"x"},"spec":{"values":{"a":"${unused}}}`),
    await client.send("POST", client.path("secrets"), { metadata: { name: "x" }, spec: { values: { a: `${unused}\u0000` } } }),
    await client.send("POST", client.path("secrets", "canaries", "plan"), { spec: { values: { unused: `${unused}-other` } } }),
    await client.send("POST", `${client.path("secrets")}?dryRun=All`, { metadata: { name: "trial" }, spec: { values: { a: unused } } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 422, 422, 400, 422, 200, 201]);
  for (const { text } of answers) expect(leaksOf(text), text).toEqual([]);

  const objects = (await Promise.all(PLURALS.map((plural) => client.list(plural)))).flatMap(({ items }, index) =>
    items.map(({ metadata }) => [PLURALS[index] ?? "", metadata.name] as const),
  );
  const paths = [
    ...objects.flatMap(([plural, name]) =>
      [undefined, "plan", "control", "revisions", "events", "passes"].map((part) => client.path(plural, name, part)),
    ),
    ...PLURALS.flatMap((plural) => [client.path(plural), `${API}/${plural}`]),
    ...["me", "kinds", "resources", "resources?q=canary", "overview", "controllers", "users"].map((page) => `/api/console/${page}`),
  ];
  for (const at of paths) {
    const { status, text } = await client.send("GET", at);
    expect(status, at).toBe(200);
    expect(leaksOf(text), at).toEqual([]);
  }
  const shown = await client.get("secrets", "canaries");
  expect(shown.spec.values).toEqual({
    refused: { digest: expect.any(String) },
    own: { digest: expect.any(String) },
    unused: { digest: expect.any(String) },
  });
  // An object can be sent back as it was read: digests keep the values.
  await client.replace("secrets", shown);
  expect((await client.get("secrets", "canaries")).metadata.generation).toBe(shown.metadata.generation);

  await until(() => heard.text().includes("canaries"), 10_000, "the streams did not tell of it");
  heard.stop();
  expect(leaksOf(heard.text())).toEqual([]);
  expect(leaksOf(server.log())).toEqual([]);
});

test("no process carries it in its arguments or environment, and no statement or log of the server it is for", async () => {
  for (const { pid, text } of processesOf()) expect(leaksOf(text), `process ${pid}`).toEqual([]);
  expect(target.proxy.statements.some((statement) => /password/i.test(statement))).toBe(true);
  expect(leaksOf(target.proxy.statements.join("\n"))).toEqual([]);
  const [row] = await target.postgres.query("select rolpassword from pg_authid where rolname = 'reader'");
  expect(row?.rolpassword).toMatch(/^SCRAM-SHA-256\$/);
});

test("it is encrypted at rest: no file of the data folder holds it, the store's journal included", async () => {
  await server.kill("SIGTERM");
  let files = 0;
  for (const entry of readdirSync(server.dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    expect(leaksOf(readFileSync(file)), file).toEqual([]);
    files += 1;
  }
  expect(files).toBeGreaterThan(500);
});

/** Follows streams until `stop`, and keeps all that they say. */
function listen(...paths: string[]) {
  const controller = new AbortController();
  let text = "";
  const follow = async (at: string) => {
    const headers = { authorization: `Bearer ${server.token}`, accept: at.startsWith(API) ? "application/json" : "text/event-stream" };
    const response = await fetch(server.url + at, { headers, signal: controller.signal });
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
  };
  for (const at of paths)
    follow(at).catch((error: unknown) => {
      if (!controller.signal.aborted) text += `\nthe stream ${at} ended: ${error}`;
    });
  return { text: () => text, stop: () => controller.abort() };
}

/** Arguments and environment of every process that belongs to the product. */
function processesOf(): { pid: number; text: string }[] {
  const found: { pid: number; text: string }[] = [];
  for (const pid of readdirSync("/proc").map(Number)) {
    if (!(pid > 0) || pid === process.pid) continue;
    try {
      const text = ["cmdline", "environ"].map((part) => readFileSync(`/proc/${pid}/${part}`, "utf8")).join("\n");
      if (pid === server.pid || text.includes(server.dataDir)) found.push({ pid, text });
    } catch {
      // It ended while it was looked at, or is somebody else's.
    }
  }
  return found;
}
