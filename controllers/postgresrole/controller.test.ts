import pg from "pg";
import { systemClock } from "@/lib/clock";
import { describeKind, edited, type KindFixture, newResource, type OutsideThing } from "@/lib/conformance/kind";
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { type RecordingProxy, startProxy } from "@/lib/conformance/proxy";
import { createPostgres, formatMark } from "@/lib/providers/postgres";
import { verifierMatches } from "@/lib/providers/postgres/password";
import type { JsonObject, Resource } from "@/lib/resource";
import postgresRole, { kind } from "./index";
import type { Observed } from "./observe";
import { inputs } from "./plan.arbitrary";
import type { PostgresRoleSpec } from "./schema";

const INSTALLATION = "test-installation";
const PASSWORD = "canary-of-the-role";
type Role = Resource<PostgresRoleSpec>;

const ROLES = `select rolname as name, rolsuper, rolcanlogin, rolinherit, rolcreatedb, rolconnlimit, rolvaliduntil::text, rolpassword as verifier,
    shobj_description(r.oid, 'pg_authid') as comment, (select array_agg(g.rolname::text || m.admin_option order by 1) from pg_auth_members m
    join pg_roles g on g.oid = m.roleid where m.member = r.oid) as groups
  from pg_authid r where rolname !~ '^pg_' order by 1`;
const ACLS = `select what, pg_get_userbyid(grantee) as who, privilege_type as p, is_grantable as g from (
    select c.oid::regclass::text as what, a.* from pg_class c, aclexplode(c.relacl) a
    union all select nspname, a.* from pg_namespace, aclexplode(nspacl) a
    union all select datname, a.* from pg_database, aclexplode(datacl) a) t where grantee <> 0 order by 1, 2, 3`;
const VERSIONS = ["authid", "auth_members", "shdescription", "database", "namespace", "class", "default_acl"]
  .map((table) => `select '${table} ' || xmin || ' ' || ctid as v from pg_${table}`)
  .join(" union all ")
  .concat(" order by 1");

/** A server with two databases, some tables and roles that are not ours, behind a recording proxy. */
class World {
  #count = 0;
  readonly #clients = new Map<string, pg.Client>();
  address = { user: "", password: "" };

  private constructor(
    readonly server: TestPostgres,
    readonly proxy: RecordingProxy,
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

  /** One statement as the superuser, on a connection per database that is kept: the kit asks often. */
  async read(sql: string, database = "postgres"): Promise<Record<string, unknown>[]> {
    const { host, port, user, password } = this.server;
    const client = this.#clients.get(database) ?? new pg.Client({ host, port, user, password, database });
    if (!this.#clients.has(database)) {
      this.#clients.set(database, client);
      await client.connect();
    }
    return (await client.query(sql)).rows;
  }

  async inventory(resource: Role): Promise<OutsideThing[]> {
    const roles = (await this.read(ROLES)).filter(({ name }) => name === resource.metadata.name || !String(name).startsWith("role-"));
    const acls = [...(await this.read(ACLS)), ...(await this.read(ACLS, "app"))];
    return Promise.all(
      roles.map(async ({ name, comment, verifier, ...state }) => ({
        id: String(name),
        ours: String(comment).includes(`"uid":"${resource.metadata.uid}"`) && String(comment).includes(INSTALLATION),
        state: JSON.parse(
          JSON.stringify({
            ...state,
            // A verifier is salted: two of one password differ, and yet nothing does.
            password:
              typeof verifier === "string" && name === resource.metadata.name ? await verifierMatches(verifier, PASSWORD) : verifier,
            marked: comment !== null,
            acl: acls.filter(({ who }) => who === name).map(({ what, p, g }) => [what, p, g]),
          }),
        ),
      })),
    );
  }

  /** Row versions of everything a write would touch. */
  async fingerprint(): Promise<string[]> {
    return [...(await this.read(VERSIONS)), ...(await this.read(VERSIONS, "app"))].map(({ v }) => String(v));
  }

  fixture(): KindFixture<PostgresRoleSpec, Observed> {
    const sql =
      (text: (role: string) => string, database = "postgres") =>
      async (resource: Role) => {
        await this.read(text(`"${resource.metadata.name}"`), database);
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
        "other attributes and another password": sql((role) => `alter role ${role} nologin createdb password 'other'`),
        "no password": sql((role) => `alter role ${role} password null`),
        "membership removed": sql((role) => `revoke readers from ${role}`),
        "memberships added": sql((role) => `grant writers to ${role}; grant readers to ${role} with admin option`),
        "grants revoked": sql((role) => `revoke select on local from ${role}; revoke connect on database app from ${role}`),
        "grants revoked elsewhere": sql(
          (role) => `revoke select on sales.orders from ${role}; revoke usage on schema sales from ${role}`,
          "app",
        ),
        "undeclared grants": sql(
          (role) => `grant truncate on sales.orders to ${role}; grant select on sales.v to ${role} with grant option`,
          "app",
        ),
        dropped: async (resource) => {
          const role = `"${resource.metadata.name}"`;
          await this.read(`drop owned by ${role}`, "app");
          await this.read(`drop owned by ${role}; drop role ${role}`);
        },
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
          arrange: async () => {
            this.address = { ...this.address, password: "wrong" };
          },
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
      inputs,
      maxActions: 4,
      canaries: [PASSWORD],
      installation: INSTALLATION,
      lookup: async (wanted, name) => (wanted === "PostgresServer" && name === "main" ? this.serverResource() : undefined),
      secret: async (name) => (name === "mine" ? PASSWORD : this.address.password),
      close: () => this.stop(),
    };
  }

  async stop(): Promise<void> {
    for (const client of this.#clients.values()) await client.end();
    await this.proxy.close();
    await this.server.stop();
  }
}

describeKind("PostgresRole", async () => (await World.start()).fixture());
