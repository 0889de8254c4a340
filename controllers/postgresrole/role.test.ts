import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { deletionOf, newResource } from "@/lib/conformance/kind";
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { type RecordingProxy, startProxy } from "@/lib/conformance/proxy";
import type { BaseContext, Plan } from "@/lib/controller";
import { createPostgres, formatMark, type Postgres } from "@/lib/providers/postgres";
import { driftOf, type JsonObject, type Resource } from "@/lib/resource";
import postgresRole, { kind } from "./index";
import type { RoleAction } from "./plan";
import { check, type PostgresRoleSpec, schema } from "./schema";

let server: TestPostgres;
let proxy: RecordingProxy;
let postgres: Postgres;
let controller: ReturnType<typeof postgresRole>;

beforeAll(async () => {
  server = await startPostgres();
  proxy = await startProxy(server);
  postgres = createPostgres({ clock: systemClock, installation: "here" });
  controller = postgresRole({ postgres });
  await server.query("create database shop");
  await server.query("create table orders (id int)", [], "shop");
});
afterAll(async () => {
  await postgres.close();
  await proxy.close();
  await server.stop();
});

type Role = Resource<PostgresRoleSpec>;
const roleOf = (name: string, spec: object = {}, options = {}): Role => newResource(kind, name, { server: "main", ...spec }, options);

function context(): BaseContext {
  const spec = { host: "127.0.0.1", port: proxy.port, user: server.user, passwordFrom: { secret: "keeper", key: "password" } };
  return {
    signal: AbortSignal.timeout(30_000),
    now: () => systemClock.now(),
    installation: "here",
    lookup: async (wanted, name) =>
      wanted === "PostgresServer" && name === "main" ? { ...roleOf("main"), kind: "PostgresServer", spec } : undefined,
    secret: async () => server.password,
  };
}

async function look(resource: Role): Promise<Plan<RoleAction>> {
  const deleting = resource.metadata.deletionTimestamp !== undefined;
  const observed = await controller.observe(resource, { ...context(), purpose: "observe" });
  return controller.plan({ resource, observed, now: 0, deleting });
}

/** Passes until there is nothing to do; what was done, in words. */
async function settle(resource: Role): Promise<string[]> {
  const words: string[] = [];
  for (;;) {
    const { actions } = await look(resource);
    const [action] = actions;
    if (!action) return words;
    await controller.apply(action, resource, { ...context(), purpose: "apply", idempotencyKey: "k" });
    words.push(action.message);
    expect(words.length).toBeLessThan(6);
  }
}

test("actions say in words what they change", async () => {
  const grants = [
    { database: "shop", privileges: ["CONNECT"] },
    { database: "shop", schema: "public", table: "orders", privileges: ["SELECT"] },
  ];
  expect(await settle(roleOf("reader", { login: true, grants }))).toEqual([
    "Create the role: set login to true; grant CONNECT on shop",
    "In database shop: grant SELECT on shop.public.orders",
  ]);
});

test("ALL, what PUBLIC has and default privileges are no drift, and a converged role is looked at without a write", async () => {
  const grants = [
    { database: "shop", privileges: ["ALL"] },
    { database: "shop", schema: "public", privileges: ["ALL"] },
    { database: "shop", schema: "public", table: "orders", privileges: ["ALL"] },
  ];
  const resource = roleOf("everything", { grants });
  await settle(resource);
  await server.query("grant create on schema public to public; grant insert on orders to public", [], "shop");
  await server.query("alter default privileges grant select on tables to public", [], "shop");
  await server.query("create table later (id int)", [], "shop");
  proxy.forget();
  const plan = await look(resource);
  expect(driftOf(plan.fields)).toEqual([]);
  expect(plan.actions).toEqual([]);
  expect(proxy.writes()).toEqual([]);
  const table = plan.fields.find((field) => field.path === "spec.grants[shop.public.orders]");
  expect(table?.desired).toContain("MAINTAIN");
});

test("a revoke, NOLOGIN and a lost membership by hand are seen as drift, by field, and corrected", async () => {
  await server.query("create role crew");
  const grants = [{ database: "shop", schema: "public", table: "orders", privileges: ["SELECT", "INSERT"] }];
  const resource = roleOf("sailor", { login: true, memberOf: ["crew"], grants });
  await settle(resource);
  await server.query("alter role sailor nologin; revoke crew from sailor");
  await server.query("revoke insert on orders from sailor", [], "shop");
  expect(driftOf((await look(resource)).fields)).toEqual([
    { path: "spec.login", desired: true, actual: false },
    { path: "spec.memberOf", desired: ["crew"], actual: [] },
    { path: "spec.grants[shop.public.orders]", desired: ["INSERT", "SELECT"], actual: ["SELECT"] },
  ]);
  expect(await settle(resource)).toHaveLength(2);
  expect(driftOf((await look(resource)).fields)).toEqual([]);
});

test("a role that owns something is not dropped and keeps its privileges; the message names what blocks", async () => {
  const grants = [{ database: "shop", schema: "public", table: "orders", privileges: ["SELECT"] }];
  const resource = roleOf("owner", { login: true, grants });
  await settle(resource);
  await server.query("create table mine (id int); alter table mine owner to owner", [], "shop");
  const deletion = deletionOf(resource);
  const plan = await look(deletion);
  expect(plan.actions).toEqual([]);
  expect(plan.blocked?.reason).toBe("InUse");
  expect(plan.blocked?.message).toContain("owner of table mine in database shop");
  expect(await server.query("select has_table_privilege('owner', 'orders', 'select') as has", [], "shop")).toEqual([{ has: true }]);
  await server.query("drop table mine", [], "shop");
  expect(await settle(deletion)).toEqual(["In database shop: revoke SELECT on shop.public.orders", "drop role owner"]);
  expect(await server.query("select from pg_roles where rolname = 'owner'")).toEqual([]);
});

test("the role Setpoint connects as, superusers and another resource's role are refused even when adopted", async () => {
  const adopt = { control: { adopt: true } };
  await server.query(`create role chief superuser; create role theirs`);
  await server.query(`comment on role theirs is '${formatMark({ installation: "here", uid: "x", name: "elsewhere/theirs" })}'`);
  expect((await look(roleOf(server.user, {}, adopt))).blocked?.reason).toBe("NotOurs");
  expect((await look(roleOf("chief", {}, adopt))).blocked?.reason).toBe("NotOurs");
  const contested = (await look(roleOf("theirs", {}, adopt))).blocked;
  expect([contested?.reason, contested?.message]).toEqual(["Contested", expect.stringContaining("elsewhere/theirs")]);
});

test("combinations that make no sense are refused at admission, by field", () => {
  const faults = (spec: JsonObject) => check(schema.parse({ server: "main", ...spec })).map(({ field }) => field);
  expect(faults({ grants: [{ table: "t", privileges: ["SELECT"] }] })).toContain("grants.0.schema");
  expect(faults({ grants: [{ schema: "s", table: "t", allTables: true, privileges: ["SELECT"] }] })).toContain("grants.0.allTables");
  expect(faults({ grants: [{ schema: "s", privileges: ["SELECT"] }] })).toEqual(["grants.0.privileges"]);
  expect(faults({ grants: [{ privileges: ["ALL", "CONNECT"] }] })).toEqual(["grants.0.privileges"]);
  expect(faults({ name: "pg_x" })).toEqual(["name"]);
  expect(faults({ memberOf: ["a", "a"] })).toEqual(["memberOf.1"]);
  expect(faults({ memberOf: ["pg_write_server_files"] })).toEqual(["memberOf.0"]);
  expect(faults({ name: "x".repeat(40) + "é".repeat(20) })).toEqual(["name"]);
  expect(() => schema.parse({ server: "main", superuser: true })).toThrow("superuser");
  expect(check(schema.parse(kind.example))).toEqual([]);
});
