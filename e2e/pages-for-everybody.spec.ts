/** Every page, for everybody: no serious finding of axe in light and dark, wide and narrow; by keyboard; and for who may only look. */
import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "playwright/test";
import type { ApiStatus } from "@/lib/api/contract";
import { detailPath, person, settled } from "./browser";
import { Client } from "./client";
import { type Server, startServer } from "./server";

const template = { command: ["sample-service"], env: { VERSION: "1" }, stopGraceSeconds: 2 };
const WEB = detailPath("replicasets", "web");
const TABS = ["state", "plan", "conditions", "timeline", "history", "yaml"];
const PAGES = [
  "/",
  "/resources",
  "/resources?q=nothing-is-called-this",
  ...TABS.map((tab) => `${WEB}?tab=${tab}`),
  detailPath("postgresservers", "reports", "timeline"),
  detailPath("configfiles", "planned", "plan"),
  detailPath("replicasets", "missing"),
  `${WEB}/edit`,
  "/resources/new",
  ...["replicasets", "configfiles", "secrets", "postgresservers", "postgresroles"].map((kind) => `/resources/new?kind=${kind}`),
  "/controllers",
  "/settings",
];
const STRANGERS_PAGES = ["/sign-in", "/setup"];

let server: Server;
let client: Client;
let page: Page;
test.beforeAll(async ({ browser }) => {
  server = await startServer();
  client = new Client(server.url, server.token);
  await client.create("replicasets", "web", { replicas: 2, template }, { labels: { tier: "edge", team: "storefront" } });
  await client.create("configfiles", "planned", { path: "planned.conf", content: "one\ntwo\n" }, { control: { mode: "DryRun" } });
  await client.create("configfiles", "held", { path: "held.conf", content: "x" }, { control: { paused: { reason: "Not yet" } } });
  await client.create("secrets", "login", { values: { password: "not-used" } });
  const passwordFrom = { secret: "login", key: "password" };
  await client.create("postgresservers", "reports", { host: "127.0.0.1", port: 1, user: "setpoint", passwordFrom });
  await client.converged("replicasets", "web");
  await client.patch("replicasets", "web", { spec: { template: { env: { VERSION: "2" } } } });
  await client.converged("replicasets", "web");
  page = await person(browser, server);
});
test.afterAll(async () => {
  await page?.context().close();
  await server?.stop();
});

/** What the theme can change; every other rule judges the same document. */
const THEME_RULES = ["color-contrast", "link-in-text-block"];

/** What axe finds serious or critical, one line per element, so that a failure can be read. `rules`: only these. */
async function findings(on: Page, rules?: string[]): Promise<string[]> {
  // In legacy mode no second page is opened for each analysis; there are no frames here that would need one.
  const axe = new AxeBuilder({ page: on }).setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary?.split("\n")[1] ?? ""}`),
    );
}

const overflow = (on: Page) => on.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

for (const width of [1280, 360]) {
  test(`in light and dark, no page has a serious finding of axe or scrolls sideways at ${width} px`, async ({ browser }) => {
    test.setTimeout(900_000);
    const stranger = await (await browser.newContext({ baseURL: server.url, reducedMotion: "reduce" })).newPage();
    for (const [on, paths] of [
      [stranger, STRANGERS_PAGES],
      [page, PAGES],
    ] as const) {
      await on.setViewportSize({ width, height: 800 });
      for (const path of paths) {
        await on.goto(path);
        await settled(on);
        expect.soft(await overflow(on), `${path} is wider than the screen`).toBeLessThanOrEqual(0);
        for (const colorScheme of ["light", "dark"] as const) {
          await on.emulateMedia({ colorScheme });
          await expect(on.locator("html.dark")).toHaveCount(colorScheme === "dark" ? 1 : 0);
          const rules = colorScheme === "dark" ? THEME_RULES : undefined;
          expect.soft(await findings(on, rules), `${path}, ${colorScheme}`).toEqual([]);
        }
      }
    }
    await stranger.context().close();
  });
}

test("the YAML editor and the dialogs have no serious finding either", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`${WEB}/edit`);
  await page.getByRole("button", { name: "YAML", exact: true }).click();
  await expect(page.getByRole("textbox", { name: "YAML of the intent" })).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await page.goto(WEB);
  await page.getByRole("button", { name: "Pause…" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  expect(await findings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Pause…" })).toBeFocused();
});

test("by keyboard alone: skip link, pages, search, rows, and the list of keys", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/");
  await settled(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();

  await page.keyboard.press("g");
  await page.keyboard.press("r");
  await expect(page).toHaveURL(/\/resources$/);
  await expect(page.getByRole("row", { name: /web/ })).toBeVisible();
  await page.keyboard.press("/");
  await expect(page.getByRole("searchbox")).toBeFocused();
  await page.keyboard.type("e");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  const link = page.locator("[data-row-link]:focus");
  await expect(link).toHaveCount(1);
  await expect(link).toHaveText((await page.locator("[data-row-link]").first().textContent()) ?? "");
  const name = (await link.textContent()) ?? "";
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name, exact: true })).toBeVisible();

  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(keys).toContainText("Go to Resources");
  await expect(keys).toContainText("Pause or resume");
  await page.keyboard.press("Escape");
  await expect(keys).toHaveCount(0);
});

test("single keys can be switched off", async () => {
  await page.goto("/settings");
  const shortcuts = page.getByRole("switch", { name: /single.key|shortcut/i });
  await shortcuts.click();
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await shortcuts.click();
});

test("who may only look sees everything, can press nothing that acts, and is refused by the API as well", async ({ browser }) => {
  const account = { email: "viewer@example.org", password: "a long enough password" };
  await client.ask("POST", "/api/console/users", { ...account, name: "Vera", role: "viewer" });
  const viewer = await person(browser, server, account);
  await viewer.goto(WEB);
  await expect(viewer.locator("main span[data-state]").first()).toHaveText("Converged");
  for (const name of ["Reconcile now", "Pause…", "Edit"]) await expect(viewer.getByRole("button", { name, exact: true })).toBeDisabled();
  await expect(viewer.getByRole("button", { name: "Edit", exact: true })).toHaveAttribute("title", /role/i);
  await expect(viewer.getByRole("group", { name: "Mode" })).toHaveCount(0);
  await viewer.getByRole("button", { name: "More actions" }).click();
  await expect(viewer.getByRole("menuitem", { name: /^Delete/ })).toHaveAttribute("aria-disabled", "true");
  await viewer.keyboard.press("Escape");
  // The keys do no more than the buttons.
  for (const key of ["p", "r", "e"]) await viewer.keyboard.press(key);
  await expect(viewer.getByRole("dialog")).toHaveCount(0);
  await viewer.getByRole("tab", { name: /^History/ }).click();
  await expect(viewer.getByRole("button", { name: /^Revert/ }).first()).toBeDisabled();

  await viewer.goto("/resources");
  await expect(viewer.getByRole("button", { name: "New resource" })).toBeDisabled();
  await viewer.getByRole("checkbox", { name: /^Select ReplicaSet default\/web/ }).check();
  for (const name of ["Pause…", "Resume…", "Reconcile…"]) await expect(viewer.getByRole("button", { name })).toBeDisabled();
  await viewer.goto(`${WEB}/edit`);
  await expect(viewer.getByText("For reading only")).toBeVisible();
  await expect(viewer.getByRole("button", { name: "Save…" })).toHaveCount(0);
  await viewer.goto("/controllers");
  await settled(viewer);
  for (const button of await viewer.getByRole("button", { name: /^Pause/ }).all()) await expect(button).toBeDisabled();

  const before = await client.get("replicasets", "web");
  for (const [method, path, data] of [
    ["PATCH", client.path("replicasets", "web"), { spec: { replicas: 9 } }],
    ["PATCH", client.path("replicasets", "web", "control"), { paused: { reason: "x" } }],
    ["POST", client.path("replicasets", "web", "reconcile"), {}],
    ["POST", "/api/console/bulk", { action: "pause", reason: "x", uids: [before.metadata.uid] }],
    ["DELETE", client.path("replicasets", "web"), undefined],
  ] as const) {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const answer = await viewer.evaluate(
      async ([how, where, what, as]) => {
        const response = await fetch(where ?? "", { method: how, headers: { "content-type": as ?? "" }, ...(what ? { body: what } : {}) });
        return { status: response.status, body: await response.json() };
      },
      [method, path, data ? JSON.stringify(data) : undefined, type],
    );
    const { reason } = answer.body as ApiStatus;
    expect([answer.status, reason], `${method} ${path}`).toEqual([403, "Forbidden"]);
  }
  expect(await client.get("replicasets", "web")).toMatchObject({ spec: before.spec, control: before.control });
  await viewer.context().close();
});
