/** Clearing `metadata.managedFields`, as Kubernetes documents it: https://kubernetes.io/docs/reference/using-api/server-side-apply/#clearing-managedfields */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, type Fixture, openFixture, WIDGETS } from "./testing/fixture";

let api: Fixture;
beforeAll(async () => {
  api = await openFixture();
});
afterAll(() => api.close());

const MERGE = "application/merge-patch+json";
const JSON_PATCH = "application/json-patch+json";
const APPLY = "application/apply-patch+yaml";

const send = (method: string, name: string, body: unknown, type: string, query = "fieldManager=editor") =>
  api.call(method, `${WIDGETS}/${name}?${query}`, body, { headers: { "content-type": type } });

const document = (name: string, size: number) => ({
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "Widget",
  metadata: { name },
  spec: { size },
});
const applied = (name: string, size = 1, manager = "first") => send("PATCH", name, document(name, size), APPLY, `fieldManager=${manager}`);
const managers = ({ body }: Answer) => (body.metadata.managedFields ?? []).map(({ manager }: { manager: string }) => manager);

/** Each way that the documentation names. */
const RESETS: Record<string, (name: string, read: Answer) => Promise<Answer>> = {
  "a merge patch": (name) => send("PATCH", name, { metadata: { managedFields: [{}] } }, MERGE),
  "a JSON patch": (name) => send("PATCH", name, [{ op: "replace", path: "/metadata/managedFields", value: [{}] }], JSON_PATCH),
  "a PUT": (name, { body }) => send("PUT", name, { ...body, metadata: { ...body.metadata, managedFields: [{}] } }, "application/json"),
};

test.each(Object.keys(RESETS))(
  "%s of one empty entry leaves every field to nobody, changes no intent, and is no change the second time",
  async (way) => {
    const name = way.toLowerCase().replaceAll(" ", "-");
    const before = await applied(name);
    const reset = RESETS[way];
    const after = await reset?.(name, before);
    expect(after?.status, after?.text).toBe(200);
    const { managedFields, resourceVersion, ...kept } = after?.body.metadata ?? {};
    const { managedFields: had, resourceVersion: version, ...stored } = before.body.metadata;
    expect([had.length, managedFields, kept, after?.body.spec]).toEqual([1, undefined, stored, before.body.spec]);
    expect(Number(resourceVersion)).toBeGreaterThan(Number(version));
    const read = await api.call("GET", `${WIDGETS}/${name}`);
    expect((await reset?.(name, read))?.status).toBe(200);
    expect((await api.call("GET", `${WIDGETS}/${name}`)).body.metadata.resourceVersion).toBe(resourceVersion);
    // What is nobody's is no conflict.
    expect(managers(await applied(name, 2, "second"))).toEqual(["second"]);
  },
);

test("what is changed with it belongs to who changes it, and nothing else does", async () => {
  await applied("with-more");
  const after = await send("PATCH", "with-more", { metadata: { managedFields: [{}], labels: { a: "b" } }, spec: { size: 5 } }, MERGE);
  expect(after.body.metadata.managedFields).toMatchObject([
    { manager: "editor", operation: "Update", fieldsV1: { "f:spec": { "f:size": {} }, "f:metadata": { "f:labels": { "f:a": {} } } } },
  ]);
  expect((await applied("with-more", 6)).status).toBe(409);
});

test("an empty list, null, and the removal of the field take nothing away: clients that do not know it send that", async () => {
  const { body } = await applied("kept");
  for (const managedFields of [[], null])
    expect(managers(await send("PATCH", "kept", { metadata: { managedFields } }, MERGE))).toEqual(["first"]);
  const removed = await send("PATCH", "kept", [{ op: "remove", path: "/metadata/managedFields" }], JSON_PATCH);
  expect(managers(removed)).toEqual(["first"]);
  const { managedFields: _managedFields, ...metadata } = body.metadata;
  expect(managers(await send("PUT", "kept", { ...body, metadata }, "application/json"))).toEqual(["first"]);
  expect((await api.call("GET", `${WIDGETS}/kept`)).body.metadata).toEqual(body.metadata);
  const tried = await send("PATCH", "kept", { metadata: { managedFields: [{}] } }, MERGE, "dryRun=All");
  expect([managers(tried), managers(await api.call("GET", `${WIDGETS}/kept`))]).toEqual([[], ["first"]]);
});
