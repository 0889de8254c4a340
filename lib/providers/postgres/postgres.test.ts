import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { type RecordingProxy, startProxy } from "@/lib/conformance/proxy";
import { createPostgres, type LookRequest, type Postgres, parseMark, type RoleChange, type Target } from "./index";

let server: TestPostgres;
let proxy: RecordingProxy;
let postgres: Postgres;

beforeAll(async () => {
  server = await startPostgres();
  proxy = await startProxy(server);
  postgres = createPostgres({ clock: systemClock, installation: "here" });
});
afterAll(async () => {
  await postgres.close();
  await proxy.close();
  await server.stop();
});

const options = (ms = 20_000) => ({ signal: AbortSignal.timeout(ms) });
const target = (more: Partial<Target> = {}): Target => ({
  ...{ host: "127.0.0.1", port: proxy.port, user: server.user, password: server.password, database: "postgres", tls: false, ...more },
});
const request = (role: string, more: Partial<LookRequest> = {}): LookRequest => ({
  ...{ role, roles: [], objects: [], schemas: [], forDrop: false, uid: "u", ...more },
});
const wanted = (role: string, more: Partial<RoleChange> = {}): RoleChange => ({
  ...{ database: "postgres", role, owner: { uid: "u", name: "ns/r" }, expect: "create", attributes: {}, mark: true },
  ...{ join: [], leave: [], unadmin: [], grants: [], drop: false, ...more },
});
const reason = (work: Promise<unknown>) =>
  work.then(
    () => "none",
    (thrown) => `${thrown.reason}: ${thrown.message}`,
  );

describe("faults of the way to the server", () => {
  test("each has its own reason, and no message holds the password", async () => {
    const words = [
      await reason(postgres.server(target({ port: 1 }), options())),
      await reason(postgres.server(target({ host: "no-such-host.invalid" }), options())),
      await reason(postgres.server(target({ password: "wrong-canary" }), options())),
      await reason(postgres.server(target({ password: undefined }), options())),
      await reason(postgres.server(target({ database: "nowhere" }), options())),
      await reason(postgres.server(target({ tls: "require" }), options())),
    ];
    expect(words.map((text) => text.split(":")[0])).toEqual([
      ...["Unreachable", "Unreachable", "AccessDenied", "AccessDenied", "DependencyNotReady", "Unreachable"],
    ]);
    for (const text of words) expect(text).not.toMatch(/canary|postgresql:\/\//);
  });

  test("a server that does not answer ends at the caller's deadline", async () => {
    await postgres.server(target(), options());
    proxy.mute(true);
    expect(await reason(postgres.server(target(), options(300)))).toMatch(/^(TargetTimeout|Unreachable)/);
    proxy.mute(false);
    proxy.cut();
    expect(await reason(postgres.server(target(), options()))).toBe("none");
  });

  test("a restart, a kill and ended backends under idle connections end nothing here, and it is reached again", async () => {
    for (const trouble of [
      () => server.restart(),
      async () => {
        await server.kill();
        await server.restart();
      },
      async () => void (await server.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'setpoint'")),
    ]) {
      await postgres.server(target(), options());
      await trouble();
      const deadline = systemClock.monotonic() + 20_000;
      while ((await reason(postgres.server(target(), options()))) !== "none") expect(systemClock.monotonic()).toBeLessThan(deadline);
    }
  });

  test("thirty calls at once use no more than four connections", async () => {
    const before = proxy.connections;
    await Promise.all(Array.from({ length: 30 }, () => postgres.server(target(), options())));
    expect(proxy.connections - before).toBeLessThanOrEqual(4);
  });
});

describe("looking and changing", () => {
  test("looking sends no statement that can change something", async () => {
    proxy.forget();
    await postgres.look(
      target(),
      request("nobody-there", { forDrop: true, roles: ["x"], objects: [{ database: "postgres", schema: "public" }] }),
      options(),
    );
    expect(proxy.statements.length).toBeGreaterThan(3);
    expect(proxy.writes()).toEqual([]);
  });

  test("the role can sign in with the password it was given, which is in no statement", async () => {
    proxy.forget();
    await postgres.change(target(), wanted("signer", { attributes: { login: true }, password: "canary-pässword" }), options());
    expect(proxy.statements.join()).not.toContain("canary");
    expect(await reason(postgres.server(target({ user: "signer", password: "canary-pässword" }), options()))).toBe("none");
    const { role } = await postgres.look(target(), request("signer", { password: "canary-pässword" }), options());
    expect(role?.passwordMatches).toBe(true);
  });

  test("a change that fails half-way leaves nothing", async () => {
    const grants: RoleChange["grants"] = [{ do: "grant", privileges: ["SELECT"], database: "postgres", schema: "public", table: "absent" }];
    expect(await reason(postgres.change(target(), wanted("half", { grants }), options()))).toMatch(/^DependencyNotReady/);
    expect(await server.query("select from pg_roles where rolname = 'half'")).toEqual([]);
  });

  test("what appeared since the look is not touched: unmarked, a superuser, our own role", async () => {
    await server.query("create role unmarked; create role chief superuser");
    for (const drop of [false, true]) {
      expect(await reason(postgres.change(target(), wanted("unmarked", { drop }), options()))).toMatch(/^NotOurs/);
      expect(await reason(postgres.change(target(), wanted("chief", { drop, expect: "adopt" }), options()))).toMatch(/^NotOurs/);
      expect(await reason(postgres.change(target(), wanted(server.user, { drop, expect: "adopt" }), options()))).toMatch(/^NotOurs/);
      expect(await reason(postgres.change(target(), wanted("pg_monitor", { drop, expect: "adopt" }), options()))).toMatch(/^NotOurs/);
    }
  });

  test("a manager with CREATEROLE alone keeps a digest, sees what it set and takes back what it may", async () => {
    await server.query(`create role manager login createrole password 'keys'; create role team; grant team to manager with admin option`);
    const asManager = target({ user: "manager", password: "keys" });
    await postgres.change(asManager, wanted("managed", { attributes: { login: true }, password: "canary-2", join: ["team"] }), options());
    const first = await postgres.look(asManager, request("managed", { password: "canary-2" }), options());
    expect(first.role).toMatchObject({ passwordMatches: true, login: true, memberOf: [{ role: "team", admin: false }] });
    expect(first.server.readsPasswords).toBe(false);
    expect(parseMark(first.role?.comment)).toMatchObject({ uid: "u", installation: "here" });
    const other = await postgres.look(asManager, request("managed", { password: "another" }), options());
    expect(other.role?.passwordMatches).toBe(false);
    await postgres.change(asManager, wanted("managed", { expect: "ours", mark: false, leave: first.role?.memberOf ?? [] }), options());
    const after = await postgres.look(asManager, request("managed", { password: "canary-2" }), options());
    expect(after.role).toMatchObject({ passwordMatches: true, memberOf: [] });
    expect(
      await reason(postgres.change(asManager, wanted("managed", { expect: "ours", attributes: { replication: true } }), options())),
    ).toMatch(/^AccessDenied/);
  });

  test("a grant that somebody else gave is seen with its giver, and is taken back", async () => {
    await server.query(
      "create role giver; create role taker; create table gifts (id int); grant select on gifts to giver with grant option",
    );
    await server.query(
      `set role giver; grant select on gifts to taker; reset role; comment on role taker is 'setpoint:{"installation":"here","uid":"u","name":"ns/r"}'`,
    );
    const { objects } = await postgres.look(target(), request("taker"), options());
    expect(objects.find((object) => object.table === "gifts")?.held).toEqual([{ privilege: "SELECT", grantable: false, grantor: "giver" }]);
    const revoke = { do: "revoke" as const, privileges: ["SELECT"], database: "postgres", schema: "public", table: "gifts", as: "giver" };
    await postgres.change(target(), wanted("taker", { expect: "ours", grants: [revoke] }), options());
    expect((await postgres.look(target(), request("taker"), options())).objects.filter((object) => object.table)).toEqual([]);
  });

  test("grants in a database that nobody declared are found, and closed databases are named", async () => {
    await server.query("create database hidden");
    await server.query("create database closed");
    await server.query("create role roamer");
    for (const database of ["hidden", "closed"])
      await server.query("create table secrets (id int); grant select on secrets to roamer", [], database);
    await server.query("alter database closed allow_connections false");
    const { objects, unseen } = await postgres.look(target(), request("roamer"), options());
    expect(objects.filter((object) => object.table).map(({ database, table }) => `${database}.${table}`)).toEqual(["hidden.secrets"]);
    expect(unseen).toEqual(["closed"]);
  });
});
