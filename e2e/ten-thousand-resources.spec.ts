/** Ten thousand resources in one list: found, narrowed, ordered and paged by the server, all of it in the address, and acted on as one. */
import { expect, type Page, test } from "playwright/test";
import type { ResourcePage } from "@/lib/api/contract";
import { startPostgres, type TestPostgres } from "@/lib/conformance/postgres";
import { person } from "./browser";
import { Client } from "./client";
import { type Server, startServer, until } from "./server";

const COUNT = 10_000;

let store: TestPostgres;
let server: Server;
let client: Client;
let page: Page;
test.describe.configure({ mode: "serial" });
test.beforeAll(async ({ browser }) => {
  test.setTimeout(600_000);
  store = await startPostgres();
  await store.query("create database fleet");
  const login = `${store.user}:${store.password}`;
  server = await startServer({ env: { DATABASE_URL: `postgresql://${login}@${store.host}:${store.port}/fleet` } });
  client = new Client(server.url, server.token);
  // One is declared as anybody would; the rest are its likenesses, observed only, so that no target has to carry them.
  await client.create("configfiles", "file-00000", { path: "file-00000", content: "one\n" }, { control: { mode: "Observe" } });
  await store.query(LIKENESSES, [COUNT - 1], "fleet");
  page = await person(browser, server);
});
test.afterAll(async () => {
  await page?.context().close();
  await server?.stop();
  await store?.stop();
});

const LIKENESSES = `
  insert into resource (uid, kind, namespace, name, slice, spec, control, labels, finalizers, created_at)
  select gen_random_uuid(), kind, case when n % 10 = 0 then 'edge' else namespace end, 'file-' || lpad(n::text, 5, '0'), slice,
    jsonb_set(spec, '{path}', to_jsonb('file-' || lpad(n::text, 5, '0'))), control,
    jsonb_build_object('tier', case when n % 4 = 0 then 'edge' else 'core' end), finalizers, created_at + n * interval '1 second'
  from resource, generate_series(1, $1::int) n where name = 'file-00000'`;

const total = () => page.getByRole("status").filter({ hasText: /^[\d,]+ resources?$/ });
const rows = () => page.getByRole("row").filter({ has: page.locator("[data-row-link]") });
const first = () => page.locator("[data-row-link]").first();
const pages = () => page.getByRole("navigation", { name: "Pages of resources" });
const list = (query: string) => client.ask<ResourcePage>("GET", `/api/console/resources?${query}`);

test("the list shows a page of a hundred and counts all of them", async () => {
  await page.goto("/resources");
  await expect(total()).toHaveText("10,000 resources");
  await expect(rows()).toHaveCount(100);
  await expect(first()).toHaveText("file-00000");
  await expect(pages()).toContainText("1–100 of 10,000 resources");
});

test("search, labels and facets narrow it, and the address alone brings the same list back", async () => {
  await page.goto("/resources");
  await page.getByRole("searchbox").fill("file-00042");
  await expect(total()).toHaveText("1 resource");
  await expect(page).toHaveURL(/q=file-00042/);
  await page.getByRole("searchbox").fill("");
  await page.getByLabel(/^Label selector/).fill("tier=edge");
  await expect(total()).toHaveText("2,499 resources");
  await page.getByRole("group", { name: "Namespace" }).getByRole("button", { name: /^edge/ }).click();
  await expect(total()).toHaveText("499 resources");
  await expect(page).toHaveURL(/label=tier%3Dedge|label=tier=edge/);
  await expect(page).toHaveURL(/namespace=edge/);
  const other = await page.context().newPage();
  await other.goto(page.url());
  await expect(other.getByRole("status").filter({ hasText: "499 resources" })).toBeVisible();
  await other.close();
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(total()).toHaveText("10,000 resources");
});

test("sorting and paging are the server's, and Back restores what was seen before", async () => {
  await page.goto("/resources");
  await expect(first()).toHaveText("file-00000");
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await expect(first()).toHaveText("file-09999");
  await expect(page.getByRole("columnheader", { name: "Name" })).toHaveAttribute("aria-sort", "descending");
  await pages().getByRole("button", { name: "Next page" }).click();
  await expect(first()).toHaveText("file-09899");
  await expect(page).toHaveURL(/sort=-name&page=2/);
  await pages().getByRole("button", { name: "Next page" }).click();
  await expect(first()).toHaveText("file-09799");

  await first().click();
  await expect(page.getByRole("heading", { level: 1, name: "file-09799" })).toBeVisible();
  await page.goBack();
  await expect(first()).toHaveText("file-09799");
  await page.goBack();
  await expect(first()).toHaveText("file-09899");
  await page.goBack();
  await expect(first()).toHaveText("file-09999");
  await page.goBack();
  await expect(first()).toHaveText("file-00000");
});

test("all that match are paused as one: the dialog names the filter and the count, and exactly those are paused with the reason", async () => {
  test.setTimeout(600_000);
  await page.goto("/resources?namespace=edge");
  await expect(total()).toHaveText("999 resources");
  await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
  const selection = page.getByRole("region", { name: "Selection" });
  await expect(selection).toContainText("100 selected");
  await selection.getByRole("button", { name: "Select all 999 matching" }).click();
  await expect(selection).toContainText("All 999 matching");
  await selection.getByRole("button", { name: "Pause…" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("namespace edge");
  await expect(dialog).toContainText("and 989 more");
  await dialog.getByLabel("Reason").fill("The edge moves house");
  await dialog.getByRole("button", { name: "Pause 999" }).click();
  await expect(dialog).toContainText("999 done", { timeout: 300_000 });
  await dialog.getByRole("button", { name: "Done" }).click();

  await until(async () => (await list("state=Paused&limit=1")).total === 999, 120_000, "999 are not paused");
  const { rows: held, facets } = await list("namespace=edge&limit=100");
  expect(held.every(({ paused }) => paused?.reason === "The edge moves house" && paused.by === server.admin.email)).toBe(true);
  expect(facets.state).toMatchObject({ Paused: 999 });
  expect((await list("namespace=default&state=Paused&limit=1")).total).toBe(0);
});

test("a bulk action whose count has moved since it was shown is refused, nothing is done, and the new count is shown", async () => {
  await page.goto("/resources?namespace=edge");
  await expect(total()).toHaveText("999 resources");
  await page.locator("button[data-live]").click();
  await page.getByRole("button", { name: "Pause updates" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("checkbox", { name: "Select all rows of this page" }).check();
  await page.getByRole("button", { name: "Select all 999 matching" }).click();
  const late = new Client(server.url, server.token, "edge");
  await late.create("configfiles", "late", { path: "late", content: "" }, { control: { mode: "Observe" } });
  await page.getByRole("button", { name: "Resume…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Resume 999" }).click();
  await expect(dialog.getByRole("alert")).toContainText("the filter finds 1000 objects now, not 999");
  await expect(dialog.getByRole("button", { name: "Resume 1,000" })).toBeVisible();
  expect((await list("state=Paused&limit=1")).total).toBe(999);
});
