import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "@/lib/conformance/store";
import { type Fixture, openFixture, USERS_OF_VAULTS, VAULTS, WIDGETS } from "./testing/fixture";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

const APPLY = "application/apply-patch+yaml";
const PASSWORD = "correct horse battery";
const inNamespace = (path: string, namespace: string) => path.replace("/default/", `/${namespace}/`);
const console_ = (page: string) => `/api/console/${page}`;

/** Makes an account and gives back how it asks from a browser. */
async function person(email: string, role: string, groups: string[] = []) {
  const { body, status } = await fixture.call("POST", console_("users"), { email, name: email, role, groups, password: PASSWORD });
  expect(status).toBe(201);
  const cookie = await fixture.cookieOf(body.id);
  const headers = { cookie, "sec-fetch-site": "same-origin" };
  return { id: body.id, as: (method: string, path: string, sent?: unknown) => fixture.call(method, path, sent, { token: null, headers }) };
}

const withToken = (token: string) => (method: string, path: string, sent?: unknown, type?: string) =>
  fixture.call(method, path, sent, { token, headers: type === undefined ? {} : { "content-type": type } });

/** A service account with a role bound to it, and a token. */
async function robot(name: string, role: string, where: string, more: object = {}) {
  const account = { namespace: "default", name };
  expect((await fixture.call("POST", console_("serviceaccounts"), account)).status).toBe(201);
  const subject = { kind: "ServiceAccount", ...account };
  expect((await fixture.call("POST", console_("bindings"), { role, namespace: where, subject })).status).toBe(201);
  const made = await fixture.call("POST", console_("tokens"), { name: "ci", serviceAccount: account, ...more });
  expect([made.status, made.body.token]).toEqual([201, expect.stringMatching(/^sp_[\w-]{43}$/)]);
  return { token: made.body.token as string, id: made.body.entry.id as string, ask: withToken(made.body.token) };
}

describe("a token", () => {
  it("is shown once, kept as a hash, known by its first characters, and says when it was last used", async () => {
    const { as } = await person("ana@example.org", "operator");
    const made = await as("POST", console_("tokens"), { name: "laptop", expiresInDays: 30 });
    expect(made.status).toBe(201);
    const { token, entry } = made.body;
    expect(entry).toMatchObject({ name: "laptop", prefix: token.slice(0, 11), expired: false });
    expect(Date.parse(entry.expiresAt) - Date.parse(entry.createdAt)).toBeGreaterThan(29 * 86_400_000);
    const listed = async () => (await as("GET", console_("tokens"))).body.items;
    expect(await listed()).toEqual([entry]);
    const { rows } = await fixture.store.pool.query("select t::text as line from api_token t union all select a::text from audit a");
    expect(rows.map((row) => row.line).join()).not.toContain(token);

    expect((await withToken(token)("GET", console_("me"))).body).toMatchObject({ name: "ana@example.org", role: "operator" });
    const [used] = await listed();
    expect(Date.parse(used.lastUsedAt)).toBeGreaterThanOrEqual(Date.parse(entry.createdAt) - 1_000);
    await withToken(token)("GET", console_("me"));
    expect(await listed()).toEqual([used]);
  });

  it("ends when its time is over, when it is revoked, and with its owner", async () => {
    const { as, id } = await person("bob@example.org", "viewer");
    const make = async () => (await as("POST", console_("tokens"), { name: "t" })).body;
    const status = async (token: string) => (await withToken(token)("GET", WIDGETS)).status;
    const [expiring, revoked, owned] = [await make(), await make(), await make()];
    for (const { token } of [expiring, revoked, owned]) expect(await status(token)).toBe(200);
    await fixture.store.pool.query("update api_token set expires_at = now() - interval '1 second' where id = $1", [expiring.entry.id]);
    const late = await withToken(expiring.token)("GET", WIDGETS);
    expect([late.status, late.body.message]).toEqual([401, expect.stringContaining("expired")]);
    expect((await as("DELETE", console_(`tokens/${revoked.entry.id}`))).status).toBe(200);
    expect(await status(revoked.token)).toBe(401);
    await fixture.call("PATCH", console_(`users/${id}`), { disabled: true });
    expect(await status(owned.token)).toBe(401);
  });

  it("can do no more than it was made for, nor than its owner may", async () => {
    const { as, id } = await person("cy@example.org", "operator");
    const scope = { verbs: ["get", "list", "patch"], kinds: ["widgets"], namespaces: ["default"] };
    const { token } = (await as("POST", console_("tokens"), { name: "narrow", scope })).body;
    const ask = withToken(token);
    await fixture.create(WIDGETS, "narrow", { size: 1 });
    expect((await ask("PATCH", `${WIDGETS}/narrow`, { spec: { size: 2 } })).status).toBe(200);
    const refused = await ask("DELETE", `${WIDGETS}/narrow`);
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('the token "narrow" was not made for it')]);
    expect((await ask("GET", VAULTS)).status).toBe(403);
    expect((await ask("GET", inNamespace(WIDGETS, "elsewhere"))).status).toBe(403);
    expect((await ask("GET", `${WIDGETS}?watch=true`)).status).toBe(403);
    await fixture.call("PATCH", console_(`users/${id}`), { role: "viewer" });
    expect((await ask("PATCH", `${WIDGETS}/narrow`, { spec: { size: 3 } })).status).toBe(403);
  });

  it("makes no other token, is nobody else's business, and is refused with a cause per field", async () => {
    const [mine, other] = [await person("dee@example.org", "administrator"), await person("eve@example.org", "operator")];
    const { token, entry } = (await mine.as("POST", console_("tokens"), { name: "t" })).body;
    expect((await withToken(token)("POST", console_("tokens"), { name: "child" })).status).toBe(403);
    expect((await fixture.call("POST", console_("tokens"), { name: "of nobody" })).status).toBe(403);
    expect((await other.as("DELETE", console_(`tokens/${entry.id}`))).status).toBe(404);
    const narrow = (await mine.as("POST", console_("tokens"), { name: "narrow", scope: { verbs: ["get"] } })).body;
    expect((await withToken(narrow.token)("GET", console_("tokens"))).body.items.map((item: { id: string }) => item.id)).toEqual([
      narrow.entry.id,
    ]);
    expect((await withToken(narrow.token)("DELETE", console_(`tokens/${entry.id}`))).status).toBe(404);
    expect((await withToken(narrow.token)("DELETE", console_(`tokens/${narrow.entry.id}`))).status).toBe(200);
    expect((await other.as("DELETE", console_("tokens/nonsense"))).status).toBe(404);
    expect((await other.as("GET", console_("tokens"))).body.items).toEqual([]);
    const wrong = await mine.as("POST", console_("tokens"), { name: "", expiresInDays: 9999, scope: { verbs: ["fly"], kinds: [] } });
    expect(wrong.status).toBe(422);
    expect(wrong.body.details.causes.map((cause: { field: string }) => cause.field)).toEqual(
      expect.arrayContaining(["name", "expiresInDays", "scope.verbs[0]", "scope.kinds"]),
    );
  });

  it("is held to its own rate, with the time to wait, and to its number of streams", async () => {
    const { ask } = await robot("busy", "viewer", "*", { limits: { requestsPerMinute: 5, streams: 1 } });
    const statuses: number[] = [];
    for (let index = 0; index < 7; index++) statuses.push((await ask("GET", WIDGETS)).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const limited = await ask("GET", WIDGETS);
    expect(Number(limited.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(limited.body).toMatchObject({ reason: "TooManyRequests", details: { retryAfterSeconds: expect.any(Number) } });

    const watcher = await robot("watcher", "viewer", "*", { limits: { streams: 1 } });
    const open = (signal: AbortSignal) =>
      fixture.api.handle(
        new Request(`http://setpoint.test${WIDGETS}?watch=true`, { headers: { authorization: `Bearer ${watcher.token}` }, signal }),
      );
    const first = new AbortController();
    expect((await open(first.signal)).status).toBe(200);
    const second = await open(new AbortController().signal);
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "5"]);
    first.abort();
    const again = new AbortController();
    await eventually("a place for another watch", async () => (await open(again.signal)).status === 200);
    again.abort();
  });
});

describe("the body of a request", () => {
  const limits = { bodyBytes: 2_048, depth: 8 };
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

  it("is held to the token's own size and depth, JSON, YAML and protobuf alike, and to the server's where it says nothing", async () => {
    const small = await robot("small", "operator", "*", { limits });
    const usual = await robot("usual", "operator", "*");
    const long = { metadata: { name: "w", annotations: { a: "x".repeat(3_000) } }, spec: { size: 1 } };
    const refused = await small.ask("POST", WIDGETS, long);
    expect([refused.status, refused.body.reason]).toEqual([413, "RequestEntityTooLarge"]);
    expect(refused.body.message).toContain("at most 2048 bytes");
    expect((await usual.ask("POST", WIDGETS, long)).status).toBe(201);
    const yaml = "application/yaml";
    const protobuf = "application/vnd.kubernetes.protobuf";
    const reviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    for (const [path, body, type] of [
      [WIDGETS, `# ${"x".repeat(3_000)}`, yaml],
      [reviews, `k8s\u0000${"x".repeat(3_000)}`, protobuf],
    ] as const)
      expect((await small.ask("POST", path, body, type)).status).toBe(413);
    for (const type of [undefined, yaml]) {
      const tooDeep = await small.ask("POST", WIDGETS, `${type === yaml ? "# \n" : ""}${nested(9)}`, type);
      expect([tooDeep.status, tooDeep.body.message]).toEqual([
        expect.toSatisfy((code) => code === 400 || code === 422),
        expect.stringContaining("deeper than 8 levels"),
      ]);
      // It is read, and then refused for what it says.
      expect((await usual.ask("POST", WIDGETS, nested(9), type)).body.message).not.toContain("deeper");
    }
    expect((await small.ask("POST", WIDGETS, { metadata: { name: "fits" }, spec: { size: 1 } })).status).toBe(201);
  });

  it("cannot be allowed more than the server allows: limits are told by field when the token is made, and shown with it", async () => {
    await fixture.call("POST", console_("serviceaccounts"), { namespace: "default", name: "greedy" });
    const wanted = { name: "t", serviceAccount: { namespace: "default", name: "greedy" } };
    const much = { requestsPerMinute: 60_001, streams: 101, bodyBytes: 1_048_577, depth: 65 };
    const refused = await fixture.call("POST", console_("tokens"), { ...wanted, limits: much });
    expect([refused.status, refused.body.details.causes.map((cause: { field: string }) => cause.field)]).toEqual([
      422,
      ["limits.requestsPerMinute", "limits.streams", "limits.bodyBytes", "limits.depth"],
    ]);
    for (const limits of [{ bodyBytes: 10 }, { depth: 0 }, { depth: 8.5 }, { size: 3 }])
      expect((await fixture.call("POST", console_("tokens"), { ...wanted, limits })).status).toBe(422);
    expect((await fixture.call("POST", console_("tokens"), { ...wanted, limits })).body.entry.limits).toEqual(limits);
    const { body } = await fixture.call("GET", console_("serviceaccounts"));
    const greedy = body.items.find(({ name }: { name: string }) => name === "greedy");
    expect(greedy.tokens).toMatchObject([{ limits }]);
  });
});

describe("a service account", () => {
  it("is a principal with the roles that are bound to it, where they are bound", async () => {
    const { ask } = await robot("deployer", "operator", "team-a");
    expect((await ask("GET", console_("me"))).body).toMatchObject({
      name: "system:serviceaccount:default:deployer",
      role: "none",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    const there = inNamespace(WIDGETS, "team-a");
    expect((await ask("POST", there, { metadata: { name: "w" }, spec: { size: 1 } })).status).toBe(201);
    expect((await ask("POST", WIDGETS, { metadata: { name: "w" }, spec: { size: 1 } })).status).toBe(403);
    const rows = (await fixture.audit()).filter(({ actor }) => actor.endsWith(":deployer"));
    expect(rows.map(({ verb, outcome }) => [verb, outcome])).toEqual([
      ["create", "done"],
      ["post", "denied"],
    ]);
  });

  it("leaves with its tokens and bindings, so that one of the same name begins without rights", async () => {
    const { ask } = await robot("passing", "viewer", "*");
    expect((await ask("GET", WIDGETS)).status).toBe(200);
    const path = console_("serviceaccounts/default/passing");
    expect((await fixture.call("DELETE", path)).status).toBe(200);
    expect((await ask("GET", WIDGETS)).status).toBe(401);
    expect((await fixture.call("DELETE", path)).status).toBe(404);
    const account = { namespace: "default", name: "passing" };
    await fixture.call("POST", console_("serviceaccounts"), account);
    const { body } = await fixture.call("POST", console_("tokens"), { name: "ci", serviceAccount: account });
    expect((await withToken(body.token)("GET", WIDGETS)).status).toBe(403);
  });
});

describe("bindings", () => {
  it("reach people by name and by group, and end at once when they are deleted", async () => {
    const { as } = await person("finn@example.org", "none", ["team-b"]);
    const there = inNamespace(WIDGETS, "team-b");
    expect((await as("GET", there)).status).toBe(403);
    const { body } = await fixture.call("POST", console_("bindings"), {
      role: "viewer",
      namespace: "team-b",
      subject: { kind: "Group", name: "team-b" },
    });
    expect((await as("GET", there)).status).toBe(200);
    expect((await fixture.call("DELETE", console_(`bindings/${body.id}`))).status).toBe(200);
    expect((await as("GET", there)).status).toBe(403);
    await fixture.call("POST", console_("bindings"), {
      role: "viewer",
      namespace: "team-b",
      subject: { kind: "User", name: "Finn@example.org" },
    });
    expect((await as("GET", there)).status).toBe(200);
  });

  it("give roles of one's own, which stay while they are bound", async () => {
    const rules = [{ verbs: ["get", "list"], kinds: ["vaults"] }];
    expect((await fixture.call("POST", console_("roles"), { name: "vault-reader", rules })).status).toBe(201);
    expect((await fixture.call("POST", console_("roles"), { name: "viewer", rules })).status).toBe(409);
    const { ask } = await robot("reader", "vault-reader", "*");
    expect((await ask("GET", VAULTS)).status).toBe(200);
    expect((await ask("GET", WIDGETS)).status).toBe(403);
    expect((await fixture.call("DELETE", console_("roles/vault-reader"))).status).toBe(409);
    expect((await fixture.call("DELETE", console_("roles/viewer"))).status).toBe(422);
    const unknown = { role: "nothing", namespace: "*", subject: { kind: "Group", name: "x" } };
    expect((await fixture.call("POST", console_("bindings"), unknown)).status).toBe(404);
  });

  it("are given only by who has as much, and only where", async () => {
    const { as } = await person("gia@example.org", "none");
    const subject = { kind: "User", name: "gia@example.org" };
    await fixture.call("POST", console_("bindings"), { role: "administrator", namespace: "team-c", subject });
    const give = async (role: string, namespace: string) => (await as("POST", console_("bindings"), { role, namespace, subject })).status;
    expect(await give("operator", "team-c")).toBe(201);
    expect(await give("viewer", "*")).toBe(403);
    expect(await give("viewer", "default")).toBe(403);
    expect((await as("GET", console_("bindings"))).body.items.map((item: { namespace: string }) => item.namespace)).toEqual([
      "team-c",
      "team-c",
    ]);
    expect((await as("GET", console_("users"))).status).toBe(403);
    const rules = [{ verbs: ["administer"], kinds: ["*"] }];
    await fixture.call("POST", console_("roles"), { name: "delegate", rules });
    const { ask } = await robot("delegate", "delegate", "*");
    expect((await ask("POST", console_("bindings"), { role: "viewer", namespace: "default", subject })).status).toBe(403);
    expect(
      (await ask("POST", console_("users"), { email: "x@example.org", name: "x", role: "administrator", password: PASSWORD })).status,
    ).toBe(403);
    // A token for somebody who may more would be as good as having it.
    expect((await ask("POST", console_("tokens"), { name: "x", serviceAccount: { namespace: "default", name: "reader" } })).status).toBe(
      403,
    );
  });

  it("are changed and refused on record", async () => {
    const { as } = await person("hal@example.org", "operator");
    const before = (await fixture.audit()).length;
    const binding = { role: "viewer", namespace: "*", subject: { kind: "Group", name: "g" } };
    expect((await as("POST", console_("bindings"), binding)).status).toBe(403);
    const { body } = await fixture.call("POST", console_("bindings"), binding);
    await fixture.call("DELETE", console_(`bindings/${body.id}`));
    expect((await fixture.audit()).slice(before).map(({ actor, verb, outcome }) => [actor, verb, outcome])).toEqual([
      ["hal@example.org", "post", "denied"],
      ["bootstrap-token", "create", "done"],
      ["bootstrap-token", "delete", "done"],
    ]);
  });
});

describe("what an object refers to", () => {
  it("must be readable by who writes the object", async () => {
    await fixture.create(VAULTS, "v", { values: { a: "b" } });
    await fixture.call("POST", console_("roles"), {
      name: "lockers-only",
      rules: [{ verbs: ["get", "create", "patch", "preview"], kinds: ["lockers"] }],
    });
    const applied = { apiVersion: "setpoint.dev/v1alpha1", kind: "Locker" };
    const { ask, token } = await robot("lockers-only", "lockers-only", "*");
    const locker = { metadata: { name: "l" }, spec: { from: { vault: "v" } } };
    for (const vault of ["v", "absent"]) {
      const answer = await ask("POST", USERS_OF_VAULTS, { ...locker, spec: { from: { vault } } });
      expect([answer.status, answer.body.message]).toEqual([403, expect.stringContaining(`vaults.setpoint.dev "${vault}" is forbidden`)]);
    }
    expect((await ask("POST", `${USERS_OF_VAULTS}/l/plan`, locker)).status).toBe(403);
    const apply = () =>
      fixture.call(
        "PATCH",
        `${USERS_OF_VAULTS}/l?fieldManager=m`,
        { ...applied, ...locker },
        { token, headers: { "content-type": APPLY } },
      );
    expect((await apply()).status).toBe(403);
    await fixture.create(USERS_OF_VAULTS, "l", locker.spec);
    expect((await ask("PATCH", `${USERS_OF_VAULTS}/l`, { metadata: { labels: { a: "b" } } })).status).toBe(403);
    expect((await apply()).status).toBe(403);
  });

  it("is the operator's hand too: to change it with the object needs the right to control", async () => {
    await fixture.create(VAULTS, "held", { values: { a: "b" } });
    await fixture.call("POST", console_("roles"), { name: "editor", rules: [{ verbs: ["get", "patch"], kinds: ["vaults"] }] });
    const { ask } = await robot("editor", "editor", "*");
    expect((await ask("PATCH", `${VAULTS}/held`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    const paused = await ask("PATCH", `${VAULTS}/held`, { control: { paused: { reason: "x" } } });
    expect([paused.status, paused.body.message]).toEqual([403, expect.stringContaining("cannot control resource")]);
  });
});
