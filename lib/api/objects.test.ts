import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Fixture, openFixture, USERS_OF_VAULTS, VAULTS, WIDGETS } from "./testing/fixture";

let fixture: Fixture;
beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());

const GV = "/apis/setpoint.dev/v1alpha1";
const soon = () => new Date(Date.now() + 3_600_000).toISOString();

describe("creating an object", () => {
  it("answers 201 with defaults, the engine's finalizer, the serving host and the control that was sent", async () => {
    const { status, body, headers } = await fixture.create(
      WIDGETS,
      "a",
      { size: 2 },
      { control: { mode: "DryRun", paused: { reason: "later" } } },
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({
      apiVersion: "setpoint.dev/v1alpha1",
      kind: "Widget",
      metadata: { name: "a", namespace: "default", generation: 1, finalizers: ["setpoint.dev/cleanup"] },
      spec: { size: 2, colour: "red", host: "here" },
      control: { mode: "DryRun", deletionPolicy: "Delete", paused: { by: "bootstrap-token", reason: "later" } },
      view: { state: "Paused" },
    });
    expect(headers.get("cache-control")).toBe("no-cache, private");
    expect(headers.get("x-request-id")).toMatch(/.{8}/);
    const { rows } = await fixture.store.pool.query("select slice from resource where name='a'");
    expect(rows[0].slice).toBe("host/here");
  });

  it("refuses a taken name with 409 AlreadyExists in Kubernetes' words", async () => {
    await fixture.create(WIDGETS, "taken", { size: 1 });
    const { status, body } = await fixture.create(WIDGETS, "taken", { size: 1 });
    expect(status).toBe(409);
    expect(body).toMatchObject({
      kind: "Status",
      status: "Failure",
      reason: "AlreadyExists",
      message: 'widgets.setpoint.dev "taken" already exists',
      details: { name: "taken", group: "setpoint.dev", kind: "widgets" },
    });
  });

  it("stores nothing with dryRun=All, and refuses other values of it", async () => {
    expect((await fixture.call("POST", `${WIDGETS}?dryRun=All`, { metadata: { name: "dry" }, spec: { size: 1 } })).status).toBe(201);
    expect((await fixture.call("GET", `${WIDGETS}/dry`)).status).toBe(404);
    expect((await fixture.call("POST", `${WIDGETS}?dryRun=Some`, { metadata: { name: "dry" }, spec: { size: 1 } })).status).toBe(422);
  });

  it("makes up a name from generateName", async () => {
    const { body } = await fixture.call("POST", WIDGETS, { metadata: { generateName: "gen-" }, spec: { size: 1 } });
    expect(body.metadata.name).toMatch(/^gen-[a-z0-9]{5}$/);
  });

  it.each([
    ["an unknown field, with what was meant", { spec: { size: 1, colur: "red" } }, 422, "spec.colur", /did you mean "colour"/],
    [
      "an unknown field further down",
      { spec: { size: 1, template: { comand: [] } } },
      422,
      "spec.template.comand",
      /did you mean "command"/,
    ],
    ["a wrong type", { spec: { size: "1" } }, 422, "spec.size", /expected number/],
    ["a missing field", { spec: {} }, 422, "spec.size", /Required value/],
    ["a missing spec", {}, 422, "spec", /Required value/],
    ["a value out of range", { spec: { size: 101 } }, 422, "spec.size", /<=100/],
    ["a value that is not one of the list", { spec: { size: 1, colour: "blue" } }, 422, "spec.colour", /"red", "green"/],
    ["what the kind's own rule forbids", { spec: { size: 13 } }, 422, "spec.size", /must not be 13/],
    ["a field beside spec that is unknown", { spec: { size: 1 }, specs: {} }, 422, "specs", /did you mean "spec"/],
    ["a bad label", { metadata: { name: "b", labels: { "-": "x" } }, spec: { size: 1 } }, 422, "metadata.labels.-", /letters/],
    ["a pause without reason", { spec: { size: 1 }, control: { paused: {} } }, 422, "control.paused.reason", /Required/],
    [
      "a pause that ended",
      { spec: { size: 1 }, control: { paused: { reason: "x", until: "2001-01-01T00:00:00Z" } } },
      422,
      "control.paused.until",
      /future/,
    ],
  ])("refuses %s, naming the field", async (_what, document, expected, field, message) => {
    const { status, body } = await fixture.call("POST", WIDGETS, { metadata: { name: "bad" }, ...document });
    expect(status).toBe(expected);
    expect(body.reason).toBe("Invalid");
    expect(body.details.kind).toBe("Widget");
    expect(body.details.causes).toContainEqual(expect.objectContaining({ field, message: expect.stringMatching(message) }));
  });

  it("names every fault at once", async () => {
    const { body } = await fixture.call("POST", WIDGETS, { metadata: { name: "Bad_Name" }, spec: { size: -1, colour: "blue" } });
    expect(body.details.causes.map((cause: { field: string }) => cause.field)).toEqual(["metadata.name", "spec.size", "spec.colour"]);
    expect(body.message).toContain('Widget.setpoint.dev "Bad_Name" is invalid: [');
  });

  it.each([
    ["another API version", { apiVersion: "v1", spec: { size: 1 } }],
    ["another kind", { kind: "Vault", spec: { size: 1 } }],
    ["another namespace", { metadata: { name: "x", namespace: "other" }, spec: { size: 1 } }],
    ["a resourceVersion", { metadata: { name: "x", resourceVersion: "1" }, spec: { size: 1 } }],
  ])("refuses %s than the URL's with 400", async (_what, document) => {
    const { status, body } = await fixture.call("POST", WIDGETS, { metadata: { name: "x" }, ...document });
    expect([status, body.reason]).toEqual([400, "BadRequest"]);
  });

  it("refuses what is no JSON, too deep, too big, unstorable or dangerous", async () => {
    const send = async (text: string) => (await fixture.call("POST", WIDGETS, text)).status;
    expect(await send("")).toBe(400);
    expect(await send("{")).toBe(400);
    expect(await send("[]")).toBe(400);
    expect(await send(`{"spec":${"[".repeat(100)}${"]".repeat(100)}}`)).toBe(422);
    expect(await send(`{"spec":{"size":1e400}}`)).toBe(422);
    expect(await send(`{"spec":{"size":12345678901234567890}}`)).toBe(422);
    expect(await send(`{"spec":{"__proto__":{"a":1}}}`)).toBe(422);
    expect(await send(`{"spec":{"size":"\\u0000"}}`)).toBe(422);
    expect(await send(`{"spec":{"size":"\\ud800"}}`)).toBe(422);
    expect(await send(`{"spec":"${"x".repeat(1024 * 1024)}"}`)).toBe(413);
  });

  it("takes and gives JSON and YAML, and nothing else", async () => {
    const document = { metadata: { name: "x" }, spec: { size: 1 } };
    expect((await fixture.call("POST", WIDGETS, document, { headers: { "content-type": "text/plain" } })).status).toBe(415);
    expect((await fixture.call("GET", WIDGETS, undefined, { headers: { accept: "text/html" } })).status).toBe(406);
    const yaml = await fixture.call("GET", WIDGETS, undefined, { headers: { accept: "application/yaml" } });
    expect(yaml.headers.get("content-type")).toBe("application/yaml");
    expect(parse(yaml.text)).toEqual((await fixture.call("GET", WIDGETS)).body);
    expect(
      (
        await fixture.call("GET", WIDGETS, undefined, {
          headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" },
        })
      ).status,
    ).toBe(200);
  });
});

describe("changing an object", () => {
  it("needs the resourceVersion that it was based on", async () => {
    const { body: first } = await fixture.create(WIDGETS, "put", { size: 1 });
    const without = await fixture.call("PUT", `${WIDGETS}/put`, { metadata: { name: "put" }, spec: { size: 2 } });
    expect([without.status, without.body.details.causes[0].field]).toEqual([422, "metadata.resourceVersion"]);
    const changed = await fixture.call("PUT", `${WIDGETS}/put?message=bigger`, { ...first, spec: { size: 2 } });
    expect([changed.status, changed.body.metadata.generation, changed.body.spec.size]).toEqual([200, 2, 2]);
    const stale = await fixture.call("PUT", `${WIDGETS}/put`, { ...first, spec: { size: 3 } });
    expect(stale.status).toBe(409);
    expect(stale.body.message).toBe(
      'Operation cannot be fulfilled on widgets.setpoint.dev "put": the object has been modified; please apply your changes to the latest version and try again',
    );
    const { body: revisions } = await fixture.call("GET", `${WIDGETS}/put/revisions`);
    expect(
      revisions.items.map((r: { generation: number; message: string; author: string }) => [r.generation, r.message, r.author]),
    ).toEqual([
      [2, "bigger", "bootstrap-token"],
      [1, "", "bootstrap-token"],
    ]);
    expect(revisions.items[0].diff).toEqual([{ path: "spec.size", desired: 2, actual: 1 }]);
  });

  it("writes nothing when nothing changes, status, freshness and view included", async () => {
    const { body: first } = await fixture.create(WIDGETS, "same", { size: 1 }, { control: { paused: { reason: "x", until: soon() } } });
    const again = await fixture.call("PUT", `${WIDGETS}/same`, { ...first, status: { observedGeneration: 99 } });
    expect(again.status).toBe(200);
    expect(again.body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    expect(again.body.status).toBeUndefined();
    const patched = await fixture.call("PATCH", `${WIDGETS}/same`, { spec: { size: 1 } });
    expect(patched.body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
  });

  it("merges a patch, and refuses one based on an older version", async () => {
    const { body: first } = await fixture.create(WIDGETS, "patch", { size: 1, colour: "green" });
    const patched = await fixture.call("PATCH", `${WIDGETS}/patch`, {
      spec: { size: 5, colour: null },
      metadata: { labels: { team: "a" } },
    });
    expect(patched.body.spec).toEqual({ size: 5, colour: "red", host: "here" });
    expect(patched.body.metadata).toMatchObject({ labels: { team: "a" }, generation: 2 });
    const { resourceVersion } = first.metadata;
    expect((await fixture.call("PATCH", `${WIDGETS}/patch`, { metadata: { resourceVersion }, spec: { size: 6 } })).status).toBe(409);
    for (const type of ["application/strategic-merge-patch+json", "application/json"])
      expect((await fixture.call("PATCH", `${WIDGETS}/patch`, {}, { headers: { "content-type": type } })).status).toBe(415);
  });

  it("takes a JSON patch whole or not at all", async () => {
    await fixture.create(WIDGETS, "operations", { size: 1, colour: "green" });
    const headers = { "content-type": "application/json-patch+json" };
    const send = (operations: unknown) => fixture.call("PATCH", `${WIDGETS}/operations`, operations, { headers });
    const patched = await send([
      { op: "test", path: "/spec/size", value: 1 },
      { op: "replace", path: "/spec/size", value: 8 },
      { op: "add", path: "/metadata/labels", value: { team: "a" } },
    ]);
    expect(patched.body).toMatchObject({ spec: { size: 8 }, metadata: { labels: { team: "a" } } });
    const refused = await send([
      { op: "replace", path: "/spec/size", value: 9 },
      { op: "test", path: "/spec/size", value: 1 },
    ]);
    expect(refused.body).toMatchObject({ code: 422, reason: "Invalid" });
    expect((await send({ op: "remove", path: "/spec" })).status).toBe(400);
    expect((await fixture.call("GET", `${WIDGETS}/operations`)).body.spec.size).toBe(8);
  });

  it("takes objects as YAML, held to the same rules as JSON", async () => {
    const headers = { "content-type": "application/yaml" };
    const send = (text: string) => fixture.call("POST", WIDGETS, text, { headers });
    const created = await send("# a comment\nmetadata: { name: yaml }\nspec:\n  size: 3\n  template: { command: [y, no] }\n");
    expect(created.body).toMatchObject({ metadata: { name: "yaml" }, spec: { size: 3, template: { command: ["y", "no"] } } });
    for (const text of [
      "a: [",
      "a: &x 1\nb: *x",
      "a: 1\na: 2",
      "a: !!binary x",
      "--- \na: 1\n---\nb: 2",
      "? [a]\n: b",
      "",
      "- a",
      "a: .inf",
    ])
      expect([text, (await send(text)).status]).toEqual([text, 400]);
    expect((await send("metadata: { name: exact }\nspec: { size: 12345678901234567890123 }")).status).toBe(400);
  });

  it("keeps immutable fields, the engine's finalizer, and the object's identity", async () => {
    const { body: first } = await fixture.create(WIDGETS, "fixed", { size: 1, fixed: "a" });
    const field = async (change: object) => (await fixture.call("PATCH", `${WIDGETS}/fixed`, change)).body.details?.causes?.[0];
    expect(await field({ spec: { fixed: "b" } })).toMatchObject({ field: "spec.fixed", reason: "FieldValueForbidden" });
    expect(await field({ spec: { host: "elsewhere" } })).toMatchObject({ field: "spec.host" });
    for (const finalizers of [[], null])
      expect(await field({ metadata: { finalizers } })).toMatchObject({
        message: expect.stringContaining("control.deletionPolicy to Orphan"),
      });
    expect((await fixture.call("PUT", `${WIDGETS}/fixed`, { ...first, metadata: { ...first.metadata, uid: "other" } })).status).toBe(409);
    expect((await fixture.call("PUT", `${WIDGETS}/fixed`, { ...first, metadata: { ...first.metadata, name: "other" } })).status).toBe(400);
    expect((await fixture.call("PUT", `${WIDGETS}/absent`, { ...first, metadata: { ...first.metadata, name: "absent" } })).status).toBe(
      404,
    );
  });

  it("lets only the engine write status", async () => {
    await fixture.create(WIDGETS, "report", { size: 1 });
    const { status, headers, body } = await fixture.call("PATCH", `${WIDGETS}/report/status`, { status: {} });
    expect([status, headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect(body.message).toContain("status is written by the engine only");
    expect((await fixture.call("GET", `${WIDGETS}/report/status`)).body.metadata.name).toBe("report");
  });
});

describe("the hand on the loop", () => {
  it("pauses, keeps who and when, and resumes, without a new generation", async () => {
    await fixture.create(WIDGETS, "hand", { size: 1 });
    const paused = await fixture.call("PATCH", `${WIDGETS}/hand/control`, { paused: { reason: "maintenance", until: soon(), by: "me" } });
    expect(paused.body.control.paused).toMatchObject({ by: "bootstrap-token", reason: "maintenance" });
    expect(paused.body.metadata.generation).toBe(1);
    expect((await fixture.call("POST", `${WIDGETS}/hand/reconcile`)).status).toBe(409);
    const mode = await fixture.call("PUT", `${WIDGETS}/hand/control`, { mode: "Observe" });
    expect(mode.body.control).toMatchObject({ mode: "Observe", paused: { since: paused.body.control.paused.since } });
    const resumed = await fixture.call("PATCH", `${WIDGETS}/hand/control`, { paused: null });
    expect(resumed.body.control.paused).toBeUndefined();
    expect((await fixture.call("POST", `${WIDGETS}/hand/reconcile`, {})).status).toBe(202);
    expect(fixture.woken).toContain("hand");
    expect((await fixture.call("PATCH", `${WIDGETS}/hand/control`, { mode: "Autoo" })).body.details.causes[0].field).toBe("control.mode");
  });

  it("plans a candidate without storing it", async () => {
    await fixture.create(WIDGETS, "plan", { size: 1 });
    const { status, body } = await fixture.call("POST", `${WIDGETS}/plan/plan`, { spec: { size: 9 } });
    expect([status, body.generation, body.specChanges]).toEqual([200, 2, [{ path: "spec.size", desired: 9, actual: 1 }]]);
    expect((await fixture.call("GET", `${WIDGETS}/plan`)).body.spec.size).toBe(1);
    expect((await fixture.call("POST", `${WIDGETS}/fresh/plan`, { spec: { size: 9 } })).status).toBe(200);
    expect((await fixture.call("GET", `${WIDGETS}/plan/plan`)).body).toMatchObject({ generation: 1, hash: "h" });
  });
});

describe("deleting an object", () => {
  it("waits for the engine, answers the object meanwhile, and raises the generation once", async () => {
    await fixture.create(WIDGETS, "gone", { size: 1 });
    const first = await fixture.call("DELETE", `${WIDGETS}/gone`, { propagationPolicy: "Background" });
    expect([first.status, first.body.metadata.generation, first.body.view.state]).toEqual([200, 2, "Deleting"]);
    const second = await fixture.call("DELETE", `${WIDGETS}/gone`);
    expect(second.body.metadata).toEqual(first.body.metadata);
    const extra = await fixture.call("PATCH", `${WIDGETS}/gone`, { metadata: { finalizers: ["setpoint.dev/cleanup", "a.b/c"] } });
    expect([extra.status, extra.body.details.causes[0].reason]).toEqual([422, "FieldValueForbidden"]);
  });

  it("honours preconditions and dryRun", async () => {
    await fixture.create(WIDGETS, "kept", { size: 1 });
    expect((await fixture.call("DELETE", `${WIDGETS}/kept`, { preconditions: { uid: "other" } })).status).toBe(409);
    expect((await fixture.call("DELETE", `${WIDGETS}/kept`, { preconditions: { resourceVersion: "1" } })).status).toBe(409);
    expect((await fixture.call("DELETE", `${WIDGETS}/kept?dryRun=All`)).status).toBe(200);
    expect((await fixture.call("GET", `${WIDGETS}/kept`)).body.metadata.deletionTimestamp).toBeUndefined();
    expect((await fixture.call("DELETE", `${WIDGETS}/kept`, { propagationPolicy: "Sideways" })).status).toBe(422);
  });

  it("refuses while another object names it, and says which", async () => {
    await fixture.create(VAULTS, "used", { values: { a: "1" } });
    await fixture.create(VAULTS, "unused", { values: { a: "1" } });
    await fixture.create(USERS_OF_VAULTS, "user-of-it", { from: { vault: "used" } });
    const { status, body } = await fixture.call("DELETE", `${VAULTS}/used`);
    expect([status, body.reason]).toEqual([409, "InUse"]);
    expect(body.message).toContain("Locker/user-of-it");
    expect((await fixture.call("DELETE", `${VAULTS}/unused`)).status).toBe(200);
  });
});

describe("secrets", () => {
  const canary = "canary-5b1f0c";

  it("are sealed in the store and shown as a digest, in every answer", async () => {
    const created = await fixture.create(VAULTS, "s", { values: { a: canary, b: "two" } });
    expect(created.body.spec.values.a).toEqual({ digest: expect.stringMatching(/^hmac-sha256:[0-9a-f]{16}$/) });
    const { rows } = await fixture.store.pool.query(
      "select (select string_agg(r::text, '') from resource r) || (select string_agg(r::text, '') from revision r) || (select string_agg(r::text, '') from change r) || (select string_agg(r::text, '') from audit r) as everything",
    );
    expect(rows[0].everything).not.toContain(canary);
    for (const path of ["", "/s", "/s/revisions", "/s/plan", "?watch=true&timeoutSeconds=1"])
      expect((await fixture.call("GET", `${VAULTS}${path}`)).text).not.toMatch(/canary|sealed/);
  });

  it("stay as they are when the digest or the same text comes back, and change otherwise", async () => {
    const { body: first } = await fixture.create(VAULTS, "t", { values: { a: canary, b: "two" } });
    const same = await fixture.call("PUT", `${VAULTS}/t`, first);
    expect(same.body.metadata.resourceVersion).toBe(first.metadata.resourceVersion);
    const text = await fixture.call("PATCH", `${VAULTS}/t`, { spec: { values: { a: canary } } });
    expect(text.body.metadata.generation).toBe(1);
    const other = await fixture.call("PATCH", `${VAULTS}/t`, { spec: { values: { a: "new", b: null } } });
    expect(other.body.metadata.generation).toBe(2);
    expect(Object.keys(other.body.spec.values)).toEqual(["a"]);
    const wrong = await fixture.call("PATCH", `${VAULTS}/t`, { spec: { values: { a: { digest: "hmac-sha256:0000000000000000" } } } });
    expect([wrong.status, wrong.body.details.causes[0].field]).toEqual([422, "spec.values.a"]);
    expect((await fixture.create(VAULTS, "u", { values: { a: { digest: "x" } } })).status).toBe(422);
  });

  it("do not open in another place than they were sealed for", async () => {
    await fixture.create(VAULTS, "from", { values: { a: canary } });
    const stored = await fixture.store.resources.get({ kind: "Vault", namespace: "default", name: "from" });
    const moved = await fixture.create(VAULTS, "to", { values: stored?.spec.values ?? {} });
    expect(moved.status).toBe(422);
    expect(moved.text).not.toContain(canary);
  });
});

describe("discovery and addresses", () => {
  it("lists groups, versions and kinds", async () => {
    expect((await fixture.call("GET", "/apis")).body.groups[0].name).toBe("setpoint.dev");
    expect((await fixture.call("GET", "/apis/setpoint.dev")).body.kind).toBe("APIGroup");
    const { resources } = (await fixture.call("GET", GV)).body;
    expect(resources.map((r: { name: string }) => r.name)).toEqual(expect.arrayContaining(["widgets", "widgets/status", "vaults"]));
  });

  it("answers 404 with the plural, 405 with Allow, 401 and 400", async () => {
    const missing = await fixture.call("GET", `${WIDGETS}/nobody`);
    expect(missing.body).toMatchObject({
      code: 404,
      reason: "NotFound",
      message: 'widgets.setpoint.dev "nobody" not found',
      details: { name: "nobody", group: "setpoint.dev", kind: "widgets" },
    });
    expect((await fixture.call("GET", `${GV}/namespaces/default/gadgets`)).status).toBe(404);
    const wrong = await fixture.call("PUT", WIDGETS);
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, POST, DELETE"]);
    expect((await fixture.call("GET", WIDGETS, undefined, { token: null })).status).toBe(401);
    expect((await fixture.call("GET", WIDGETS, undefined, { token: "wrong" })).status).toBe(401);
    expect((await fixture.call("GET", `${GV}/namespaces/Not_One/widgets`)).status).toBe(400);
    expect((await fixture.call("GET", `${WIDGETS}/%E0%A4%A`)).status).toBe(400);
    expect((await fixture.call("HEAD", `${WIDGETS}/nobody`)).status).toBe(404);
  });
});
