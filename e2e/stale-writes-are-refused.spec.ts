/** The contract of the API that clients build on: no write over what was not seen, watches without gaps, lists in pages, trials that store nothing. */
import { expect, test } from "playwright/test";
import type { ApiList, ApiObject, ApiStatus } from "@/lib/api/contract";
import { API, Client } from "./client";
import { type Server, startServer, until } from "./server";

let server: Server;
let client: Client;
test.beforeAll(async () => {
  server = await startServer();
  client = new Client(server.url, server.token);
});
test.afterAll(() => server?.stop());

const file = (content: string, name = "x") => ({ path: `${name}.conf`, content });

test("a PUT or PATCH over an older resourceVersion is 409, says so, and changes nothing", async () => {
  const original = await client.create("configfiles", "stale", file("one"));
  await client.patch("configfiles", "stale", { spec: { content: "two" } });
  const current = await client.converged("configfiles", "stale");
  const { resourceVersion } = original.metadata;
  const stale = [
    await client.send<ApiStatus>("PUT", client.path("configfiles", "stale"), { ...original, spec: file("three") }),
    await client.send<ApiStatus>("PATCH", client.path("configfiles", "stale"), {
      metadata: { resourceVersion },
      spec: { content: "three" },
    }),
    await client.send<ApiStatus>("DELETE", client.path("configfiles", "stale"), { preconditions: { resourceVersion } }),
  ];
  for (const { status, body } of stale) {
    expect(status).toBe(409);
    expect(body).toMatchObject({
      kind: "Status",
      status: "Failure",
      reason: "Conflict",
      code: 409,
      // As kube-apiserver: of a delete's precondition the kind is named, else the plural.
      details: { name: "stale", kind: expect.stringMatching(/^(configfiles|ConfigFile)$/) },
    });
  }
  const without = await client.send<ApiStatus>("PUT", client.path("configfiles", "stale"), { spec: file("three") });
  expect(without.status).toBe(422);
  expect(without.body.details?.causes?.[0]?.field).toBe("metadata.resourceVersion");
  const { metadata, spec } = await client.get("configfiles", "stale");
  expect({ metadata, spec }).toEqual({ metadata: current.metadata, spec: current.spec });
  // The same over the newest version goes through, and is one more generation and revision.
  const written = await client.replace("configfiles", { ...current, spec: { ...current.spec, content: "three" } });
  expect(written.metadata.generation).toBe(current.metadata.generation + 1);
  const revisions = await client.revisions("configfiles", "stale");
  expect(revisions.map(({ generation, author }) => ({ generation, author }))).toEqual(
    [3, 2, 1].map((generation) => ({ generation, author: "bootstrap-token" })),
  );
  expect(revisions[0]?.diff).toEqual([expect.objectContaining({ path: "spec.content", desired: "three", actual: "two" })]);
});

test("of many writers over one version exactly one wins", async () => {
  const object = await client.create("configfiles", "raced", file("0", "raced"), { control: { mode: "Observe" } });
  const current = await client.waitFor("configfiles", "raced", "looked at", ({ status }) => status !== undefined);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      client.send("PUT", client.path("configfiles", "raced"), { ...current, spec: file(String(n + 1), "raced") }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(409)]);
  expect((await client.get("configfiles", "raced")).metadata.generation).toBe(object.metadata.generation + 1);
});

test("clients cannot write status, generation, uid or the engine's finalizer", async () => {
  const object = await client.create("configfiles", "owned", file("one", "owned"));
  const converged = await client.converged("configfiles", "owned");
  const forged = { ...converged, status: { ...converged.status, state: "Failed", message: "forged" } };
  forged.metadata = { ...converged.metadata, generation: 77, creationTimestamp: "2001-01-01T00:00:00.000Z" };
  await client.ask("PUT", client.path("configfiles", "owned"), forged);
  const after = await client.get("configfiles", "owned");
  expect(after.metadata).toMatchObject({ generation: 1, uid: object.metadata.uid, creationTimestamp: object.metadata.creationTimestamp });
  expect(after.status?.message).not.toBe("forged");
  expect((await client.send("PUT", client.path("configfiles", "owned", "status"), forged)).status).toBe(405);
  const stripped = await client.send<ApiStatus>("PATCH", client.path("configfiles", "owned"), { metadata: { finalizers: null } });
  expect(stripped.status).toBe(422);
  expect(
    (await client.send("PUT", client.path("configfiles", "owned"), { ...after, metadata: { ...after.metadata, uid: "other" } })).status,
  ).toBe(409);
});

test("a watch from a resourceVersion tells ADDED, MODIFIED and DELETED in order, from before it began and after, and nothing else", async () => {
  const { metadata } = await client.list("configfiles");
  await client.create("configfiles", "seen", file("one", "seen"), { labels: { team: "a" }, control: { mode: "Observe" } });
  const controller = new AbortController();
  const path = `${client.path("configfiles")}?watch=true&resourceVersion=${metadata.resourceVersion}&fieldSelector=metadata.name%3Dseen`;
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${server.token}` }, signal: controller.signal });
  expect(response.status).toBe(200);
  const events: { type: string; object: ApiObject }[] = [];
  const reading = readLines(response, (line) => events.push(JSON.parse(line)));
  await client.waitFor("configfiles", "seen", "looked at", ({ status }) => status !== undefined);
  await client.create("configfiles", "unseen", file("one", "unseen"), { control: { mode: "Observe" } });
  await client.patch("configfiles", "seen", { spec: { content: "two" } });
  await client.ask("DELETE", client.path("configfiles", "seen"));
  await until(() => events.at(-1)?.type === "DELETED", 20_000, "the watch did not tell of the deletion");
  controller.abort();
  await reading;

  expect(events[0]).toMatchObject({ type: "ADDED", object: { metadata: { name: "seen", generation: 1 } } });
  expect(events.slice(1, -1).every(({ type }) => type === "MODIFIED")).toBe(true);
  expect(new Set(events.map(({ object }) => object.metadata.name))).toEqual(new Set(["seen"]));
  const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
  expect(versions).toEqual([...versions].sort((a, b) => a - b));
  expect(new Set(versions).size).toBe(versions.length);
  const contents = events.filter(({ object }) => object.metadata.deletionTimestamp === undefined).map(({ object }) => object.spec.content);
  expect([...new Set(contents)]).toEqual(["one", "two"]);
});

test("lists come in pages, and are selected by label and by field", async () => {
  const fleet = new Client(server.url, server.token, "fleet");
  for (let n = 0; n < 7; n++) {
    const labels = { parity: n % 2 === 0 ? "even" : "odd", ...(n > 4 ? { big: "yes" } : {}) };
    const control = { mode: n === 3 ? ("Observe" as const) : ("DryRun" as const) };
    await fleet.create("configfiles", `f${n}`, file("x", `fleet/f${n}`), { labels, control });
  }
  const names: string[] = [];
  let page: ApiList | undefined;
  do {
    page = await fleet.list("configfiles", `?limit=3${page?.metadata.continue ? `&continue=${page.metadata.continue}` : ""}`);
    names.push(...page.items.map(({ metadata }) => metadata.name));
    expect(page.items.length).toBeLessThanOrEqual(3);
  } while (page.metadata.continue);
  expect(names).toEqual(["f0", "f1", "f2", "f3", "f4", "f5", "f6"]);

  const select = async (query: string) => (await fleet.list("configfiles", query)).items.map(({ metadata }) => metadata.name);
  const label = (selector: string) => select(`?labelSelector=${encodeURIComponent(selector)}`);
  const field = (selector: string) => select(`?fieldSelector=${encodeURIComponent(selector)}`);
  expect(await label("parity=odd")).toEqual(["f1", "f3", "f5"]);
  expect(await label("parity!=odd,big")).toEqual(["f6"]);
  expect(await label("parity in (even,odd),!big")).toEqual(["f0", "f1", "f2", "f3", "f4"]);
  expect(await label("parity notin (even)")).toEqual(["f1", "f3", "f5"]);
  expect(await field("metadata.name=f2")).toEqual(["f2"]);
  expect(await field("control.mode=Observe")).toEqual(["f3"]);
  expect(await field("metadata.namespace!=fleet")).toEqual([]);
  // All namespaces at once.
  const everywhere = await client.ask<ApiList>("GET", `${API}/configfiles?fieldSelector=metadata.namespace%3Dfleet`);
  expect(everywhere.items).toHaveLength(7);
});

test("dryRun=All answers as if, and stores nothing", async () => {
  const newest = async () => (await client.list("configfiles")).metadata.resourceVersion;
  const kept = await client.create("configfiles", "kept", file("one", "kept"));
  await client.converged("configfiles", "kept");
  const before = await newest();
  const body = { metadata: { name: "trial" }, spec: file("one", "trial") };
  const created = await client.send<ApiObject>("POST", `${client.path("configfiles")}?dryRun=All`, body);
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    metadata: { name: "trial", generation: 1 },
    spec: { path: "trial.conf", host: expect.any(String) },
  });
  const patched = await client.send<ApiObject>("PATCH", `${client.path("configfiles", "kept")}?dryRun=All`, { spec: { content: "two" } });
  expect(patched.body.spec.content).toBe("two");
  expect((await client.send("DELETE", `${client.path("configfiles", "kept")}?dryRun=All`)).status).toBe(200);
  expect((await client.send("POST", `${client.path("configfiles")}?dryRun=Some`, body)).status).toBe(422);
  expect(await newest()).toBe(before);
  expect((await client.send("GET", client.path("configfiles", "trial"))).status).toBe(404);
  expect((await client.get("configfiles", "kept")).metadata).toMatchObject({ generation: 1, uid: kept.metadata.uid });
  expect(await client.revisions("configfiles", "kept")).toHaveLength(1);
});

async function readLines(response: Response, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of response.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line !== "") onLine(line);
    }
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
  }
}
