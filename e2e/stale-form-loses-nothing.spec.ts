/** Two people edit the same intent: whoever saves second overwrites nothing and loses nothing. */
import { expect, type Page, test } from "playwright/test";
import { detailPath, person } from "./browser";
import { Client } from "./client";
import { type Server, startServer } from "./server";

const template = { command: ["sample-service"], env: { VERSION: "1" }, stopGraceSeconds: 2 };

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

async function edit(tab: Page, name: string): Promise<void> {
  await tab.goto(`${detailPath("replicasets", name)}/edit`);
  await expect(tab.getByRole("textbox", { name: /^Replicas/ })).toBeVisible();
}

/** Holds the tab's live updates still, so that its form grows stale without knowing. */
async function holdStill(tab: Page): Promise<void> {
  await tab.locator("button[data-live]").click();
  await tab.getByRole("button", { name: "Pause updates" }).click();
  await tab.keyboard.press("Escape");
  await expect(tab.locator("button[data-live=paused]")).toBeVisible();
}

async function save(tab: Page, message: string): Promise<void> {
  await tab.getByRole("button", { name: "Save…" }).click();
  const dialog = tab.getByRole("dialog");
  await dialog.getByLabel("Message").fill(message);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
}

test("a stale form gets the conflict as a merge: both edits are kept, and only a field that both changed is asked about", async () => {
  await client.create("replicasets", "web", { replicas: 1, template });
  const other = await page.context().newPage();
  await edit(page, "web");
  await edit(other, "web");
  await holdStill(other);

  await other.getByRole("textbox", { name: /^Replicas/ }).fill("3");
  await other.getByRole("textbox", { name: "Value of VERSION" }).fill("9");
  await other.getByRole("button", { name: "Preview", exact: true }).click();
  await expect(other.getByText("Previewed", { exact: true })).toBeVisible();

  await page.getByRole("textbox", { name: /^Replicas/ }).fill("2");
  await page.getByRole("textbox", { name: /^Grace when stopping/ }).fill("3");
  await save(page, "Two, and patient");
  await expect(page.getByRole("heading", { level: 1, name: "web", exact: true })).toBeVisible();

  const refused = other.waitForResponse((response) => response.status() === 409);
  await save(other, "Three of version 9");
  await refused;
  expect((await client.get("replicasets", "web")).spec).toMatchObject({ replicas: 2, template: { env: { VERSION: "1" } } });

  const merge = other.getByRole("dialog", { name: "Generation 2 was saved while you edited" });
  const field = (name: string) => merge.getByRole("group").filter({ hasText: name });
  await expect(field("spec.template.stopGraceSeconds")).toContainText("changed by them: taken");
  await expect(field("spec.template.env.VERSION")).toContainText("changed by you: kept");
  await expect(field("spec.replicas")).toContainText("changed by both: choose");
  await expect(merge.getByRole("button", { name: "1 left to choose" })).toBeDisabled();
  await field("spec.replicas").getByRole("radio", { name: "Keep yours" }).check();
  await merge.getByRole("button", { name: "Merge into my edit" }).click();

  // The result is looked at before it is saved, on the version that it was merged with.
  await expect(other.getByRole("textbox", { name: /^Replicas/ })).toHaveValue("3");
  await expect(other.getByRole("textbox", { name: /^Grace when stopping/ })).toHaveValue("3");
  await expect(other.getByRole("textbox", { name: "Value of VERSION" })).toHaveValue("9");
  await save(other, "Three of version 9, and patient");
  await expect(other.getByRole("heading", { level: 1, name: "web", exact: true })).toBeVisible();
  expect((await client.get("replicasets", "web")).spec).toMatchObject({
    replicas: 3,
    template: { env: { VERSION: "9" }, stopGraceSeconds: 3 },
  });
  expect((await client.revisions("replicasets", "web")).map(({ generation, message }) => [generation, message])).toEqual([
    [3, "Three of version 9, and patient"],
    [2, "Two, and patient"],
    [1, expect.any(String)],
  ]);
  await other.close();
});

test("a form that is open hears at once that somebody saved, and keeps what was typed", async () => {
  await client.create("replicasets", "heard", { replicas: 1, template });
  await edit(page, "heard");
  await page.getByRole("textbox", { name: "Value of VERSION" }).fill("7");
  await client.patch("replicasets", "heard", { spec: { replicas: 2 } });
  await expect(page.getByText("Generation 2 was saved while you edit")).toBeVisible();
  await expect(page.getByRole("textbox", { name: "Value of VERSION" })).toHaveValue("7");
  await page.getByRole("button", { name: "Compare and merge" }).click();
  await page.getByRole("button", { name: "Merge into my edit" }).click();
  await expect(page.getByRole("textbox", { name: /^Replicas/ })).toHaveValue("2");
  await expect(page.getByRole("textbox", { name: "Value of VERSION" })).toHaveValue("7");
});

test("a stale form that asks for a preview first gets the same merge, not a dead end", async () => {
  await client.create("replicasets", "previewed", { replicas: 1, template });
  await edit(page, "previewed");
  await holdStill(page);
  await client.patch("replicasets", "previewed", { spec: { replicas: 2 } });
  await page.getByRole("textbox", { name: "Value of VERSION" }).fill("7");
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await page.getByRole("button", { name: "Merge into my edit" }).click();
  await page.getByRole("button", { name: "Preview", exact: true }).click();
  await expect(page.getByText("Previewed", { exact: true })).toBeVisible();
  await expect(page.getByRole("textbox", { name: /^Replicas/ })).toHaveValue("2");
});

test("work that was not saved is offered again when the page is opened the next time", async () => {
  await client.create("replicasets", "kept", { replicas: 1, template });
  await edit(page, "kept");
  await page.getByRole("textbox", { name: "Value of VERSION" }).fill("5");
  await expect(page.getByText("unsaved changes")).toBeVisible();
  const draft = () =>
    page.evaluate(() => Object.values(localStorage).some((text) => text.includes('VERSION: "5"') || text.includes('VERSION: \\"5\\"')));
  await expect.poll(draft).toBe(true);
  page.once("dialog", (dialog) => void dialog.accept());
  await edit(page, "kept");
  await page.getByRole("button", { name: /^Restore/ }).click();
  await expect(page.getByRole("textbox", { name: "Value of VERSION" })).toHaveValue("5");
});
