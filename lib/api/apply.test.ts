import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ManagedFields } from "@/lib/resource";
import { type CallOptions, type Fixture, openFixture, VAULTS, WIDGETS } from "./testing/fixture";

let api: Fixture;
beforeAll(async () => {
  api = await openFixture();
});
afterAll(() => api.close());

const TYPE = { "content-type": "application/apply-patch+yaml" };

function apply(path: string, name: string, query: string, parts: object | string, options: CallOptions = {}) {
  const kind = path === VAULTS ? "Vault" : "Widget";
  const body = typeof parts === "string" ? parts : { apiVersion: "setpoint.dev/v1alpha1", kind, metadata: { name }, ...parts };
  return api.call("PATCH", `${path}/${name}?${query}`, body, { ...options, headers: { ...TYPE, ...options.headers } });
}
const widget = (name: string, query: string, spec: object, more: object = {}) => apply(WIDGETS, name, query, { spec, ...more });

const owners = (managed: ManagedFields[] = []) =>
  Object.fromEntries(
    managed.map(({ manager, operation, subresource, fieldsV1 }) => [[manager, operation, subresource].filter(Boolean).join(" "), fieldsV1]),
  );

describe("server-side apply", () => {
  test("makes the object with 201, and its applier owns what it stated and nothing else", async () => {
    const made = await widget("made", "fieldManager=m1", { size: 1, template: { command: ["a"], env: { A: "1" } } });
    expect(made.status, made.text).toBe(201);
    expect(made.body.spec).toMatchObject({ size: 1, colour: "red", host: "here" });
    expect(owners(made.body.metadata.managedFields)).toEqual({
      "m1 Apply": { "f:spec": { "f:size": {}, "f:template": { "f:command": {}, "f:env": { "f:A": {} } } } },
    });
    expect(made.body.metadata.managedFields[0]).toMatchObject({
      apiVersion: "setpoint.dev/v1alpha1",
      fieldsType: "FieldsV1",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    });
    expect((await api.audit()).filter(({ name }) => name === "made")).toMatchObject([{ verb: "apply", outcome: "done" }]);
  });

  test("applied again it is no write; its first owner refuses a second value by name and field, and force takes it over", async () => {
    const first = await widget("twice", "fieldManager=m1", { size: 1 });
    const again = await widget("twice", "fieldManager=m1", { size: 1 });
    expect([again.status, again.body.metadata]).toEqual([200, first.body.metadata]);
    const refused = await widget("twice", "fieldManager=m2", { size: 2 });
    expect([refused.status, refused.body]).toEqual([
      409,
      expect.objectContaining({
        reason: "Conflict",
        message: 'Apply failed with 1 conflict: conflict with "m1": .spec.size',
        details: { causes: [{ reason: "FieldManagerConflict", message: 'conflict with "m1"', field: ".spec.size" }] },
      }),
    ]);
    const shared = await widget("twice", "fieldManager=m3", { size: 1 });
    expect(shared.body.metadata.generation).toBe(1);
    const forced = await widget("twice", "fieldManager=m2&force=true", { size: 2 });
    expect([forced.body.spec.size, forced.body.metadata.generation]).toEqual([2, 2]);
    expect(owners(forced.body.metadata.managedFields)).toEqual({ "m2 Apply": { "f:spec": { "f:size": {} } } });
  });

  test("what it alone held goes when it is no longer stated; the schema has the last word, by field", async () => {
    const labels = { tier: "edge" };
    await widget(
      "left",
      "fieldManager=m1",
      { size: 1, template: { command: ["a"], env: { A: "1" } } },
      { metadata: { name: "left", labels } },
    );
    const without = await widget("left", "fieldManager=m1", { size: 1, template: { command: ["a"] } });
    expect(without.body.spec.template).toEqual({ command: ["a"] });
    expect(without.body.metadata.labels).toBeUndefined();
    const refused = await widget("left", "fieldManager=m1", { template: { command: ["a"] } });
    expect([refused.status, refused.body.details.causes[0].field]).toEqual([422, "spec.size"]);
    const unknown = await widget("left", "fieldManager=m1", { size: 1, sise: 2 });
    expect([unknown.status, unknown.body.details.causes[0].message]).toEqual([422, expect.stringContaining('did you mean "size"')]);
  });

  test("a dry run says everything and stores nothing, for a new object as for one that is there", async () => {
    expect((await widget("dry", "fieldManager=m1&dryRun=All", { size: 1 })).status).toBe(201);
    expect((await api.call("GET", `${WIDGETS}/dry`)).status).toBe(404);
    const stored = await widget("dry", "fieldManager=m1", { size: 1 });
    const dry = await widget("dry", "fieldManager=m2&force=true&dryRun=All", { size: 2 });
    expect([dry.status, dry.body.spec.size]).toEqual([200, 2]);
    expect((await widget("dry", "fieldManager=m2&dryRun=All", { size: 2 })).status).toBe(409);
    expect((await api.call("GET", `${WIDGETS}/dry`)).body).toMatchObject({ metadata: stored.body.metadata, spec: stored.body.spec });
  });

  test("takes YAML, and a version that must be the newest", async () => {
    const yaml = "apiVersion: setpoint.dev/v1alpha1\nkind: Widget\nmetadata:\n  name: yaml\nspec:\n  size: 3\n";
    const made = await apply(WIDGETS, "yaml", "fieldManager=m1", yaml);
    expect([made.status, made.body.spec.size]).toEqual([201, 3]);
    const metadata = { name: "yaml", resourceVersion: "1" };
    const stale = await widget("yaml", "fieldManager=m1", { size: 4 }, { metadata });
    expect([stale.status, stale.body.reason, stale.body.details.causes]).toEqual([409, "Conflict", undefined]);
  });

  test("is refused without a manager, with one that is no name, without its kind, and with entries of its own", async () => {
    const answers = [
      await widget("bad", "", { size: 1 }),
      await widget("bad", `fieldManager=${"x".repeat(200)}`, { size: 1 }),
      await widget("bad", "fieldManager=%0Ax", { size: 1 }),
      await apply(WIDGETS, "bad", "fieldManager=m", '{"metadata":{"name":"bad"}}'),
      await apply(WIDGETS, "bad", "fieldManager=m", { kind: undefined }),
      await apply(WIDGETS, "bad", "fieldManager=m", { metadata: { managedFields: [{}] } }),
      await apply(WIDGETS, "bad", "fieldManager=m", "- a"),
      await apply(WIDGETS, "bad", "fieldManager=m", { metadata: [], spec: 3, control: "x" }),
      await apply(WIDGETS, "bad", "fieldManager=m", { metadata: { uid: "gone" }, spec: { size: 1 } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 400, 400, 400, 400, 422, 409]);
    expect(answers.map(({ body }) => body.details?.causes?.[0]?.field).slice(0, 3)).toEqual(Array(3).fill("fieldManager"));
    expect((await api.call("GET", `${WIDGETS}/bad`)).status).toBe(404);
  });

  test("of a secret only the names of its keys are owned; an equal value is no conflict, another is", async () => {
    const made = await apply(VAULTS, "secret", "fieldManager=m1", { spec: { values: { a: "canary-1" } } });
    expect(owners(made.body.metadata.managedFields)).toEqual({ "m1 Apply": { "f:spec": { "f:values": { "f:a": {} } } } });
    const again = await apply(VAULTS, "secret", "fieldManager=m1", { spec: { values: { a: "canary-1" } } });
    expect(again.body.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion);
    const other = await apply(VAULTS, "secret", "fieldManager=m2", { spec: { values: { a: "canary-2", b: "canary-3" } } });
    expect([other.status, other.body.details.causes[0].field]).toEqual([409, ".spec.values.a"]);
    const both = await apply(VAULTS, "secret", "fieldManager=m2", { spec: { values: { b: "canary-3" } } });
    expect(Object.keys(both.body.spec.values)).toEqual(["a", "b"]);
    const stored = await api.store.pool.query("select managed_fields::text as text from resource where name = 'secret'");
    for (const text of [made.text, other.text, both.text, stored.rows[0].text]) expect(text).not.toContain("canary");
  });

  test("every other write takes over what it changes, under the manager it names or the name of the program", async () => {
    await api.call("POST", `${WIDGETS}?fieldManager=kubectl-create`, { metadata: { name: "hand", labels: { a: "1" } }, spec: { size: 1 } });
    const headers = { "user-agent": "curl/8.5.0" };
    const patched = await api.call("PATCH", `${WIDGETS}/hand`, { spec: { size: 2 } }, { headers });
    expect(owners(patched.body.metadata.managedFields)).toEqual({
      "kubectl-create Update": {
        "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
        "f:spec": { ".": {}, "f:colour": {}, "f:host": {} },
      },
      "curl Update": { "f:spec": { "f:size": {} } },
    });
    const paused = await api.call("PATCH", `${WIDGETS}/hand/control`, { paused: { reason: "x" } }, { headers });
    expect(owners(paused.body.metadata.managedFields)["curl Update control"]).toEqual({ "f:control": { "f:paused": {} } });
    const refused = await widget("hand", "fieldManager=m1", { size: 3 });
    expect(refused.body.message).toMatch(
      /^Apply failed with 1 conflict: conflict with "curl" using setpoint.dev\/v1alpha1 at .+Z: .spec.size$/,
    );
    const noop = await api.call("PATCH", `${WIDGETS}/hand?fieldManager=someone`, { spec: { size: 2 } });
    expect(noop.body.metadata).toEqual(paused.body.metadata);
    const put = await api.call("PUT", `${WIDGETS}/hand?fieldManager=m9`, { ...paused.body, spec: { ...paused.body.spec, size: 9 } });
    expect(owners(put.body.metadata.managedFields)).toMatchObject({ "m9 Update": { "f:spec": { "f:size": {} } } });
  });

  test("lists of the pages do not carry who owns what", async () => {
    await widget("listed", "fieldManager=a-manager", { size: 1 });
    const page = await api.call("GET", "/api/console/resources?q=listed");
    expect(page.body.total).toBe(1);
    expect(page.text).not.toContain("a-manager");
  });
});
