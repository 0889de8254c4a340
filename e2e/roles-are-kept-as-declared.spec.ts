/** PostgreSQL roles: what is changed by hand, as psql would, is seen by field and corrected; what is not ours is never touched. */
import { expect, test } from "playwright/test";
import { Client } from "./client";
import { type Server, startServer } from "./server";
import { declareTarget, startTarget, type Target } from "./target";

let server: Server;
let client: Client;
let target: Target;
test.beforeAll(async () => {
  target = await startTarget();
  server = await startServer();
  client = new Client(server.url, server.token);
  await target.postgres.query("create database app");
  await target.postgres.query("create table orders (id int)", [], "app");
  await target.postgres.query("create table secrets (id int)", [], "app");
  await declareTarget(client, target);
});
test.afterAll(async () => {
  await server?.stop();
  await target?.stop();
});

const reader = {
  server: "main",
  login: true,
  memberOf: ["pg_monitor"],
  grants: [
    { database: "app", privileges: ["CONNECT"] },
    { database: "app", schema: "public", table: "orders", privileges: ["SELECT", "INSERT"] },
  ],
};

const held = (table: string) =>
  target.postgres
    .query(
      "select privilege_type from information_schema.role_table_grants where grantee = 'reader' and table_name = $1 order by 1",
      [table],
      "app",
    )
    .then((rows) => rows.map(({ privilege_type }) => privilege_type));
const groups = async () => {
  const rows = await target.postgres.query(
    "select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid join pg_roles r on r.oid = m.member where r.rolname = 'reader'",
  );
  return rows.map(({ rolname }) => rolname);
};

test("a role revoked by hand is seen as drift with exactly the field, held in dry-run, and corrected in Auto", async () => {
  await client.create("postgresroles", "reader", reader);
  await client.converged("postgresroles", "reader");
  expect(await held("orders")).toEqual(["INSERT", "SELECT"]);
  expect(await groups()).toEqual(["pg_monitor"]);

  await client.control("postgresroles", "reader", { mode: "DryRun" });
  await target.postgres.query("revoke pg_monitor from reader");
  await target.postgres.query("revoke insert on orders from reader; grant select on secrets to reader", [], "app");
  await client.waitFor("postgresroles", "reader", "drifted", ({ status }) => status?.drift?.count === 3, 60_000);
  const { drift, actions } = await client.plan("postgresroles", "reader");
  const fields = Object.fromEntries(drift.map(({ path, desired, actual }) => [path, { desired, actual }]));
  expect(fields["spec.memberOf"]).toEqual({ desired: ["pg_monitor"], actual: [] });
  const [orders, secrets] = ["orders", "secrets"].map((table) => Object.entries(fields).find(([path]) => path.includes(table))?.[1]);
  expect(orders).toEqual({ desired: ["INSERT", "SELECT"], actual: ["SELECT"] });
  expect(secrets).toEqual({ desired: undefined, actual: ["SELECT"] });
  expect(actions.length).toBeGreaterThan(0);
  expect(await groups()).toEqual([]);

  await client.control("postgresroles", "reader", { mode: "Auto" });
  await client.converged("postgresroles", "reader");
  expect(await groups()).toEqual(["pg_monitor"]);
  expect(await held("orders")).toEqual(["INSERT", "SELECT"]);
  expect(await held("secrets")).toEqual([]);
});

test("dropped by hand, it is made again whole; attributes changed by hand come back", async () => {
  await client.converged("postgresroles", "reader");
  await target.postgres.query("drop owned by reader", [], "app");
  await target.postgres.query("drop owned by reader");
  await target.postgres.query("drop role reader");
  await client.reconcile("postgresroles", "reader");
  const made = async () => (await target.postgres.query("select rolcanlogin, rolcreatedb from pg_roles where rolname = 'reader'"))[0];
  await expect.poll(made, { timeout: 30_000 }).toEqual({ rolcanlogin: true, rolcreatedb: false });
  await client.converged("postgresroles", "reader");
  expect(await held("orders")).toEqual(["INSERT", "SELECT"]);
  await target.postgres.query("alter role reader nologin createdb");
  await client.reconcile("postgresroles", "reader");
  await expect.poll(made, { timeout: 30_000 }).toEqual({ rolcanlogin: true, rolcreatedb: false });
});

test("a role that is not ours is left exactly as it is, reported, and taken over only when asked", async () => {
  await target.postgres.query("create role stranger nologin connection limit 9; comment on role stranger is 'made by hand'");
  const before = await target.postgres.query("select xmin::text, * from pg_authid where rolname = 'stranger'");
  await client.create("postgresroles", "stranger", { server: "main", login: true });
  const refused = await client.waitFor("postgresroles", "stranger", "refused", ({ status }) => status?.reason === "NotOurs");
  expect(refused.view).toMatchObject({ state: "Failed", nextAttemptAt: expect.any(String) });
  expect(await target.postgres.query("select xmin::text, * from pg_authid where rolname = 'stranger'")).toEqual(before);

  await client.control("postgresroles", "stranger", { adopt: true });
  await client.converged("postgresroles", "stranger");
  const [row] = await target.postgres.query("select rolcanlogin, rolconnlimit from pg_roles where rolname = 'stranger'");
  expect(row).toEqual({ rolcanlogin: true, rolconnlimit: -1 });
});

test("a superuser and the role that Setpoint connects as are never touched, adopt or not", async () => {
  await target.postgres.query("create role root superuser login");
  const snapshot = () => target.postgres.query("select xmin::text, * from pg_authid where rolname in ('root', 'keeper') order by rolname");
  const before = await snapshot();
  for (const name of ["root", "keeper"]) {
    await client.create("postgresroles", name, { server: "main", login: false }, { control: { adopt: true } });
    const refused = await client.waitFor("postgresroles", name, "refused", ({ status }) => (status?.attempts ?? 0) > 0);
    expect(refused.view.state).not.toBe("Converged");
    await client.remove("postgresroles", name);
  }
  expect(await snapshot()).toEqual(before);
});

test("a role that owns something is not dropped: it says what blocks, and goes once that is gone", async () => {
  await client.create("postgresroles", "owner", { server: "main", grants: [{ database: "app", schema: "public", privileges: ["ALL"] }] });
  await client.converged("postgresroles", "owner");
  await target.postgres.query("create table kept (id int); alter table kept owner to owner", [], "app");
  await client.ask("DELETE", client.path("postgresroles", "owner"));
  const blocked = await client.waitFor("postgresroles", "owner", "blocked", ({ status }) => status?.reason === "InUse");
  expect(blocked.status?.message).toContain("kept");
  expect(await target.postgres.query("select count(*)::int as n from pg_roles where rolname = 'owner'")).toEqual([{ n: 1 }]);
  await target.postgres.query("drop table kept", [], "app");
  await client.untilGone("postgresroles", "owner", 60_000);
  expect(await target.postgres.query("select count(*)::int as n from pg_roles where rolname = 'owner'")).toEqual([{ n: 0 }]);
});

test("the server and the secret that a role needs cannot be taken from under it", async () => {
  await client.converged("postgresroles", "reader");
  for (const [plural, name] of [
    ["postgresservers", "main"],
    ["secrets", "main-login"],
  ] as const) {
    const { status, text } = await client.send("DELETE", client.path(plural, name));
    expect(status, text).toBe(409);
    expect((await client.get(plural, name)).metadata.deletionTimestamp).toBeUndefined();
  }
});
