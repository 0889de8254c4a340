/** What is as declared is left alone: looking again writes nothing, neither outside nor into its own report. */
import { statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "playwright/test";
import { Client } from "./client";
import { instancesOf } from "./instances";
import { type Server, startServer } from "./server";
import { declareTarget, startTarget, type Target } from "./target";

const OBJECTS = [
  ["replicasets", "web"],
  ["configfiles", "app"],
  ["postgresroles", "reader"],
  ["postgresservers", "main"],
  ["secrets", "main-login"],
] as const;

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

/** Everything that a write of any kind would change. */
async function world() {
  const objects = await Promise.all(OBJECTS.map(([plural, name]) => client.get(plural, name)));
  const { ino, mtimeMs, ctimeMs } = statSync(path.join(server.dataDir, "files", "app.conf"));
  const roles = await target.postgres.query(
    `select a.xmin::text, d.xmin::text as comment_xmin from pg_authid a join pg_shdescription d on d.objoid = a.oid where rolname = 'reader'`,
  );
  const grants = await target.postgres.query("select xmin::text from pg_database where datname = 'postgres'");
  return {
    versions: objects.map(({ metadata }) => metadata.resourceVersion),
    reports: objects.map(({ status }) => status),
    newest: (await client.list("secrets")).metadata.resourceVersion,
    passes: (await Promise.all(OBJECTS.map(([plural, name]) => client.passes(plural, name)))).map((list) => list.map(({ id }) => id)),
    events: await Promise.all(OBJECTS.map(([plural, name]) => client.events(plural, name))),
    file: { ino, mtimeMs, ctimeMs },
    instances: instancesOf(objects[0]?.metadata.uid ?? ""),
    ...{ roles, grants },
  };
}

/** Waits for a look that began after `since`. */
async function looked(plural: string, name: string, since: number): Promise<number> {
  const { freshness } = await client.waitFor(
    plural,
    name,
    "looked at again",
    (object) => Date.parse(object.freshness.observedAt ?? "") > since,
    60_000,
  );
  return Date.parse(freshness.observedAt ?? "");
}

test("a converged resource reconciled twice makes zero writes and has no new resourceVersion", async () => {
  await declareTarget(client, target);
  await client.create("replicasets", "web", { replicas: 2, template: { command: ["sample-service"], stopGraceSeconds: 2 } });
  await client.create("configfiles", "app", { path: "app.conf", content: "listen = 8080\n", mode: "0640" });
  const grants = [{ database: "postgres", privileges: ["CONNECT", "TEMPORARY"] }];
  await client.create("postgresroles", "reader", { server: "main", login: true, connectionLimit: 5, memberOf: ["pg_monitor"], grants });
  for (const [plural, name] of OBJECTS) await client.converged(plural, name);
  expect(target.proxy.writes().length).toBeGreaterThan(0);

  const before = await world();
  target.proxy.forget();
  for (let round = 0; round < 2; round++) {
    for (const [plural, name] of OBJECTS) {
      const asked = Date.now();
      await client.reconcile(plural, name);
      await looked(plural, name, asked);
    }
  }
  expect(await world()).toEqual(before);
  expect(target.proxy.statements.length).toBeGreaterThan(0);
  expect(target.proxy.writes()).toEqual([]);
});

test("two resyncs of its own accord leave no trace either", async () => {
  const before = await world();
  for (const [plural, name] of OBJECTS.slice(0, 2)) {
    const first = await looked(plural, name, Date.now());
    await looked(plural, name, first);
  }
  expect(await world()).toEqual(before);
});
