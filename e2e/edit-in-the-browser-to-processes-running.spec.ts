/** Somebody declares a service in the browser, and its processes run; every later edit is previewed, explained, kept and can be taken back. */
import { expect, type Page, test } from "playwright/test";
import { detailPath, factOf, person, stateOf } from "./browser";
import { Client } from "./client";
import { instancesOf, untilInstances } from "./instances";
import { type Server, startServer } from "./server";

let server: Server;
let client: Client;
let page: Page;
let uid: string;
test.describe.configure({ mode: "serial" });
test.beforeAll(async ({ browser }) => {
  server = await startServer();
  client = new Client(server.url, server.token);
  page = await person(browser, server);
});
test.afterAll(async () => {
  await page?.context().close();
  await server?.stop();
});

const preview = () => page.getByRole("complementary", { name: "Problems and preview" });
const planned = () => preview().getByRole("region", { name: "What would be done" }).getByRole("listitem");

/** Saves what was previewed, with a message, and arrives at the page of the resource. */
async function save(button: "Create" | "Save", message: string): Promise<void> {
  await page.getByRole("button", { name: `${button}…` }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Message").fill(message);
  await dialog.getByRole("button", { name: button, exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "shop", exact: true })).toBeVisible();
}

test("a new ReplicaSet by the form: the dry run tells what would start, saving starts it, and the page says Converged", async () => {
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Resources" }).click();
  await page.getByRole("link", { name: "New resource" }).click();
  await page.getByRole("link", { name: /^ReplicaSet/ }).click();
  await page.getByRole("textbox", { name: /^Name ?, required/ }).fill("shop");
  await page.getByRole("textbox", { name: /^Replicas/ }).fill("2");
  await page.getByRole("button", { name: "Remove Probe" }).click();

  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await expect(planned()).toHaveCount(2);
  await expect(planned().first()).toContainText("process shop-0");
  // A preview is only a preview: nothing is stored and nothing runs.
  expect((await client.send("GET", client.path("replicasets", "shop"))).status).toBe(404);

  await save("Create", "First shop");
  await expect(stateOf(page)).toHaveText("Converged", { timeout: 60_000 });
  ({ uid } = (await client.get("replicasets", "shop")).metadata);
  expect(instancesOf(uid).map(({ ordinal, env }) => [ordinal, env.VERSION])).toEqual([
    [0, "1"],
    [1, "1"],
  ]);
});

test("more replicas by the form: those that run are kept, and the preview names only the new one", async () => {
  const before = instancesOf(uid);
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByRole("textbox", { name: /^Replicas/ }).fill("3");
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await expect(planned()).toHaveCount(1);
  await expect(planned()).toContainText("process shop-2");
  expect(instancesOf(uid)).toEqual(before);

  await save("Save", "One more for the weekend");
  await expect(factOf(page, "Generation")).toHaveText("2 observed", { timeout: 60_000 });
  await expect(stateOf(page)).toHaveText("Converged", { timeout: 60_000 });
  expect((await untilInstances(uid, 3)).slice(0, 2)).toEqual(before);
});

test("a new version by YAML: each instance is replaced by one that carries it", async () => {
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByRole("button", { name: "YAML", exact: true }).click();
  const yaml = page.getByRole("textbox", { name: "YAML of the intent" });
  await expect(yaml).toContainText('VERSION: "1"');
  await yaml.getByText('VERSION: "1"').click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Backspace");
  await page.keyboard.type('2"');
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await expect(preview().getByRole("region", { name: "Changes of intent" })).toContainText("spec.template.env.VERSION");
  await expect(planned()).not.toHaveCount(0);
  expect(instancesOf(uid).map(({ env }) => env.VERSION)).toEqual(["1", "1", "1"]);

  await save("Save", "Version 2");
  await expect(factOf(page, "Generation")).toHaveText("3 observed", { timeout: 60_000 });
  await expect(stateOf(page)).toHaveText("Converged", { timeout: 60_000 });
  expect((await untilInstances(uid, 3)).map(({ env }) => env.VERSION)).toEqual(["2", "2", "2"]);
});

test("the history has every revision with who, why and what, and reverting one brings its processes back as a new revision", async () => {
  await page.getByRole("tab", { name: /^History/ }).click();
  const revisions = page.getByRole("region", { name: "Revisions" }).getByRole("listitem");
  await expect(revisions).toHaveCount(3);
  for (const [index, message] of ["Version 2", "One more for the weekend", "First shop"].entries()) {
    await expect(revisions.nth(index)).toContainText(message);
    await expect(revisions.nth(index)).toContainText(server.admin.email);
    await expect(revisions.nth(index)).toContainText("converged after");
  }

  await page.getByRole("button", { name: "Revert to generation 2" }).click();
  const dialog = page.getByRole("dialog", { name: "Revert to generation 2" });
  await expect(dialog).toContainText("spec.template.env.VERSION");
  await dialog.getByLabel("Message").fill("Version 2 was not it");
  await dialog.getByRole("button", { name: "Revert", exact: true }).click();
  await expect(revisions).toHaveCount(4);
  await expect(revisions.first()).toContainText("Version 2 was not it");
  await expect(factOf(page, "Generation")).toHaveText("4 observed", { timeout: 60_000 });
  await expect(stateOf(page)).toHaveText("Converged", { timeout: 60_000 });
  expect((await untilInstances(uid, 3)).map(({ env }) => env.VERSION)).toEqual(["1", "1", "1"]);
});

test("deleting it in the browser ends its processes", async () => {
  await page.goto(detailPath("replicasets", "shop"));
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("shop");
  await dialog.getByRole("button", { name: /^Delete/ }).click();
  await expect(page.getByRole("heading", { name: "ReplicaSet shop was deleted" })).toBeVisible({ timeout: 60_000 });
  expect(instancesOf(uid)).toEqual([]);
});
