import type fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { describeKind, edited, type KindFixture, newResource, type OutsideThing } from "@/lib/conformance/kind";
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { type Proxy, startProxy } from "@/lib/conformance/proxy";
import type { PlanInput } from "@/lib/controller";
import { createPostgres, formatMark } from "@/lib/providers/postgres";
import type { JsonObject, Resource } from "@/lib/resource";
import postgresRole, { kind } from "./index";
import type { Observed } from "./observe";
import { inputs } from "./plan.arbitrary";
import type { PostgresRoleSpec } from "./schema";

const INSTALLATION = "test-installation";
const PASSWORD = "canary-of-the-role";
type Role = Resource<PostgresRoleSpec>;

/** A server with two databases, some tables and roles that are not ours, behind a recording proxy. */
class World {
  #count = 0;
  address = { user: "", password: "" };

  private constructor(
    readonly server: TestPostgres,
    readonly proxy: Proxy,
  ) {
    this.address = { user: server.user, password: server.password };
  }

  static async start(): Promise<World> {
    const server = await startPostgres();
    await server.query("create database app");
    await server.query("create schema sales", [], "app");
    await server.query(
      'create table sales.orders (id int); create table sales."od""d; drop" (id int); create view sales.v as select 1',
      [],
      "app",
    );
    await server.query("create table local (id int)");
    await server.query("create role readers; create role writers; create role bosses superuser");
    return new World(server, await startProxy(server));
  }

  serverResource(): Resource {
    const spec = { host: "127.0.0.1", port: this.proxy.port, user: this.address.user, passwordFrom: { secret: "keeper", key: "password" } };
    return newResource(
      { name: "PostgresServer", schema: { parse: (value: unknown) => value } as never },
      "main",
      spec,
    ) as unknown as Resource;
  }

  role(spec: JsonObject = {}, control: { adopt?: boolean } = {}): Role {
    const name = `role-${++this.#count}`;
    return newResource(
      kind,
      name,
      {
        server: "main",
        login: true,
        connectionLimit: 5,
        validUntil: "2031-01-01T00:00:00+01:00",
        passwordFrom: { secret: "mine", key: "password" },
        memberOf: ["readers"],
        grants: [
          { database: "app", privileges: ["CONNECT"] },
          { database: "app", schema: "sales", privileges: ["ALL"] },
          { database: "app", schema: "sales", table: 'od"d; drop', privileges: ["ALL"] },
          { database: "app", schema: "sales", allTables: true, privileges: ["SELECT"] },
          { schema: "public", table: "local", privileges: ["SELECT", "INSERT"] },
        ],
        ...spec,
      },
      { control },
    );
  }

  async inventory(resource: Role): Promise<OutsideThing[]> {
    const rows = await this.server.query(
      `select rolname, rolsuper, rolcanlogin, rolinherit, rolconnlimit, rolvaliduntil::text, rolpassword is not null as password,
         shobj_description(r.oid, 'pg_authid') as comment, (select array_agg(g.rolname::text order by 1) from pg_auth_members m
         join pg_roles g on g.oid = m.roleid where m.member = r.oid) as groups
       from pg_authid r where rolname !~ '^pg_' order by 1`,
    );
    const acls: Record<string, unknown>[] = [];
    for (const database of ["postgres", "app"])
      acls.push(
        ...(await this.server.query(
          `select c.oid::regclass::text as what, a.grantee::regrole::text as who, a.privilege_type as p, a.is_grantable as g from pg_class c,
             aclexplode(c.relacl) a where grantee <> 0 union all select nspname, a.grantee::regrole::text, a.privilege_type, a.is_grantable
             from pg_namespace, aclexplode(nspacl) a where grantee <> 0 union all select datname, a.grantee::regrole::text, a.privilege_type,
             a.is_grantable from pg_database, aclexplode(datacl) a where grantee <> 0 order by 1, 2, 3`,
          [],
          database,
        )),
      );
    return rows.map(({ rolname, comment, ...state }) => ({
      id: String(rolname),
      ours: String(comment).includes(`"uid":"${resource.metadata.uid}"`) && String(comment).includes(INSTALLATION),
      state: JSON.parse(
        JSON.stringify({
          ...state,
          marked: comment !== null,
          acl: acls.filter(({ who }) => String(who).replaceAll('"', "") === rolname).map(({ what, p, g }) => [what, p, g]),
        }),
      ),
    }));
  }

  /** Row versions of everything a write would touch. */
  async fingerprint(): Promise<string[]> {
    const versions: string[] = [];
    for (const database of ["postgres", "app"])
      for (const table of ["pg_authid", "pg_auth_members", "pg_shdescription", "pg_database", "pg_namespace", "pg_class", "pg_default_acl"])
        versions.push(
          ...(await this.server.query(`select xmin::text || ctid::text as v from ${table} order by 1`, [], database)).map(
            ({ v }) => `${table} ${v}`,
          ),
        );
    return versions;
  }

  fixture(): KindFixture<PostgresRoleSpec, Observed> {
    const sql =
      (text: (role: string) => string, database = "postgres") =>
      async (resource: Role) => {
        await this.server.query(text(`"${resource.metadata.name}"`), [], database);
      };
    const foreign = (create: (role: string) => string, reason: "NotOurs" | "Contested") => ({
      arrange: sql(create),
      reason,
      snapshot: async ({ metadata }: Role) =>
        JSON.stringify(
          await this.server.query("select xmin::text, a.*, shobj_description(oid, 'pg_authid') from pg_authid a where rolname = $1", [
            metadata.name,
          ]),
        ),
    });
    const asManager = (user: string) => () => {
      this.address = { ...this.address, user };
    };
    const asKeeper = () => {
      this.address = { user: this.server.user, password: this.server.password };
    };
    return {
      start: async () => {
        const postgres = createPostgres({ clock: systemClock, installation: INSTALLATION });
        return { controller: postgresRole({ postgres }), stop: () => postgres.close() };
      },
      resource: () => this.role(),
      starts: {
        "adopted, with other attributes": async (resource) => {
          await this.server.query(`create role "${resource.metadata.name}" createdb in role writers`);
          return { ...resource, control: { ...resource.control, adopt: true } };
        },
        "ours, bare": async ({ metadata }) => {
          const mark = formatMark({ installation: INSTALLATION, uid: metadata.uid, name: `default/${metadata.name}` });
          await this.server.query(`create role "${metadata.name}"; comment on role "${metadata.name}" is '${mark}'`);
        },
      },
      breaks: {
        "no login": sql((role) => `alter role ${role} nologin`),
        "another password": sql((role) => `alter role ${role} password 'other'`),
        "no password": sql((role) => `alter role ${role} password null`),
        "a right to make databases": sql((role) => `alter role ${role} createdb`),
        "membership removed": sql((role) => `revoke readers from ${role}`),
        "membership added": sql((role) => `grant writers to ${role}`),
        "admin option added": sql((role) => `grant readers to ${role} with admin option`),
        "grant revoked": sql((role) => `revoke select on local from ${role}`),
        "grant revoked elsewhere": sql((role) => `revoke usage on schema sales from ${role}`, "app"),
        "one table's grant revoked": sql((role) => `revoke select on sales.orders from ${role}`, "app"),
        "undeclared grant": sql((role) => `grant truncate on sales.orders to ${role}`, "app"),
        "grant option added": sql((role) => `grant select on sales.orders to ${role} with grant option`, "app"),
        "database grant revoked": sql((role) => `revoke connect on database app from ${role}`),
        dropped: sql((role) =>
          `drop owned by ${role}; drop role ${role}`.replace("drop owned", "revoke all on database app from " + role + "; drop owned"),
        ),
        "intent: other attributes": async (resource) =>
          edited(resource, { login: false, connectionLimit: -1, memberOf: ["writers"], grants: [] }),
      },
      faults: {
        unreachable: {
          reason: "Unreachable",
          strikes: "converged",
          arrange: async () => this.proxy.refuse(true),
          repair: async () => this.proxy.refuse(false),
        },
        "wrong password": {
          reason: "AccessDenied",
          arrange: async () => void (this.address = { ...this.address, password: "wrong" }),
          repair: async () => asKeeper(),
        },
        "no right to make roles": {
          reason: "AccessDenied",
          arrange: async () => {
            await this.server.query(`create role weak login password '${this.server.password}'`);
            asManager("weak")();
          },
          repair: async () => asKeeper(),
        },
        "too many connections": {
          reason: "Throttled",
          arrange: async () => {
            await this.server.query(`create role narrow login createrole connection limit 0 password '${this.server.password}'`);
            asManager("narrow")();
          },
          repair: async () => asKeeper(),
        },
        "missing table": {
          reason: "DependencyNotReady",
          arrange: async (resource) => edited(resource, { grants: [{ schema: "public", table: "later", privileges: ["SELECT"] }] }),
          repair: async () => void (await this.server.query("create table later (id int)")),
        },
        "missing database": {
          reason: "DependencyNotReady",
          arrange: async (resource) => edited(resource, { grants: [{ database: "nowhere", schema: "public", privileges: ["USAGE"] }] }),
        },
        "member of a superuser": { reason: "Rejected", arrange: async (resource) => edited(resource, { memberOf: ["bosses"] }) },
        "missing server": { reason: "DependencyNotReady", arrange: async (resource) => edited(resource, { server: "nothing" }) },
        "a circle of memberships": {
          reason: "Rejected",
          arrange: async (resource) => {
            await this.server.query(`create role "around-${resource.metadata.name}"`);
            await this.server.query(
              `create role "${resource.metadata.name}"; grant "${resource.metadata.name}" to "around-${resource.metadata.name}"`,
            );
            const adopting = { ...resource, control: { ...resource.control, adopt: true } };
            return edited(adopting, { memberOf: [`around-${resource.metadata.name}`] });
          },
        },
      },
      foreign: {
        unmarked: foreign((role) => `create role ${role} login`, "NotOurs"),
        "a superuser": foreign((role) => `create role ${role} superuser`, "NotOurs"),
        "somebody else's": foreign(
          (role) => `create role ${role}; comment on role ${role} is '${formatMark({ installation: "other", uid: "u", name: "a/b" })}'`,
          "Contested",
        ),
      },
      inventory: (resource) => this.inventory(resource),
      fingerprint: () => this.fingerprint(),
      inputs: inputs as fc.Arbitrary<PlanInput<PostgresRoleSpec, Observed>>,
      maxActions: 4,
      canaries: [PASSWORD],
      installation: INSTALLATION,
      lookup: async (wanted, name) => (wanted === "PostgresServer" && name === "main" ? this.serverResource() : undefined),
      secret: async (name) => (name === "mine" ? PASSWORD : this.address.password),
      close: () => this.stop(),
    };
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    await this.server.stop();
  }
}

describeKind("PostgresRole", async () => (await World.start()).fixture());

void [afterAll, beforeAll, describe, expect, test];
