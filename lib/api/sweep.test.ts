import net from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { systemClock } from "@/lib/clock";
import { createTestDatabase, eventually } from "@/lib/conformance/store";
import { openStore } from "@/lib/store/prisma";
import type { AnyKind } from ".";
import { nasty } from "./testing/documents";
import { type Answer, BASE, type Fixture, KINDS, openFixture, TOKEN, USERS_OF_VAULTS, VAULTS, WIDGETS } from "./testing/fixture";
import { badRequest, encoded, type Sent } from "./testing/requests";

/** What the requests are about; with a kind that can be scaled. */
const [widget] = KINDS;
const gadget: AnyKind[] = widget
  ? [
      {
        ...widget,
        name: "Gadget",
        plural: "gadgets",
        singular: "gadget",
        claims: undefined,
        scale: { replicas: "size", observed: "status.observed.size" },
      },
    ]
  : [];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture(undefined, [...KINDS, ...gadget]);
});
afterAll(() => fixture.close());

/** Everything as it was at first: what was sent before may have emptied or paused it. */
async function restore(): Promise<void> {
  await fixture.store.pool.query("delete from resource; delete from kind_control; delete from access_role; delete from service_account");
  await fixture.create(WIDGETS, "a", { size: 1 });
  await fixture.create(WIDGETS.replace("widgets", "gadgets"), "a", { size: 1 });
  await fixture.create(VAULTS, "a", { values: { k: "v" } });
  await fixture.create(USERS_OF_VAULTS, "a", { from: { vault: "a" } });
  await fixture.call("POST", "/api/console/serviceaccounts", { namespace: "default", name: "robot" });
}

async function send({ method, target, headers, body }: Sent): Promise<Answer> {
  const request = new Request(`${BASE}${target}`, { method, headers: { authorization: `Bearer ${TOKEN}`, ...headers }, body });
  const response = await fixture.api.handle(request);
  // A stream goes on; how it begins is enough.
  const streams = response.headers.get("x-accel-buffering") === "no";
  const text = streams ? "" : await response.text();
  if (streams) await response.body?.cancel();
  const type = response.headers.get("content-type") ?? "";
  const read =
    type === "application/json" ? JSON.parse : type === "application/yaml" ? (given: string) => parseYaml(given) : () => undefined;
  return { status: response.status, headers: response.headers, text, body: text === "" ? undefined : read(text) };
}

/** Stack traces, and values as they are sealed at rest (`v1.<key id>.<nonce>.<text>`). */
const INSIDE = /at .*\.ts:\d+|node_modules|v1\.[0-9a-f]{12}\.[\w-]{16}\./;

/** Of them at least 10,000 are refused: the others happen to be right. */
const RUNS = 11_400;
const RESTORED_EVERY = 100;

/** What is wrong with an answer, with all that is needed to ask again; undefined: nothing. */
function faultOf({ method }: Sent, { status, headers, body, text }: Answer, logged: string[]): string | undefined {
  if (status >= 500 || logged.length > 0) return `${status}: ${logged.join("; ")} ${text.slice(0, 500)}`;
  if (headers.get("x-request-id") === null) return "no request id";
  if (INSIDE.test(text)) return `shows what is inside: ${INSIDE.exec(text)?.[0]}`;
  const told = body?.kind === "Status" && body.code === status && typeof body.reason === "string";
  return status >= 400 && method !== "HEAD" && !told ? `${status} without a Status: ${text.slice(0, 200)}` : undefined;
}

describe("whatever is sent to whatever address", () => {
  it("is answered, and never with a 5xx, ten thousand times over; nothing of the inside shows", { timeout: 120_000 }, async () => {
    let sent = 0;
    let refused = 0;
    let failed = false;
    await fc.assert(
      fc.asyncProperty(badRequest, async (request) => {
        // After a failure each try begins anew, so that what is left of it fails by itself.
        if (failed || sent % RESTORED_EVERY === 0) await restore();
        sent += 1;
        const before = fixture.logged.length;
        const answer = await send(request);
        const fault = faultOf(request, answer, fixture.logged.slice(before));
        failed ||= fault !== undefined;
        expect(fault).toBeUndefined();
        if (answer.status >= 400) refused += 1;
      }),
      {
        numRuns: RUNS,
        // A field that a client itself calls "sealed" is named back to it: its own word, nothing of the inside.
        examples: [
          [{ method: "POST", target: `${VAULTS}/a/plan`, headers: { "content-type": "application/json" }, body: '{"sealed":"\\u0000"}' }],
          [{ method: "DELETE", target: "/api/console/serviceaccounts/%00/x", headers: {} }],
        ],
      },
    );
    expect(refused).toBeGreaterThanOrEqual(10_000);
    expect((await fixture.call("GET", "/apis")).status).toBe(200);
  });

  it("paths of any shape are answered with 4xx", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
        fc.array(nasty, { maxLength: 8 }),
        fc.boolean(),
        async (method, segments, raw) => {
          const path = segments.map((segment) => (raw ? segment.replace(/[^\x21-\x7e]|[?#\\]/g, "%zz") : encoded(segment))).join("/");
          const below = "/apis/setpoint.dev/v1alpha1/namespaces/";
          // Dots climb before anything is sent: what they climb to may well be there.
          if (!new URL(`${below}${path}`, "http://here").pathname.startsWith(below)) return;
          const answer = await fixture.call(method, `${below}${path}`);
          expect([path, answer.status]).toEqual([path, expect.toSatisfy((s: number) => s >= 400 && s < 500)]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("what can be nobody's name is not found, whatever it would be the name of", async () => {
    for (const path of [`${WIDGETS}/%00`, `${WIDGETS}/a%00/plan`, "/api/console/roles/%00", "/api/console/serviceaccounts/%00/x"])
      for (const method of ["GET", "DELETE"]) expect([path, (await fixture.call(method, path)).status]).toEqual([path, 404]);
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
