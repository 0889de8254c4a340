/** Config files: ours are kept as declared, others are left alone, and nothing outside of the root is ever reached. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "playwright/test";
import type { ApiStatus } from "@/lib/api/contract";
import { Client } from "./client";
import { type Server, startServer } from "./server";

let server: Server;
let client: Client;
let root: string;
let outside: string;
test.beforeAll(async () => {
  outside = mkdtempSync(path.join(os.tmpdir(), "setpoint-e2e-outside-"));
  root = mkdtempSync(path.join(os.tmpdir(), "setpoint-e2e-root-"));
  server = await startServer({ env: { SETPOINT_FILE_ROOT: root } });
  client = new Client(server.url, server.token);
});
test.afterAll(async () => {
  await server?.stop();
  for (const folder of [outside, root]) rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => path.join(root, name);
const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : undefined);

test("edited, its rights changed, or removed by hand, a file comes back as declared", async () => {
  await client.create("configfiles", "app", { path: "etc/app.conf", content: "listen = 8080\n", mode: "0640" });
  await client.converged("configfiles", "app");
  expect(read("etc/app.conf")).toBe("listen = 8080\n");
  for (const harm of [
    () => writeFileSync(at("etc/app.conf"), "listen = 1\n"),
    () => chmodSync(at("etc/app.conf"), 0o666),
    () => rmSync(at("etc/app.conf")),
  ]) {
    harm();
    await client.reconcile("configfiles", "app");
    const state = () => [read("etc/app.conf"), existsSync(at("etc/app.conf")) && statSync(at("etc/app.conf")).mode & 0o777];
    await expect.poll(state, { timeout: 20_000 }).toEqual(["listen = 8080\n", 0o640]);
  }
  // And without being asked.
  writeFileSync(at("etc/app.conf"), "listen = 2\n");
  await expect.poll(() => read("etc/app.conf"), { timeout: 30_000 }).toBe("listen = 8080\n");
});

test("a file that is not ours is left alone, reported as such, and taken over only when that is asked for", async () => {
  writeFileSync(at("theirs.conf"), "theirs\n");
  const { ino, mtimeMs } = statSync(at("theirs.conf"));
  await client.create("configfiles", "theirs", { path: "theirs.conf", content: "ours\n" });
  const refused = await client.waitFor("configfiles", "theirs", "refused", ({ status }) => status?.reason === "NotOurs");
  expect(refused.status).toMatchObject({ state: "Failed", attempts: expect.any(Number), nextAttempt: { cause: "Conflict" } });
  await client.reconcile("configfiles", "theirs");
  expect(statSync(at("theirs.conf"))).toMatchObject({ ino, mtimeMs });

  // Deleting the declaration leaves it too.
  await client.remove("configfiles", "theirs");
  expect(read("theirs.conf")).toBe("theirs\n");

  await client.create("configfiles", "theirs", { path: "theirs.conf", content: "ours\n" });
  await client.waitFor("configfiles", "theirs", "refused", ({ status }) => status?.reason === "NotOurs");
  await client.control("configfiles", "theirs", { adopt: true });
  await client.converged("configfiles", "theirs");
  expect(read("theirs.conf")).toBe("ours\n");
});

test("a path that leaves the root is refused at the door, however it is spelt", async () => {
  for (const wrong of ["../escape", "a/../../escape", "/etc/escape", "a//b", "./a", "a/", "..", ".setpoint/marks/x", "a\nb"]) {
    const answer = await client.send<ApiStatus>("POST", client.path("configfiles"), {
      metadata: { name: "escape" },
      spec: { path: wrong, content: "x" },
    });
    expect(answer.status, wrong).toBe(422);
    expect(answer.body.details?.causes?.[0]?.field, wrong).toBe("spec.path");
  }
});

test("a symbolic link, as the file or as a folder on the way, is refused and what it leads to untouched", async () => {
  writeFileSync(path.join(outside, "passwd"), "root\n");
  symlinkSync(path.join(outside, "passwd"), at("link.conf"));
  symlinkSync(outside, at("folder"));
  await client.create("configfiles", "link", { path: "link.conf", content: "pwned\n" }, { control: { adopt: true } });
  await client.create("configfiles", "inside", { path: "folder/passwd", content: "pwned\n" }, { control: { adopt: true } });
  for (const name of ["link", "inside"]) {
    const refused = await client.waitFor("configfiles", name, "refused", ({ status }) => (status?.attempts ?? 0) > 0);
    expect(refused.view.state).toBe("Failed");
    expect(refused.status?.message).toContain("link");
    await client.remove("configfiles", name);
  }
  expect(readFileSync(path.join(outside, "passwd"), "utf8")).toBe("root\n");
  expect(existsSync(at("link.conf"))).toBe(true);

  // A link that is put in the place of a file that is ours is refused as well.
  await client.create("configfiles", "swapped", { path: "swapped.conf", content: "ours\n" });
  await client.converged("configfiles", "swapped");
  rmSync(at("swapped.conf"));
  symlinkSync(path.join(outside, "passwd"), at("swapped.conf"));
  await client.reconcile("configfiles", "swapped");
  await client.state("configfiles", "swapped", "Failed");
  expect(readFileSync(path.join(outside, "passwd"), "utf8")).toBe("root\n");
});

test("deletion removes ours and nothing else; with Orphan it leaves even that", async () => {
  mkdirSync(at("shared"), { recursive: true });
  writeFileSync(at("shared/theirs.conf"), "theirs\n");
  await client.create("configfiles", "mine", { path: "shared/mine.conf", content: "mine\n" });
  await client.create("configfiles", "kept", { path: "shared/kept.conf", content: "kept\n" }, { control: { deletionPolicy: "Orphan" } });
  for (const name of ["mine", "kept"]) await client.converged("configfiles", name);
  for (const name of ["mine", "kept"]) await client.remove("configfiles", name);
  expect(read("shared/mine.conf")).toBeUndefined();
  expect(read("shared/kept.conf")).toBe("kept\n");
  expect(read("shared/theirs.conf")).toBe("theirs\n");
});

test("two declarations of one path do not fight: the second is told whose it is", async () => {
  await client.create("configfiles", "first", { path: "contested.conf", content: "first\n" });
  await client.converged("configfiles", "first");
  const second = { path: "contested.conf", content: "second\n" };
  for (const query of ["?dryRun=All", ""]) {
    const body = { metadata: { name: "second" }, spec: second, control: { adopt: true } };
    const refused = await client.send<ApiStatus>("POST", `${client.path("configfiles")}${query}`, body);
    expect(refused).toMatchObject({ status: 409, body: { reason: "AlreadyExists", details: { causes: [{ field: "spec.path" }] } } });
    expect(refused.body.message).toContain("ConfigFile default/first");
  }
  expect(read("contested.conf")).toBe("first\n");
  await client.converged("configfiles", "first");

  // Once the first is gone, and not before, the path is free.
  await client.remove("configfiles", "first");
  await client.create("configfiles", "second", second);
  await client.converged("configfiles", "second");
  expect(read("contested.conf")).toBe("second\n");
});
