/** Bad input on every route: its own 4xx with reason and field, never a 5xx, and every object as it was. */
import http from "node:http";
import net from "node:net";
import { expect, test } from "playwright/test";
import type { ApiStatus } from "@/lib/api/contract";
import { API, Client } from "./client";
import { type Server, startServer } from "./server";

const FILES = `${API}/namespaces/default/configfiles`;
const OBJECT = `${FILES}/app`;

let server: Server;
let client: Client;
let before: unknown;
test.beforeAll(async () => {
  server = await startServer();
  client = new Client(server.url, server.token);
  await client.create("configfiles", "app", { path: "app.conf", content: "listen = 8080\n" });
  await client.create("replicasets", "web", { replicas: 1, template: { command: ["sample-service"], stopGraceSeconds: 2 } });
  await client.create("secrets", "key", { values: { password: "a password" } });
  for (const [plural, name] of STORED) await client.converged(plural, name);
  before = await everything();
});
test.afterEach(async () => {
  expect(await everything()).toEqual(before);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});
test.afterAll(() => server?.stop());

const STORED = [
  ["configfiles", "app"],
  ["replicasets", "web"],
  ["secrets", "key"],
] as const;

/** Everything that is stored and shown, without the time of the last look. */
async function everything() {
  const lists = await Promise.all(["configfiles", "replicasets", "secrets", "postgresroles", "postgresservers"].map((p) => client.list(p)));
  const users = await client.ask<{ items: unknown[] }>("GET", "/api/console/users");
  return {
    newest: lists[0]?.metadata.resourceVersion,
    items: lists.flatMap(({ items }) => items.map(({ freshness: _look, ...rest }) => rest)),
    users,
  };
}

/** A 4xx with a `Status` body that says what is wrong. */
function refused(answer: { status: number; body: ApiStatus; text: string }, code: number, about: string): void {
  expect(answer.status, `${about}: ${answer.text.slice(0, 300)}`).toBe(code);
  expect(answer.body, about).toMatchObject({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason: expect.stringMatching(/^[A-Z]/),
  });
  expect((answer.body.message ?? "").length, about).toBeGreaterThan(5);
}

const create = (body: unknown, headers?: Record<string, string>) => client.send<ApiStatus>("POST", FILES, body, headers);
const spec = { path: "new.conf", content: "x" };
const metadata = { name: "new" };

test("a wrong field is named, with a suggestion when it is misspelt", async () => {
  const cases: [about: string, body: object, field: string, words?: string][] = [
    ["unknown field", { metadata, spec: { ...spec, contnet: "x" } }, "spec.contnet", 'did you mean "content"?'],
    ["unknown top-level field", { metadata, spec, sepc: {} }, "sepc", 'did you mean "spec"?'],
    ["unknown metadata", { metadata: { ...metadata, lables: {} }, spec }, "metadata.lables", 'did you mean "labels"?'],
    ["unknown control", { metadata, spec, control: { mod: "Auto" } }, "control.mod", 'did you mean "mode"?'],
    ["wrong type", { metadata, spec: { ...spec, content: 5 } }, "spec.content"],
    ["null where text is", { metadata, spec: { ...spec, path: null } }, "spec.path"],
    ["list where map is", { metadata, spec: [] }, "spec"],
    ["missing field", { metadata, spec: { content: "x" } }, "spec.path"],
    ["missing spec", { metadata }, "spec"],
    ["value out of the list", { metadata, spec, control: { mode: "Sometimes" } }, "control.mode", "Auto"],
    ["bad mode", { metadata, spec: { ...spec, mode: "9999" } }, "spec.mode"],
    ["bad name", { metadata: { name: "Not_A_Name" }, spec }, "metadata.name"],
    ["empty name", { metadata: { name: "" }, spec }, "metadata.name"],
    ["name too long", { metadata: { name: "a".repeat(254) }, spec }, "metadata.name"],
    ["letters beyond ASCII", { metadata: { name: "häuser" }, spec }, "metadata.name"],
    ["bad label", { metadata: { ...metadata, labels: { team: "not a label" } }, spec }, "metadata.labels.team"],
    ["bad label key", { metadata: { ...metadata, labels: { "": "x" } }, spec }, "metadata.labels"],
    ["bad finalizer", { metadata: { ...metadata, finalizers: ["mine"] }, spec }, "metadata.finalizers[0]"],
    ["pause without reason", { metadata, spec, control: { paused: {} } }, "control.paused.reason"],
    ["pause in the past", { metadata, spec, control: { paused: { reason: "x", until: "2001-01-01T00:00:00Z" } } }, "control.paused.until"],
    ["pause until whenever", { metadata, spec, control: { paused: { reason: "x", until: "tomorrow" } } }, "control.paused.until"],
  ];
  for (const [about, body, field, words] of cases) {
    const answer = await create(body);
    refused(answer, 422, about);
    const cause = answer.body.details?.causes?.find((candidate) => candidate.field.startsWith(field));
    expect(cause, `${about}: ${answer.text}`).toBeDefined();
    if (words) expect(cause?.message, about).toContain(words);
  }
  const many = await create({ metadata: { name: "Bad" }, spec: { path: 1, content: 2, mode: 3 } });
  expect(many.body.details?.causes?.map(({ field }) => field).sort()).toEqual(["metadata.name", "spec.content", "spec.mode", "spec.path"]);
});

test("what JSON cannot keep, or a store cannot hold, is refused with its field and never rounded", async () => {
  const text = (content: string) => `{"metadata":{"name":"new"},"spec":{"path":"new.conf","content":${content}}}`;
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const cases: [about: string, body: string, code: number][] = [
    ["number beyond doubles", text("12345678901234567890"), 422],
    ["number that is infinite", text("1e999"), 422],
    ["number that JSON rounds", text("0.1234567890123456789"), 422],
    ["NUL", text('"a\\u0000b"'), 422],
    ["half a surrogate pair", text('"\\ud800"'), 422],
    ["prototype", text('"x","__proto__":{"admin":true}'), 422],
    ["constructor", text('"x","constructor":{}'), 422],
    ["key given twice", text('"x","content":"y"'), 422],
    ["too deep", deep(65), 422],
    ["far too deep", deep(100_000), 422],
    ["not closed", '{"metadata":', 400],
    ["no JSON", "<xml/>", 400],
    ["more than one", "{} {}", 400],
    ["empty", " ", 400],
    ["a list", "[]", 400],
    ["a text", '"x"', 400],
    ["NaN", text("NaN"), 400],
    ["control character", text('"a\nb"'), 400],
    ["comment", "{/* */}", 400],
  ];
  for (const [about, body, code] of cases) refused(await create(body), code, about);
  refused(await create(text(`"${"x".repeat(1024 * 1024)}"`)), 413, "too big");
  const notUtf8 = await raw("POST", FILES, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), { "content-type": "application/json" });
  refused(notUtf8, 400, "not UTF-8");
  const endless = await raw("POST", FILES, Buffer.alloc(3 * 1024 * 1024, " "), {
    "content-type": "application/json",
    "transfer-encoding": "chunked",
  });
  refused(endless, 413, "too big without saying so first");
});

test("media types, identities and parameters that do not fit are told apart", async () => {
  refused(await create({ metadata, spec }, { "content-type": "text/plain" }), 415, "media type");
  refused(await create({ metadata, spec }, { "content-type": "application/x-www-form-urlencoded" }), 415, "form");
  refused(await create({ metadata, spec }, { accept: "application/vnd.kubernetes.protobuf" }), 406, "accept");
  refused(await client.send("PATCH", OBJECT, {}, { "content-type": "application/strategic-merge-patch+json" }), 415, "strategic patch");
  refused(await client.send("PATCH", OBJECT, { not: "a list" }, { "content-type": "application/json-patch+json" }), 400, "JSON patch");
  refused(await create({ metadata: { ...metadata, namespace: "other" }, spec }), 400, "wrong namespace");
  refused(await create({ kind: "Secret", metadata, spec }), 400, "wrong kind");
  refused(await create({ apiVersion: "v1", metadata, spec }), 400, "wrong version");
  refused(await create({ metadata: { name: "app" }, spec }), 409, "exists");
  refused(await client.send("PATCH", OBJECT, { metadata: { name: "other" } }), 400, "renamed");
  refused(await client.send("PATCH", OBJECT, { spec: { path: "elsewhere.conf" } }), 422, "immutable");
  for (const query of [
    "limit=-1",
    "limit=x",
    "continue=garbage",
    "labelSelector=%3D%3D",
    "labelSelector=a+in+(",
    "fieldSelector=spec.path%3Dx",
    "fieldSelector=nonsense",
    "resourceVersion=abc",
    "resourceVersion=999999999999",
    "watch=perhaps",
    "limit=1&limit=2",
    `labelSelector=${"a".repeat(5_000)}`,
    "labelSelector=%00",
  ])
    refused(await client.send("GET", `${FILES}?${query}`), 400, query);
  for (const query of ["limit=0", "limit=501", "limit=abc"]) refused(await client.send("GET", `${OBJECT}/events?${query}`), 400, query);
  refused(await client.send("POST", `${FILES}?message=${"m".repeat(501)}`, { metadata, spec }), 400, "long message");
});

test("paths that lead nowhere, and bytes that are no path, are 4xx", async () => {
  const nowhere = [
    "/apis/other.dev/v1",
    `${API}/widgets`,
    `${API}/namespaces`,
    `${API}/namespaces/default/widgets`,
    `${API}/namespaces/default/__proto__`,
    `${API}/namespaces/default/constructor/x`,
    `${FILES}/missing`,
    `${FILES}/missing/plan`,
    `${OBJECT}/nonsense`,
    `${OBJECT}/__proto__`,
    `${OBJECT}/plan/more`,
    `${FILES}/..%2f..%2fsecrets`,
    `${FILES}/%00`,
    `${FILES}/a%0Ab`,
    `${FILES}/${"a".repeat(300)}`,
    "/api/console/nonsense",
    "/api/console/__proto__",
  ];
  for (const path of nowhere) refused(await raw("GET", path), 404, path);
  for (const path of [`${API}/namespaces/Not_One/configfiles`, `${API}/namespaces/${"n".repeat(64)}/configfiles`])
    refused(await raw("GET", path), 400, path);
  for (const path of [`${FILES}/%`, `${FILES}/%zz`, `${FILES}/%c0%af`, `${API}/%ff`, "/api/console/%e0%a4%a", `${FILES}?labelSelector=%`]) {
    const { status, text } = await raw("GET", path);
    expect(status, `${path}: ${text.slice(0, 200)}`).toBeGreaterThanOrEqual(path.includes("?") ? 200 : 400);
    expect(status, `${path}: ${text.slice(0, 200)}`).toBeLessThan(500);
  }
  const long = await raw("GET", `${FILES}?x=${"y".repeat(20_000)}`);
  expect(long.status, long.text.slice(0, 200)).toBe(400);
  for (const line of ["GET / HTTP/9.9", "NONSENSE", "GET  /apis HTTP/1.1", "\u0000\u0001"])
    expect(await firstLine(line)).toMatch(/^(HTTP\/1\.1 4\d\d|$)/);
});

test("a method that a route does not have is 405 with those that it has", async () => {
  const cases: [path: string, methods: string[], allow: string][] = [
    [FILES, ["PUT", "PATCH"], "GET, HEAD, POST, DELETE"],
    [OBJECT, ["POST"], "GET, HEAD, PUT, PATCH, DELETE"],
    [`${API}/configfiles`, ["POST", "DELETE"], "GET, HEAD"],
    [`${OBJECT}/plan`, ["PUT", "DELETE"], "GET, HEAD, POST"],
    [`${OBJECT}/reconcile`, ["GET", "PUT"], "POST"],
    [`${OBJECT}/control`, ["POST", "DELETE"], "GET, HEAD, PUT, PATCH"],
    [`${OBJECT}/status`, ["PUT", "PATCH"], "GET, HEAD"],
    ...["revisions", "events", "passes"].map((part): [string, string[], string] => [`${OBJECT}/${part}`, ["POST", "DELETE"], "GET, HEAD"]),
    ["/api/console/me", ["POST"], "GET, HEAD"],
    ["/api/console/bulk", ["GET"], "POST"],
  ];
  for (const [path, methods, allow] of cases)
    for (const method of methods) {
      const answer = await client.send<ApiStatus>(method, path, method === "GET" ? undefined : {});
      refused(answer, 405, `${method} ${path}`);
      expect(answer.headers.get("allow"), `${method} ${path}`).toBe(allow);
    }
  for (const method of ["TRACE", "PROPFIND", "LINK"]) {
    const { status } = await raw(method, FILES);
    expect(status, method).toBeGreaterThanOrEqual(400);
    expect(status, method).toBeLessThan(500);
  }
});

test("garbage in the body of every route that takes one is a 4xx", async () => {
  const takers: [method: string, path: string][] = [
    ["POST", FILES],
    ["PUT", OBJECT],
    ["PATCH", OBJECT],
    ["DELETE", OBJECT],
    ["POST", `${OBJECT}/plan`],
    ["POST", `${OBJECT}/reconcile`],
    ["PUT", `${OBJECT}/control`],
    ["PATCH", `${OBJECT}/control`],
    ["POST", "/api/console/bulk"],
    ["POST", "/api/console/users"],
    ["PATCH", "/api/console/users/nobody"],
    ["POST", "/api/console/setup"],
    ["PUT", "/api/console/controllers/configfiles/pause"],
  ];
  const wrong = [
    "{",
    "[1,2]",
    '"x"',
    "null",
    '{"nonsense":{"a":[1]}}',
    '{"__proto__":{}}',
    '{"metadata":5}',
    '{"spec":"\\u0000"}',
    '{"reason":1e999}',
  ];
  for (const [method, path] of takers)
    for (const body of wrong) {
      // Reconcile takes no fields: an object with any is as good as none.
      if (path.endsWith("/reconcile") && body.startsWith('{"non')) continue;
      const { status, text } = await client.send(method, path, body, method === "DELETE" ? { "content-type": "application/json" } : {});
      if (path.endsWith("/reconcile") && status === 202) continue;
      expect(status, `${method} ${path} ${body}: ${text.slice(0, 200)}`).toBeGreaterThanOrEqual(400);
      expect(status, `${method} ${path} ${body}: ${text.slice(0, 200)}`).toBeLessThan(500);
    }
  for (const query of [
    "sort=nonsense",
    "page=0",
    "page=x",
    "limit=9999",
    "state=Nonsense",
    "label=%3D%3D",
    "drifted=perhaps",
    "page=999999999",
  ]) {
    const { status, text } = await client.send("GET", `/api/console/resources?${query}`);
    expect(status, `${query}: ${text.slice(0, 200)}`).toBeLessThan(500);
  }
  for (const query of ["ms=0", "ms=-5", "ms=abc", "ms=999999999", "ms="]) {
    const { status } = await client.send("POST", `/api/worker?${query}`);
    expect(status, query).toBe(400);
  }
  const range = await client.send("GET", "/api/console/overview?range=ever");
  expect(range.status).toBeLessThan(500);
});

/** One request with exactly this path and body, as no well-behaved client would send it. */
function raw(method: string, path: string, body?: Buffer, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; text: string; body: ApiStatus }>((resolve, reject) => {
    const length = body === undefined || "transfer-encoding" in headers ? {} : { "content-length": String(body.length) };
    // Without a body on a connection of its own: one that the server has just closed must not be taken for its answer.
    const options = {
      ...(body === undefined ? { agent: false } : {}),
      method,
      path,
      port: server.port,
      headers: { authorization: `Bearer ${server.token}`, ...length, ...headers },
    };
    const request = http.request(options, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => {
        const json = response.headers["content-type"]?.startsWith("application/json") && text !== "";
        resolve({ status: response.statusCode ?? 0, text, body: json ? JSON.parse(text) : undefined });
      });
    });
    // An answer may come, and the connection go, before all of the body is sent.
    request.on("error", (error) => ("code" in error && error.code === "EPIPE" ? undefined : reject(error)));
    request.end(body);
  });
}

/** The first line of the answer to a line that is no request. */
function firstLine(line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(server.port, "127.0.0.1", () => socket.end(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`));
    let text = "";
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer to ${JSON.stringify(line)}`)));
    socket.on("data", (chunk) => {
      text += chunk;
    });
    // Cut off without a word is an answer too: the empty line.
    socket.on("error", (error) => ("code" in error && error.code === "ECONNRESET" ? undefined : reject(error)));
    socket.on("close", () => resolve(text.split("\r\n")[0] ?? ""));
  });
}
