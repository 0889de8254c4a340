/** The page of a resource, live: what broke and was healed, why something fails and when it is tried next, and why nothing is done. */
import { expect, type Page, test } from "playwright/test";
import { detailPath, factOf, markDocument, person, stateOf } from "./browser";
import { Client } from "./client";
import { instancesOf, pidsOf, untilInstances } from "./instances";
import { closedPort } from "./ports";
import { type Server, startServer, until } from "./server";

const template = { command: ["sample-service"], stopGraceSeconds: 2 };

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

test("an instance that is killed is replaced before the eyes of whoever looks, and the timeline says so", async () => {
  const { metadata } = await client.create("replicasets", "web", { replicas: 3, template });
  const before = await untilInstances(metadata.uid, 3);
  await client.converged("replicasets", "web");
  await page.goto(detailPath("replicasets", "web", "timeline"));
  await expect(stateOf(page)).toHaveText("Converged");
  const starts = page.getByRole("region", { name: "Timeline" }).getByRole("heading", { name: /web-1/ });
  const known = await starts.count();
  const sameDocument = await markDocument(page);

  process.kill(before[1]?.pid ?? 0, "SIGKILL");
  await expect(starts).toHaveCount(known + 1, { timeout: 30_000 });
  await expect(stateOf(page)).toHaveText("Converged", { timeout: 30_000 });
  const after = await untilInstances(metadata.uid, 3);
  expect(after.map(({ pid }) => pid)).toEqual([before[0]?.pid, expect.any(Number), before[2]?.pid]);
  expect(after[1]?.pid).not.toBe(before[1]?.pid);
  await sameDocument();
});

test("a server that cannot be reached shows why, how often it was tried, and counts down to the next attempt without ever going below zero", async () => {
  const port = await closedPort();
  await client.create("secrets", "login", { values: { password: "not-used" } });
  const passwordFrom = { secret: "login", key: "password" };
  await client.create("postgresservers", "reports", { host: "127.0.0.1", port, user: "setpoint", passwordFrom });
  await client.waitFor("postgresservers", "reports", "failing", ({ status }) => (status?.attempts ?? 0) > 0);

  await page.goto(detailPath("postgresservers", "reports"));
  await expect(stateOf(page)).toHaveText("Backing off");
  await expect(page.getByTestId("not-acting")).toContainText(/retry|attempt/i);
  await expect(factOf(page, "Next attempt")).toContainText("retry after a failure");
  const attempts = async () => Number.parseInt((await factOf(page, "Failed attempts").textContent()) ?? "", 10);
  const first = await attempts();
  const timer = factOf(page, "Next attempt").getByRole("timer");
  const seen = new Set<string>();
  await until(
    async () => {
      seen.add((await timer.textContent()) ?? "");
      return (await attempts()) >= first + 2;
    },
    60_000,
    "it was not tried twice more before the eyes of whoever looks",
  );
  for (const text of seen) expect(text).toMatch(/^(\d\d:\d\d|due)$/);
  expect(seen.size).toBeGreaterThan(1);
  const { status } = await client.get("postgresservers", "reports");
  await page.getByRole("tab", { name: "Timeline" }).click();
  await expect(page.getByText("Failing now: Unreachable")).toBeVisible();
  await expect(page.getByRole("main")).toContainText(`127.0.0.1:${port}`);
  await page.getByRole("tab", { name: "Conditions" }).click();
  const conditions = page.getByRole("table");
  await expect(conditions.getByRole("row", { name: /^Ready/ })).toContainText("Unreachable");
  expect(status?.reason).toBe("Unreachable");
});

test("paused with a reason and an end: the page says who, why and until when, nothing is green, and nothing is done", async () => {
  const { metadata } = await client.create("replicasets", "held", { replicas: 1, template });
  await client.converged("replicasets", "held");
  await page.goto(detailPath("replicasets", "held"));
  await expect(stateOf(page)).toHaveText("Converged");
  const colours = () =>
    page
      .getByRole("main")
      .locator("span[data-state], span[data-health]")
      .evaluateAll((badges) => badges.map((badge) => getComputedStyle(badge).color));
  const [green = ""] = await colours();

  await page.getByRole("button", { name: "Pause…" }).click();
  const dialog = page.getByRole("dialog", { name: "Pause held" });
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(dialog).toContainText("Say why");
  await dialog.getByLabel("Reason").fill("New disks go in");
  await dialog.getByLabel("Ends after").selectOption({ label: "1 hour" });
  await dialog.getByRole("button", { name: "Pause", exact: true }).click();
  await expect(stateOf(page)).toHaveText("Paused");
  const line = page.getByTestId("not-acting");
  await expect(line).toContainText(`paused by ${server.admin.email}`);
  await expect(line).toContainText("New disks go in");
  await expect(line).toContainText(/until/);
  await expect(factOf(page, "Next attempt")).toContainText("the pause ends");
  expect(await colours()).not.toContain(green);

  const [pid] = pidsOf(metadata.uid);
  process.kill(pid ?? 0, "SIGKILL");
  await page.getByRole("tab", { name: /^State/ }).click();
  await expect(page.getByText(/of \d+ fields? differ/)).toBeVisible({ timeout: 30_000 });
  expect(pidsOf(metadata.uid)).toEqual([]);
  // Reconciling what is paused is no silent nothing: the page offers the way.
  await page.getByRole("button", { name: "Reconcile now" }).click();
  await page.getByRole("button", { name: "Resume & reconcile" }).click();
  await untilInstances(metadata.uid, 1);
  await expect(stateOf(page)).toHaveText("Converged", { timeout: 30_000 });
});

test("dry-run: the plan is there to be read, in order and with its hash, and is not carried out until somebody says so", async () => {
  const { metadata } = await client.create("replicasets", "planned", { replicas: 1, template });
  await client.converged("replicasets", "planned");
  await page.goto(detailPath("replicasets", "planned", "plan"));
  await page.getByRole("group", { name: "Mode" }).getByText("Dry-run").click();
  await expect(page.getByRole("button", { name: /^Dry-run/ })).toHaveAttribute("aria-pressed", "true");
  await client.state("replicasets", "planned", "Converged");
  await client.patch("replicasets", "planned", { spec: { replicas: 3 } });

  const actions = page.getByRole("region", { name: "Plan" }).getByRole("listitem");
  await expect(actions).toHaveCount(2, { timeout: 30_000 });
  await expect(actions.nth(0)).toContainText("process planned-1");
  await expect(actions.nth(1)).toContainText("process planned-2");
  const { hash } = await client.plan("replicasets", "planned");
  await expect(page.getByRole("region", { name: "Plan" })).toContainText(hash.slice(0, 16));
  await expect(page.getByTestId("not-acting")).toContainText(/dry-run/i);
  await expect(stateOf(page)).toHaveText(/Drifted/);
  expect(instancesOf(metadata.uid)).toHaveLength(1);

  await page.getByRole("group", { name: "Mode" }).getByText("Auto").click();
  const confirm = page.getByRole("dialog", { name: "Let the loop act?" });
  await expect(confirm.getByRole("listitem")).toHaveCount(2);
  await confirm.getByRole("button", { name: "Switch to auto" }).click();
  await untilInstances(metadata.uid, 3);
  await expect(stateOf(page)).toHaveText("Converged", { timeout: 30_000 });
});
