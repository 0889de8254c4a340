import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BASE, type Fixture, openFixture, WIDGETS } from "./testing/fixture";

let fixture: Fixture;
const cookies: Record<string, string> = {};
const PASSWORD = "correct horse battery";

/** Signs in as a browser does: token, form, cookie. */
async function signIn(email: string, password: string, address = "10.0.0.1"): Promise<Response> {
  const csrf = await fixture.auth.handle(new Request(`${BASE}/api/auth/csrf`));
  const { csrfToken } = await csrf.json();
  const cookie = csrf.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  return fixture.auth.handle(
    new Request(`${BASE}/api/auth/callback/credentials`, {
      method: "POST",
      headers: { cookie, "content-type": "application/x-www-form-urlencoded", "x-forwarded-for": address, host: "setpoint.test" },
      body: new URLSearchParams({ csrfToken, email, password, json: "true", callbackUrl: "/resources?state=Failed" }),
    }),
  );
}
const sessionOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .find((line) => line.includes("session-token="))
    ?.split(";")[0] ?? "";

beforeAll(async () => {
  fixture = await openFixture();
  for (const role of ["viewer", "operator", "administrator"]) {
    const email = `${role}@example.org`;
    const { status } = await fixture.call("POST", "/api/console/users", { email, name: role, role, password: PASSWORD });
    expect(status).toBe(201);
    cookies[role] = sessionOf(await signIn(email, PASSWORD));
    expect(cookies[role]).not.toBe("");
  }
  await fixture.create(WIDGETS, "a", { size: 1 });
});
afterAll(() => fixture.close());

const as = (
  role: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = { "sec-fetch-site": "same-origin" },
) => fixture.call(method, path, body, { token: null, headers: { cookie: cookies[role] ?? "", ...headers } });

describe("roles", () => {
  const document = { metadata: { name: "b" }, spec: { size: 1 } };
  const attempts: [string, string, unknown, string][] = [
    ["GET", WIDGETS, undefined, "viewer"],
    ["GET", `${WIDGETS}/a/plan`, undefined, "viewer"],
    ["GET", "/api/console/resources", undefined, "viewer"],
    ["POST", `${WIDGETS}?dryRun=All`, document, "operator"],
    ["PATCH", `${WIDGETS}/a`, { spec: { size: 1 } }, "operator"],
    ["DELETE", `${WIDGETS}/a?dryRun=All`, undefined, "operator"],
    ["PATCH", `${WIDGETS}/a/control`, { mode: "Auto" }, "operator"],
    ["POST", `${WIDGETS}/a/reconcile`, {}, "operator"],
    ["POST", `${WIDGETS}/a/plan`, { spec: { size: 2 } }, "operator"],
    ["PUT", "/api/console/controllers/Widget/pause", { reason: "x" }, "administrator"],
    ["DELETE", "/api/console/controllers/widgets/pause", undefined, "administrator"],
    ["GET", "/api/console/users", undefined, "administrator"],
  ];
  const order = ["viewer", "operator", "administrator"];

  it.each(attempts)("%s %s is allowed from the role it needs on, and else refused saying which", async (method, path, body, needs) => {
    for (const role of order) {
      const answer = await as(role, method, path, body);
      if (order.indexOf(role) >= order.indexOf(needs))
        expect([role, answer.status]).toEqual([role, expect.toSatisfy((s: number) => s < 300)]);
      else {
        expect([role, answer.status, answer.body.reason]).toEqual([role, 403, "Forbidden"]);
        expect(answer.body.message).toContain(`this needs the role ${needs}`);
      }
    }
  });

  it("leave an audit row for what was denied and for what was done", async () => {
    const before = (await fixture.audit()).length;
    await as("viewer", "PATCH", `${WIDGETS}/a`, { spec: { size: 3 } });
    await as("operator", "PATCH", `${WIDGETS}/a`, { spec: { size: 3 } });
    expect((await fixture.audit()).slice(before)).toEqual([
      { actor: "viewer@example.org", verb: "patch", name: "a", outcome: "denied" },
      { actor: "operator@example.org", verb: "patch", name: "a", outcome: "done" },
    ]);
  });

  it("tell the page what its buttons may do", async () => {
    expect((await as("operator", "GET", "/api/console/me")).body).toMatchObject({
      name: "operator@example.org",
      role: "operator",
      can: { edit: true, control: true, administer: false },
      host: "here",
    });
  });
});

describe("a session", () => {
  it("cannot be used by another site: a change needs proof of the same origin and a JSON type", async () => {
    const patch = (headers: Record<string, string>) => as("operator", "PATCH", `${WIDGETS}/a`, { spec: { size: 4 } }, headers);
    expect((await patch({})).status).toBe(403);
    expect((await patch({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await patch({ origin: "http://evil.test", host: "setpoint.test" })).status).toBe(403);
    expect((await patch({ origin: "http://setpoint.test", host: "setpoint.test" })).status).toBe(200);
    expect((await patch({ "sec-fetch-site": "same-origin", "content-type": "text/plain" })).status).toBe(415);
  });

  it("follows its account: a new role counts at once, a disabled account is out at once, signing out ends it", async () => {
    const { body } = await fixture.call("POST", "/api/console/users", {
      email: "M@example.org",
      name: "m",
      role: "viewer",
      password: PASSWORD,
    });
    expect(body.email).toBe("m@example.org");
    const cookie = sessionOf(await signIn("m@Example.org", PASSWORD));
    const me = () => fixture.call("GET", "/api/console/me", undefined, { token: null, headers: { cookie } });
    expect((await me()).body.role).toBe("viewer");
    await fixture.call("PATCH", `/api/console/users/${body.id}`, { role: "operator" });
    expect((await me()).body.role).toBe("operator");
    await fixture.call("PATCH", `/api/console/users/${body.id}`, { disabled: true });
    expect((await me()).status).toBe(401);
    expect((await signIn("m@example.org", PASSWORD)).status).toBe(401);
    await fixture.call("PATCH", `/api/console/users/${body.id}`, { disabled: false });
    expect((await me()).status).toBe(401);

    const again = sessionOf(await signIn("m@example.org", PASSWORD));
    const csrf = await fixture.auth.handle(new Request(`${BASE}/api/auth/csrf`));
    const { csrfToken } = await csrf.json();
    const jar = [again, ...csrf.headers.getSetCookie().map((line) => line.split(";")[0])].join("; ");
    await fixture.auth.handle(
      new Request(`${BASE}/api/auth/signout`, {
        method: "POST",
        headers: { cookie: jar, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ csrfToken, json: "true" }),
      }),
    );
    expect((await fixture.call("GET", "/api/console/me", undefined, { token: null, headers: { cookie: again } })).status).toBe(401);
    expect((await fixture.audit()).at(-1)).toMatchObject({ actor: "m@example.org", verb: "sign-out", outcome: "done" });
  });

  it("comes in a cookie that scripts cannot read, Secure on https, and leads back to this site only", async () => {
    const response = await signIn("viewer@example.org", PASSWORD);
    expect(response.status).toBe(200);
    expect((await response.json()).url).toBe("http://setpoint.test/resources?state=Failed");
    const line = response.headers.getSetCookie().find((cookie) => cookie.includes("session-token="));
    expect(line).toMatch(/HttpOnly/i);
    expect(line).toMatch(/SameSite=Lax/i);
    const csrf = await fixture.auth.handle(
      new Request(`${BASE}/api/auth/csrf`, { headers: { "x-forwarded-proto": "https", host: "a.example" } }),
    );
    expect(csrf.headers.getSetCookie().join()).toMatch(/Secure/);
    const session = await fixture.auth.handle(new Request(`${BASE}/api/auth/session`, { headers: { cookie: sessionOf(response) } }));
    expect(await session.json()).toMatchObject({ user: { email: "viewer@example.org", role: "viewer" } });
  });
});

describe("sign-in", () => {
  it("says the same for a wrong password and for an account that does not exist", async () => {
    const [wrong, unknown] = [
      await signIn("viewer@example.org", "not the password", "10.1.0.1"),
      await signIn("nobody@example.org", "x", "10.1.0.1"),
    ];
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect((await wrong.json()).url).toBe((await unknown.json()).url);
  });

  it("lets nobody guess on: 429 with when to try again, also when all guesses come at once", async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn("operator@example.org", "wrong", "10.2.0.1")));
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    const limited = answers.find((answer) => answer.status === 429);
    expect(Number(limited?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await signIn("operator@example.org", PASSWORD, "10.2.0.1")).status).toBe(429);
    expect((await signIn("operator@example.org", PASSWORD, "10.2.0.2")).status).toBe(200);
  });

  it("answers odd requests with 4xx", async () => {
    const odd = (path: string, init: RequestInit = {}) =>
      fixture.auth.handle(new Request(`${BASE}/api/auth/${path}`, init)).then(
        (response) => response.status,
        (error) => error.status,
      );
    expect(await odd("_log", { method: "POST" })).toBe(404);
    expect(await odd("callback/credentials", { method: "POST", body: "{", headers: { "content-type": "application/json" } })).toBe(400);
    expect(await odd("callback/nobody", { method: "POST", body: "{}", headers: { "content-type": "application/json" } })).toBeLessThan(500);
    expect(await odd("signin?callbackUrl=javascript:alert(1)")).toBe(302);
    expect(await odd("session", { headers: { cookie: "next-auth.session-token=garbage" } })).toBe(200);
  });
});

describe("accounts", () => {
  it("have strong passwords, one address each, and always one administrator", async () => {
    const fault = async (body: object) => (await fixture.call("POST", "/api/console/users", body)).body;
    expect(await fault({ email: "x@example.org", name: "x", role: "viewer", password: "short" })).toMatchObject({
      code: 422,
      details: { causes: [{ field: "password" }] },
    });
    expect(await fault({ email: "x", name: "x", rol: "viewer", password: PASSWORD })).toMatchObject({ code: 422 });
    expect(await fault({ email: "Viewer@example.org", name: "x", role: "viewer", password: PASSWORD })).toMatchObject({ code: 409 });
    const { body } = await fixture.call("GET", "/api/console/users");
    const administrator = body.items.find((user: { role: string }) => user.role === "administrator");
    for (const change of [{ role: "viewer" }, { disabled: true }])
      expect((await fixture.call("PATCH", `/api/console/users/${administrator.id}`, change)).status).toBe(409);
    expect((await fixture.call("PATCH", "/api/console/users/nobody", { role: "viewer" })).status).toBe(404);
    expect(JSON.stringify(body)).not.toContain("argon2");
  });

  it("the first one needs the printed token, once", async () => {
    const other = await openFixture();
    try {
      const token = await other.auth.users.setupToken();
      const body = { token: "wrong", email: "first@example.org", name: "First", password: PASSWORD };
      const anonymous = { token: null };
      expect((await other.call("POST", "/api/console/setup", body, anonymous)).status).toBe(403);
      expect((await other.call("POST", "/api/console/setup", { ...body, token }, anonymous)).status).toBe(201);
      expect((await other.call("POST", "/api/console/setup", { ...body, token }, anonymous)).status).toBe(409);
      expect(await other.auth.users.setupToken()).toBeUndefined();
      expect(await other.auth.users.ensureAdministrator({ email: "a@example.org", password: PASSWORD })).toBe(false);
    } finally {
      await other.close();
    }
  });

  it("sign-in is on record, with its outcome and never the password", async () => {
    const { rows } = await fixture.store.pool.query("select r::text as line, verb, outcome from audit r where verb = 'sign-in'");
    expect(new Set(rows.map((row) => row.outcome))).toEqual(new Set(["done", "denied"]));
    expect(rows.map((row) => row.line).join()).not.toContain(PASSWORD);
  });

  it("opens no session that is not on record, and records none that is not open", async () => {
    const { pool } = fixture.store;
    const counts = async () =>
      (
        await pool.query(
          "select (select count(*) from session)::int as sessions, (select count(*) from audit where verb = 'sign-in' and outcome = 'done')::int as rows",
        )
      ).rows[0];
    await pool.query("create function refused() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$");
    for (const [table, address] of [
      ["session", "10.3.0.1"],
      ["audit", "10.3.0.2"],
    ] as const) {
      const before = await counts();
      await pool.query(`create trigger refused before insert on ${table} for each row execute function refused()`);
      await signIn("viewer@example.org", PASSWORD, address).catch(() => undefined);
      await pool.query(`drop trigger refused on ${table}`);
      expect(await counts()).toEqual(before);
      expect((await signIn("viewer@example.org", PASSWORD, address)).status).toBe(200);
      expect(await counts()).toEqual({ sessions: before.sessions + 1, rows: before.rows + 1 });
    }
  });
});
