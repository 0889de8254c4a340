/** A token is made on the page, does in the command line what it was made for and no more, and nothing at all once it is revoked. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, type Page, test } from "playwright/test";
import { parseAllDocuments } from "yaml";
import { person } from "./browser";
import { Client } from "./client";
import { type Server, startServer } from "./server";

const PROGRAM = path.resolve(import.meta.dirname, "..", "lib", "setup", "setpoint.mjs");

let server: Server;
let client: Client;
let page: Page;
let folder: string;

test.describe.configure({ mode: "serial" });
test.beforeAll(async ({ browser }) => {
  server = await startServer();
  client = new Client(server.url, server.token);
  folder = mkdtempSync(path.join(os.tmpdir(), "setpoint-e2e-cli-"));
  page = await person(browser, server);
});
test.afterAll(async () => {
  await page?.context().close();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The command line as a user starts it. */
function setpoint(token: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const env = { NODE_ENV: "production" as const, HOME: folder, SETPOINT_SERVER: server.url, SETPOINT_TOKEN: token };
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: folder, env });
  const printed = { out: "", err: "" };
  child.stdout.on("data", (chunk) => {
    printed.out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    printed.err += chunk;
  });
  child.stdin.end();
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...printed })));
}

/** Makes a token of one's own on the page, and reads it the one time that it is shown. */
async function makeToken(name: string, rights: string): Promise<string> {
  await page.goto("/settings");
  await page.getByRole("button", { name: "New token", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  await dialog.getByLabel("It may").selectOption(rights);
  await dialog.getByRole("button", { name: "Create token" }).click();
  const token = (await dialog.locator("[data-token]").textContent()) ?? "";
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.locator(`[data-token-name="${name}"]`)).toContainText("last used never");
  return token;
}

const file = (content: string) => {
  const where = path.join(folder, "motd.yaml");
  writeFileSync(
    where,
    `apiVersion: setpoint.dev/v1alpha1\nkind: ConfigFile\nmetadata:\n  name: motd\nspec:\n  path: motd\n  content: ${JSON.stringify(content)}\n`,
  );
  return where;
};

test("a pipeline declares, sees the difference, and waits for what it declared", async () => {
  const token = await makeToken("pipeline", "edit");
  const manifest = file("one\n");
  expect((await setpoint(token, "diff", "-f", manifest)).code).toBe(1);
  expect(await setpoint(token, "apply", "-f", manifest)).toMatchObject({ code: 0, out: "configfiles/motd created\n" });
  expect(await setpoint(token, "wait", "configfiles/motd", "--timeout", "60s")).toMatchObject({
    code: 0,
    out: "configfiles/motd: converged at generation 1\n",
  });
  expect((await setpoint(token, "diff", "-f", manifest)).code).toBe(0);
  expect((await setpoint(token, "pause", "configfiles/motd", "--reason", "a test", "--for", "1h")).code).toBe(0);
  expect(await setpoint(token, "wait", "configfiles/motd")).toMatchObject({ code: 1, err: expect.stringContaining("paused") });
  expect((await setpoint(token, "resume", "configfiles/motd")).code).toBe(0);
  expect((await setpoint(token, "get", "configfiles")).out).toMatch(/^NAME[^\n]*\nmotd /);
  const { out } = await setpoint(token, "backup");
  expect(parseAllDocuments(out)[0]?.toJS()).toMatchObject({ kind: "BackupManifest", complete: true, objects: { configfiles: 1 } });
});

test("a token for reading reads, and is refused everything else with who and why", async () => {
  const token = await makeToken("reader", "read");
  expect((await setpoint(token, "get", "configfiles/motd", "-o", "name")).out).toBe("configfiles/motd\n");
  const refused = await setpoint(token, "apply", "-f", file("two\n"));
  expect([refused.code, refused.out]).toEqual([2, ""]);
  expect(refused.err).toContain('the token "reader" was not made for it');
  expect((await client.get("configfiles", "motd")).spec.content).toBe("one\n");
  await page.reload();
  await expect(page.locator('[data-token-name="reader"]')).not.toContainText("last used never");
});

test("revoked on the page, it is nobody's at once", async () => {
  const token = await makeToken("short", "all");
  expect((await setpoint(token, "get", "configfiles")).code).toBe(0);
  await page.getByRole("button", { name: /^Revoke short/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await expect(page.locator('[data-token-name="short"]')).toHaveCount(0);
  expect(await setpoint(token, "get", "configfiles")).toMatchObject({
    code: 2,
    err: expect.stringContaining("the bearer token is not valid"),
  });
});

test("a service account made on the page may what is bound to it, where it is bound", async () => {
  await page.goto("/settings");
  await page.getByRole("button", { name: "Add account" }).click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("ci");
  await page.getByRole("dialog").getByRole("button", { name: "Add service account" }).click();
  await page.getByRole("button", { name: "New token for default/ci" }).click();
  await page.getByRole("dialog").getByLabel("Name", { exact: true }).fill("deploys");
  await page.getByRole("dialog").getByLabel("It may").selectOption("all");
  await page.getByRole("dialog").getByRole("button", { name: "Create token" }).click();
  const token = (await page.locator("[data-token]").textContent()) ?? "";
  await page.keyboard.press("Escape");
  expect((await setpoint(token, "get", "configfiles")).err).toContain("Forbidden");

  await page.getByRole("button", { name: "Bind role" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("To", { exact: true }).selectOption("ServiceAccount");
  await dialog.getByLabel("Who").fill("default/ci");
  await dialog.getByLabel("Role").selectOption("viewer");
  await dialog.getByLabel("Namespace").fill("default");
  await dialog.getByRole("button", { name: "Bind role" }).click();
  await expect(page.locator("[data-binding]")).toContainText("viewer in default");
  expect((await setpoint(token, "get", "configfiles", "-o", "name")).out).toBe("configfiles/motd\n");
  expect((await setpoint(token, "get", "configfiles", "-n", "elsewhere")).err).toContain("Forbidden");

  await page.getByRole("button", { name: "Unbind viewer from default/ci" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Unbind" }).click();
  await expect(page.locator("[data-binding]")).toHaveCount(0);
  expect((await setpoint(token, "get", "configfiles")).err).toContain("Forbidden");
});
