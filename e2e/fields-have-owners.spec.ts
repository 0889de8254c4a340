/** A field has an owner: the page says who, a form that changes a field of somebody else is told whose it is, and takes it over only on purpose. */
import { expect, type Page, test } from "playwright/test";
import type { ApiStatus } from "@/lib/api/contract";
import { detailPath, person } from "./browser";
import { Client } from "./client";
import { type Server, startServer } from "./server";

let server: Server;
let client: Client;
let page: Page;
test.beforeAll(async ({ browser }) => {
  server = await startServer();
  client = new Client(server.url, server.token);
  page = await person(browser, server);
});
test.afterAll(async () => {
  await page?.context().close();
  await server?.stop();
});

const template = { command: ["sample-service"], env: { VERSION: "1" }, stopGraceSeconds: 2 };

/** As `kubectl apply --server-side` does. */
async function apply(name: string, spec: object, query = "") {
  const response = await fetch(`${server.url}${client.path("replicasets")}/${name}?fieldManager=kubectl${query}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/apply-patch+yaml" },
    body: JSON.stringify({ apiVersion: "setpoint.dev/v1alpha1", kind: "ReplicaSet", metadata: { name }, spec }),
  });
  const body: ApiStatus = await response.json();
  return { status: response.status, body };
}

async function openSave(message: string): Promise<ReturnType<Page["getByRole"]>> {
  await page.getByRole("button", { name: "Save…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Message").fill(message);
  return dialog;
}

test("each field shows whose it is, and who changes another's field says that it is taken over", async () => {
  expect((await apply("owned", { replicas: 1, template })).status).toBe(201);
  await client.converged("replicasets", "owned");
  await page.goto(detailPath("replicasets", "owned"));
  const table = page.getByRole("region", { name: "Desired against actual" });
  await expect(table.getByText(/^applied by kubectl/).first()).toBeVisible();

  await page.goto(`${detailPath("replicasets", "owned")}/edit`);
  await page.getByRole("textbox", { name: /^Replicas/ }).fill("2");
  const dialog = await openSave("Two");
  await expect(dialog.getByText("spec.replicas is applied by kubectl")).toBeVisible();
  const save = dialog.getByRole("button", { name: "Save", exact: true });
  await expect(dialog.getByText(/^Saving changes 1 field/)).toBeVisible();
  await expect(save).toBeDisabled();
  await dialog.getByRole("checkbox", { name: /^Take over this field/ }).check();
  await save.click();
  await expect(page.getByRole("heading", { level: 1, name: "owned", exact: true })).toBeVisible();
  expect((await client.get("replicasets", "owned")).spec).toMatchObject({ replicas: 2, template });
  await expect(table.getByText(/^set by the form/).first()).toBeVisible();

  // The other one is told in turn, and what it still owns it may change.
  const refused = await apply("owned", { replicas: 1, template });
  expect([refused.status, refused.body.message]).toEqual([
    409,
    'Apply failed with 1 conflict: conflict with "setpoint-form": .spec.replicas',
  ]);
  expect((await apply("owned", { template: { ...template, env: { VERSION: "2" } } })).status).toBe(200);
  expect((await client.get("replicasets", "owned")).spec).toMatchObject({ replicas: 2, template: { env: { VERSION: "2" } } });
});

test("a field that nobody applies is changed without being asked, and one that is taken out goes", async () => {
  await client.create("replicasets", "free", { replicas: 1, template: { ...template, env: { VERSION: "1", EXTRA: "1" } } });
  await page.goto(`${detailPath("replicasets", "free")}/edit`);
  await page.getByRole("textbox", { name: "Value of VERSION" }).fill("2");
  await page.getByRole("button", { name: /Remove EXTRA/ }).click();
  const dialog = await openSave("Without the extra");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "free", exact: true })).toBeVisible();
  expect((await client.get("replicasets", "free")).spec).toMatchObject({ template: { env: { VERSION: "2" } } });
  expect(JSON.stringify((await client.get("replicasets", "free")).spec)).not.toContain("EXTRA");
});
