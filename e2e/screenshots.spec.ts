/** The pictures of the README are the product itself: the sample fleet, as `SETPOINT_DEMO=1` declares it. */
import { mkdirSync } from "node:fs";
import path from "node:path";
import { expect, type Page, test } from "playwright/test";
import { detailPath, person, settled, stateOf } from "./browser";
import { Client } from "./client";
import { closedPort } from "./ports";
import { type Server, startServer } from "./server";

/** `SETPOINT_SCREENSHOTS=1` renews those of the README; otherwise they are taken and thrown away. */
const KEPT = path.resolve(import.meta.dirname, "..", "public", "screenshots");

let server: Server;
let client: Client;
let page: Page;
test.beforeAll(async ({ browser }) => {
  server = await startServer({ env: { SETPOINT_DEMO: "1", SETPOINT_HOSTNAME: "edge-1" } });
  client = new Client(server.url, server.token);
  page = await person(browser, server);
});
test.afterAll(async () => {
  await page?.context().close();
  await server?.stop();
});

async function shoot(name: string, colorScheme: "light" | "dark", where: string, prepare?: () => Promise<void>): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.goto(where);
  await settled(page);
  await prepare?.();
  // A chart is drawn once it is in view, and toasts and the pointer's traces belong to no picture.
  await expect(page.locator("[data-live=live]")).toBeVisible();
  await page.mouse.move(0, 0);
  const folder = process.env.SETPOINT_SCREENSHOTS === "1" ? KEPT : test.info().outputPath();
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), animations: "disabled" });
}

test("the sample fleet shows every state on one machine", async () => {
  // Another sample fleet on this machine may hold the port that this one would take.
  await client.patch("replicasets", "web", { spec: { probe: { http: { port: await closedPort() } } } });
  await client.converged("replicasets", "web", 90_000);
  await client.converged("replicasets", "worker", 60_000);
  await client.converged("configfiles", "motd");
  await client.state("configfiles", "feature-flags", "Drifted");
  await client.state("configfiles", "banner", "Paused");
  await client.state("postgresservers", "reports", "BackingOff");
  await client.waitFor("replicasets", "nightly", "failing", ({ status }) => (status?.attempts ?? 0) > 0, 60_000);
  await client.waitFor(
    "postgresroles",
    "analyst",
    "waiting for its server",
    ({ view }) => view.state !== "Converged" && view.state !== "Progressing",
  );
});

test("the pictures can be taken: overview, one resource, the list, an edit with its preview", async () => {
  await client.patch("replicasets", "web", { spec: { template: { env: { VERSION: "2" } } } });
  await client.converged("replicasets", "web", 60_000);
  const until = new Date(Date.now() + 4 * 3_600_000).toISOString();
  await pauseInBrowser("worker", { reason: "New disks go in", until });
  await client.patch("replicasets", "worker", { spec: { replicas: 4 } });
  await client.waitFor(
    "replicasets",
    "worker",
    "drifted",
    ({ view, status }) => view.state === "Paused" && (status?.drift?.count ?? 0) > 0,
  );

  await shoot("overview-dark", "dark", "/?range=1h");
  await shoot("detail-light", "light", detailPath("replicasets", "worker"), async () => {
    await expect(stateOf(page)).toHaveText("Paused");
    await expect(page.getByRole("region", { name: "Desired against actual" })).toContainText("differ");
  });
  await shoot("resources-light", "light", "/resources", () => expect(page.locator("[data-row-link]")).toHaveCount(9));
  await shoot("edit-light", "light", `${detailPath("replicasets", "web")}/edit`, async () => {
    await page.getByRole("textbox", { name: /^Replicas/ }).fill("5");
    await page.getByRole("button", { name: "Preview", exact: true }).click();
    await expect(page.getByRole("region", { name: "What would be done" }).getByRole("listitem")).toHaveCount(2);
    await page.getByRole("complementary", { name: "Problems and preview" }).evaluate((panel) => panel.scrollTo(0, 0));
    await page.evaluate(() => window.scrollTo(0, 130));
  });
});

/** As the person whose browser it is, so that the picture names somebody. */
async function pauseInBrowser(name: string, paused: { reason: string; until: string }): Promise<void> {
  const status = await page.evaluate(
    async ([path, body]) => {
      const headers = { "content-type": "application/merge-patch+json" };
      return (await fetch(path ?? "", { method: "PATCH", headers, body })).status;
    },
    [client.path("replicasets", name, "control"), JSON.stringify({ paused })],
  );
  expect(status).toBe(200);
}
