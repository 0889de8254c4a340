/** Who may do what: nobody without a credential, a viewer looks, an operator operates, an administrator administers. */
import { expect, test } from "playwright/test";
import type { ApiStatus, Me, Role, UserEntry } from "@/lib/api/contract";
import { API, Client } from "./client";
import { type Server, startServer } from "./server";

const FILES = `${API}/namespaces/default/configfiles`;
const password = "a long enough password";

let server: Server;
let client: Client;
test.beforeAll(async () => {
  server = await startServer();
  client = new Client(server.url, server.token);
  await client.create("configfiles", "app", { path: "app.conf", content: "one\n" });
  await client.converged("configfiles", "app");
});
test.afterAll(() => server?.stop());

/** Signs in as a browser does, and gives the headers of a page of ours. */
async function signIn(email: string, secret: string): Promise<Record<string, string>> {
  const csrf = await fetch(`${server.url}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const cookies = cookiesOf(csrf);
  const response = await fetch(`${server.url}/api/auth/callback/credentials`, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", cookie: cookies, origin: server.url },
    body: new URLSearchParams({ csrfToken, email, password: secret, json: "true" }),
  });
  return { cookie: [cookies, cookiesOf(response)].filter((part) => part !== "").join("; "), origin: server.url };
}

const cookiesOf = (response: Response) =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");

async function account(role: Role): Promise<{ user: UserEntry; headers: Record<string, string> }> {
  const email = `${role}-${Date.now()}@example.org`;
  const user = await client.ask<UserEntry>("POST", "/api/console/users", { email, name: role, role, password });
  return { user, headers: await signIn(email, password) };
}

/** What each role is asked to do, and from which role on it may. */
const CHANGES: [least: Role, method: string, path: string, body?: object][] = [
  ["operator", "POST", FILES, { metadata: { name: "new" }, spec: { path: "new.conf", content: "x" } }],
  ["operator", "PATCH", `${FILES}/app`, { spec: { content: "two\n" } }],
  ["operator", "PATCH", `${FILES}/app/control`, { paused: { reason: "x" } }],
  ["operator", "PATCH", `${FILES}/app/control`, { paused: null }],
  ["operator", "POST", `${FILES}/app/reconcile`],
  ["operator", "POST", `${FILES}/app/plan`, { spec: { path: "app.conf", content: "x" } }],
  ["operator", "DELETE", `${FILES}/new`],
  ["administrator", "PUT", "/api/console/controllers/configfiles/pause", { reason: "x" }],
  ["administrator", "DELETE", "/api/console/controllers/configfiles/pause"],
  ["administrator", "GET", "/api/console/users"],
];
const RANK: Role[] = ["viewer", "operator", "administrator"];

test("health needs no credential and says nothing but ok", async () => {
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(server.url + path);
    expect([response.status, await response.text()]).toEqual([200, "ok"]);
  }
});

test("without a valid credential every route is 401, and nothing is told", async () => {
  for (const stranger of [new Client(server.url), new Client(server.url, "not-the-token"), new Client(server.url, `${server.token}x`)]) {
    for (const path of [
      FILES,
      `${FILES}/app`,
      `${FILES}/missing`,
      `${FILES}/app/plan`,
      `${FILES}?watch=true`,
      API,
      "/api/console/me",
      "/api/console/users",
      "/api/console/stream",
    ]) {
      const { status, body, headers } = await stranger.send<ApiStatus>("GET", path);
      expect([status, body.reason, headers.get("www-authenticate")], path).toEqual([401, "Unauthorized", "Bearer"]);
    }
    for (const [, method, path, body] of CHANGES) expect((await stranger.send(method, path, body)).status, `${method} ${path}`).toBe(401);
  }
  const basic = await new Client(server.url).send("GET", FILES, undefined, { authorization: "Basic YTpi" });
  expect(basic.status).toBe(401);
});

test("the bootstrap token has the administrator's rights", async () => {
  expect(await client.ask<Me>("GET", "/api/console/me")).toMatchObject({
    role: "administrator",
    can: { edit: true, control: true, administer: true },
  });
});

for (const role of RANK) {
  test(`${role === "viewer" ? "a" : "an"} ${role} may exactly what the role is for`, async () => {
    const { headers } = await account(role);
    const session = new Client(server.url);
    const me = await session.send<Me>("GET", "/api/console/me", undefined, headers);
    expect(me.body).toMatchObject({ role, can: { edit: role !== "viewer", administer: role === "administrator" } });
    for (const path of [FILES, `${FILES}/app`, `${FILES}/app/plan`, `${FILES}/app/revisions`, "/api/console/resources"])
      expect((await session.send("GET", path, undefined, headers)).status, path).toBe(200);
    for (const [least, method, path, body] of CHANGES) {
      const { status, text } = await session.send<ApiStatus>(method, path, body, headers);
      const allowed = RANK.indexOf(role) >= RANK.indexOf(least);
      const about = `${method} ${path}: ${text.slice(0, 200)}`;
      if (!allowed) expect(status, about).toBe(403);
      else expect(status, about).toBeLessThan(300);
    }
    if (role !== "viewer") await client.untilGone("configfiles", "new");
  });
}

test("a session ends when the account is disabled, and its changes must come from a page of ours", async () => {
  const { user, headers } = await account("operator");
  const session = new Client(server.url);
  for (const origin of ["https://evil.example", "null"]) {
    const forged = await session.send("POST", `${FILES}/app/reconcile`, undefined, { ...headers, origin });
    expect(forged.status, origin).toBe(403);
  }
  expect((await session.send("POST", `${FILES}/app/reconcile`, undefined, headers)).status).toBe(202);
  await client.ask("PATCH", `/api/console/users/${user.id}`, { disabled: true });
  expect((await session.send("GET", FILES, undefined, headers)).status).toBe(401);
});

test("a wrong password signs nobody in, and guessing is slowed down", async () => {
  const { headers, user } = await account("viewer");
  expect(headers.cookie).toContain("session-token");
  const wrong = await signIn(user.email, "another long password");
  expect(wrong.cookie).not.toContain("session-token");
  expect((await new Client(server.url).send("GET", FILES, undefined, wrong)).status).toBe(401);
  const statuses: number[] = [];
  for (let n = 0; n < 30 && !statuses.includes(429); n++) {
    const csrf = await fetch(`${server.url}/api/auth/csrf`);
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const guess = await fetch(`${server.url}/api/auth/callback/credentials`, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded", cookie: cookiesOf(csrf), origin: server.url },
      body: new URLSearchParams({ csrfToken, email: user.email, password: `guess number ${n} of many`, json: "true" }),
    });
    statuses.push(guess.status);
  }
  expect(statuses).toContain(429);
});
