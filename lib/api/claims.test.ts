import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fixture, openFixture, WIDGETS } from "./testing/fixture";

let api: Fixture;
beforeAll(async () => {
  api = await openFixture();
});
afterAll(() => api.close());

const elsewhere = WIDGETS.replace("default", "other");
const apply = { headers: { "content-type": "application/apply-patch+yaml" } };
const widget = (name: string, port: number) => ({
  apiVersion: "setpoint.dev/v1alpha1",
  kind: "Widget",
  metadata: { name },
  spec: { size: 1, port },
});

test("a second object that claims the same outside thing is told at save time whose it is, on every way that writes", async () => {
  await api.create(WIDGETS, "first", { size: 1, port: 80 });
  await api.create(WIDGETS, "second", { size: 1, port: 81 });
  const answers = [
    await api.create(WIDGETS, "third", { size: 1, port: 80 }),
    await api.create(`${WIDGETS}?dryRun=All`, "third", { size: 1, port: 80 }),
    await api.create(elsewhere, "third", { size: 1, port: 80 }),
    await api.call("POST", WIDGETS, { metadata: { generateName: "g-" }, spec: { size: 1, port: 80 } }),
    await api.call("PATCH", `${WIDGETS}/second`, { spec: { port: 80 } }),
    await api.call("PATCH", `${WIDGETS}/second?dryRun=All`, { spec: { port: 80 } }),
    await api.call("PATCH", `${WIDGETS}/third?fieldManager=m`, widget("third", 80), apply),
    await api.call("PATCH", `${WIDGETS}/second?fieldManager=m&force=true`, widget("second", 80), apply),
  ];
  for (const { status, body } of answers) {
    expect([status, body.reason, body.details.causes]).toEqual([
      409,
      "AlreadyExists",
      [{ reason: "FieldValueDuplicate", field: "spec.port", message: "Duplicate value: port:here:80 belongs to Widget default/first" }],
    ]);
    expect(body.message).toContain("Widget default/first");
  }
  // Another machine's port is another.
  expect((await api.create(WIDGETS, "third", { size: 1, port: 80, host: "there" })).status).toBe(201);
});

test("an edit moves a claim, and only what was let go of can be claimed by another", async () => {
  await api.create(WIDGETS, "mover", { size: 1, port: 90 });
  expect((await api.call("PATCH", `${WIDGETS}/mover`, { spec: { port: 91 } })).status).toBe(200);
  expect((await api.create(WIDGETS, "follower", { size: 1, port: 90 })).status).toBe(201);
  expect((await api.call("PATCH", `${WIDGETS}/mover`, { spec: { port: 90 } })).body.details.causes[0].message).toContain(
    "default/follower",
  );
  // One that is being deleted holds its claim until nothing of it is left.
  await api.call("DELETE", `${WIDGETS}/follower`);
  expect((await api.call("PATCH", `${WIDGETS}/mover`, { spec: { port: 90 } })).status).toBe(409);
});
