import net from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "@/lib/clock";
import { createTestDatabase, eventually } from "@/lib/conformance/store";
import { openStore } from "@/lib/store/prisma";
import { type Fixture, openFixture, TOKEN, USERS_OF_VAULTS, VAULTS, WIDGETS } from "./testing/fixture";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
  await fixture.create(WIDGETS, "a", { size: 1 });
  await fixture.create(VAULTS, "a", { values: { k: "v" } });
  await fixture.create(USERS_OF_VAULTS, "a", { from: { vault: "a" } });
});
afterAll(() => fixture.close());

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const COLLECTIONS = [WIDGETS, VAULTS, USERS_OF_VAULTS];
const PARTS = ["", "/plan", "/reconcile", "/control", "/revisions", "/events", "/passes", "/status", "/nothing"];
const CONSOLE = [
  "me",
  "kinds",
  "resources",
  "overview",
  "controllers",
  "users",
  "bulk",
  "setup",
  "stream",
  "controllers/Widget/pause",
  "users/x",
  "nothing",
];
const ROUTES = [
  "/apis",
  "/api",
  "/api/v1",
  "/api/v1/namespaces",
  "/api/v1/namespaces/default",
  "/api/v1/namespaces/default/events",
  "/api/v1/namespaces/default/events/a.0000000000000001",
  "/api/v1/events",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/apis/setpoint.dev/v1alpha1",
  "/version",
  "/livez",
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
  "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  "/apis/setpoint.dev/v1alpha1/watch/namespaces/nothing-here/vaults/a",
  "/apis/setpoint.dev",
  "/apis/setpoint.dev/v1alpha1",
  "/apis/setpoint.dev/v1alpha1/widgets",
  "/apis/setpoint.dev/v2/widgets",
  "/apis/apps/v1/deployments",
  ...COLLECTIONS,
  ...COLLECTIONS.flatMap((collection) => ["a", "missing"].flatMap((name) => PARTS.map((part) => `${collection}/${name}${part}`))),
  ...CONSOLE.map((page) => `/api/console/${page}`),
];

const nasty = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "\u0000",
    "'",
    '"',
    "\\",
    "%",
    "$1",
    "../..",
    "a".repeat(300),
    "null",
    "-1",
    "1e400",
    "__proto__",
    "constructor",
    "{}",
    "[]",
    "true",
    "2031-13-45",
    "'; drop table resource; --",
  ),
);
/** Percent-encoded; halves of surrogate pairs, which no URL can hold, left out. */
const encoded = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, ""));
const parameters = [
  "watch",
  "resourceVersion",
  "limit",
  "continue",
  "labelSelector",
  "fieldSelector",
  "dryRun",
  "message",
  "q",
  "kind",
  "state",
  "mode",
  "label",
  "sort",
  "page",
  "range",
  "drifted",
  "timeoutSeconds",
  "includeObject",
  "propagationPolicy",
  "fieldManager",
  "force",
  "resourceVersionMatch",
];
const query = fc
  .array(fc.tuple(fc.constantFrom(...parameters), nasty), { maxLength: 3 })
  .map((pairs) => pairs.map(([key, value]) => `${key}=${encoded(value)}`).join("&"));
const keys = fc.oneof(
  fc.constantFrom(
    "metadata",
    "name",
    "namespace",
    "labels",
    "finalizers",
    "ownerReferences",
    "spec",
    "size",
    "values",
    "from",
    "vault",
    "control",
    "paused",
    "reason",
    "until",
    "mode",
    "status",
    "uids",
    "query",
    "expectedCount",
    "action",
    "email",
    "password",
    "token",
    "role",
    "digest",
    "sealed",
    "preconditions",
    "resourceVersion",
    "uid",
  ),
  nasty,
);
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    nasty,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    tie("map"),
  ),
  map: fc.dictionary(keys, tie("value"), { maxKeys: 4, noNullPrototype: true }),
}));
const document = fc.oneof(
  json.map.map((value) => JSON.stringify(value)),
  json.value.map((value) => JSON.stringify(value) ?? ""),
  nasty,
  // Nearly right, so that the generated part gets past the door.
  fc
    .tuple(json.value, json.value, json.value)
    .map(([spec, control, labels]) => JSON.stringify({ metadata: { name: "a", labels }, spec, control })),
  fc.tuple(json.value, json.value).map(([value, path]) =>
    JSON.stringify([
      { op: "add", path: typeof path === "string" ? `/${path}` : "/spec/size", value },
      { op: "copy", from: "/spec", path: "/metadata/labels" },
    ]),
  ),
  fc
    .tuple(json.value, json.value)
    .map(([verb, namespace]) => JSON.stringify({ spec: { resourceAttributes: { verb, namespace, resource: "widgets" } } })),
  nasty.map((text) => `k8s\u0000\n\u0002${text}`),
  nasty.map((text) => `metadata: { name: a }\nspec: &x [*x, ${text}]`),
  fc.tuple(json.value).map(([values]) => JSON.stringify({ spec: { values, size: values } })),
);
const types = fc.constantFrom(
  "application/json",
  "application/yaml",
  "application/json-patch+json",
  "application/apply-patch+yaml",
  "application/vnd.kubernetes.protobuf",
  "application/merge-patch+json",
  "text/plain",
  "",
  "application/json; charset=utf-8",
);

/** Stack traces, and values as they are sealed at rest (`v1.<key id>.<nonce>.<text>`). */
const INSIDE = /at .*\.ts:\d+|node_modules|v1\.[0-9a-f]{12}\.[\w-]{16}\./;

describe("whatever is sent to whatever address", () => {
  it("is answered, and never with a 5xx; nothing of the inside shows", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...METHODS),
        fc.constantFrom(...ROUTES),
        query,
        document,
        types,
        async (method, path, search, body, type) => {
          // Streams are open by their nature: others look at them.
          if (path.endsWith("/stream") || (path.includes("/watch/") && method !== "POST") || search.includes("watch=")) return;
          const before = fixture.logged.length;
          const bare = method === "GET" || method === "HEAD" || method === "OPTIONS";
          const answer = await fixture.call(method, `${path}${search === "" ? "" : `?${search}`}`, bare ? undefined : body, {
            headers: type === "" ? {} : { "content-type": type },
          });
          expect([method, path, search, body, answer.status, fixture.logged.slice(before)]).toEqual([
            method,
            path,
            search,
            body,
            expect.toSatisfy((s: number) => s < 500),
            [],
          ]);
          expect(answer.headers.get("x-request-id")).not.toBeNull();
          if (answer.status >= 400 && method !== "HEAD")
            expect(answer.body).toMatchObject({ kind: "Status", code: answer.status, reason: expect.any(String) });
          expect(answer.text).not.toMatch(INSIDE);
        },
      ),
      // A field that a client itself calls "sealed" is named back to it: its own word, nothing of the inside.
      { numRuns: 1_500, examples: [["POST", `${VAULTS}/a/plan`, "", '{"sealed":"\\u0000"}', "application/json"]] },
    );
    expect((await fixture.call("GET", "/apis")).status).toBe(200);
  });

  it("paths of any shape are answered with 4xx", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), fc.array(nasty, { maxLength: 8 }), fc.boolean(), async (method, segments, raw) => {
        const path = segments.map((segment) => (raw ? segment.replace(/[^\x21-\x7e]|[?#\\]/g, "%zz") : encoded(segment))).join("/");
        const below = "/apis/setpoint.dev/v1alpha1/namespaces/";
        // Dots climb before anything is sent: what they climb to may well be there.
        if (!new URL(`${below}${path}`, "http://here").pathname.startsWith(below)) return;
        const answer = await fixture.call(method, `${below}${path}`);
        expect([path, answer.status]).toEqual([path, expect.toSatisfy((s: number) => s >= 400 && s < 500)]);
      }),
      { numRuns: 300 },
    );
  });

  it("credentials of any shape are refused with 401", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme-ascii", minLength: 1 }), async (token) => {
        const headers = {
          authorization: token === TOKEN ? "x" : token.trim(),
          cookie: `next-auth.session-token=${encodeURIComponent(token)}`,
        };
        expect((await fixture.call("GET", WIDGETS, undefined, { token: null, headers })).status).toBe(401);
      }),
      { numRuns: 50 },
    );
  });

  it("a store that is away is 503 with Retry-After, for tokens and sessions alike, and served again when it is back", async () => {
    const server = new URL(await createTestDatabase());
    const gate = await openGate(Number(server.port), server.hostname);
    server.port = String(gate.port);
    server.hostname = "127.0.0.1";
    const store = await openStore({ databaseUrl: server.href, clock: systemClock, notify: false, log: () => undefined });
    const other = await openFixture(store);
    try {
      await other.create(WIDGETS, "a", { size: 1 });
      const { body: user } = await other.call("POST", "/api/console/users", {
        email: "a@example.org",
        name: "a",
        role: "viewer",
        password: "correct horse",
      });
      const cookie = await other.cookieOf(user.id);
      const asUser = { token: null, headers: { cookie } };
      expect((await other.call("GET", `${WIDGETS}/a`, undefined, asUser)).status).toBe(200);
      await gate.shut();
      for (const options of [{}, asUser])
        for (const [method, path] of [
          ["GET", `${WIDGETS}/a`],
          ["GET", "/api/console/resources"],
          ["DELETE", `${WIDGETS}/a?dryRun=All`],
        ] as const) {
          const { status, headers, body } = await other.call(method, path, undefined, options);
          expect([method, path, status, headers.get("retry-after"), body.reason]).toEqual([method, path, 503, "1", "ServiceUnavailable"]);
        }
      await gate.open();
      await eventually("it is served again", async () => (await other.call("GET", `${WIDGETS}/a`, undefined, asUser)).status === 200);
    } finally {
      await other.close();
      await gate.shut();
    }
  });
});

/** A way to a server that can be shut like a cable that is cut, and opened again on the same port. */
async function openGate(port: number, host: string) {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(port, host);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.delete(socket));
    }
    client.pipe(upstream).pipe(client);
  });
  const open = (at: number) => new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  await open(0);
  const own = (server.address() as net.AddressInfo).port;
  return {
    port: own,
    open: () => open(own),
    async shut() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
