import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "@/lib/clock";
import { deletionOf, newResource } from "@/lib/conformance/kind";
import type { ApplyContext, Controller, ObserveContext } from "@/lib/controller";
import { createFiles } from "@/lib/providers/files";
import { type Control, driftOf, type Resource } from "@/lib/resource";
import configFile, { kind } from "./index";
import type { Observed } from "./observe";
import type { FileAction } from "./plan";
import type { ConfigFileSpec } from "./schema";

let root: string;
let controller: Controller<ConfigFileSpec, Observed, FileAction>;
let stored: Resource<ConfigFileSpec>[];

beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), "setpoint-configfile-plan-"));
  controller = configFile({ files: createFiles({ root, installation: "here", clock: systemClock }) });
  stored = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string) => path.join(root, name);

function declare(name: string, spec: Partial<ConfigFileSpec>, control: Partial<Control> = {}, namespace = "default") {
  const resource = newResource(kind, name, { path: "a.conf", content: "x\n", ...spec }, { control, namespace });
  stored.push(resource);
  return resource;
}

const base = (resource: Resource<unknown>) => ({
  signal: AbortSignal.timeout(10_000),
  now: () => systemClock.now(),
  installation: "here",
  secret: async () => "",
  async lookup(_kind: string, name: string) {
    const found = stored.find(({ metadata }) => metadata.name === name && metadata.namespace === resource.metadata.namespace);
    return found as Resource | undefined;
  },
});

async function look(resource: Resource<ConfigFileSpec>) {
  const context: ObserveContext = { ...base(resource), purpose: "observe" };
  const observed = await controller.observe(resource, context);
  return controller.plan({ resource, observed, now: 0, deleting: resource.metadata.deletionTimestamp !== undefined });
}

async function pass(resource: Resource<ConfigFileSpec>): Promise<void> {
  const plan = await look(resource);
  if (plan.blocked) throw plan.blocked;
  const context: ApplyContext = { ...base(resource), purpose: "apply", idempotencyKey: "key" };
  if (plan.actions[0]) await controller.apply(plan.actions[0], resource, context);
}

describe("two ConfigFiles on one path", () => {
  test("are told apart: the second is Contested and names the first, which stays converged", async () => {
    const first = declare("first", {});
    await pass(first);
    const second = declare("second", { content: "y\n" }, { adopt: true });
    expect((await look(second)).blocked).toMatchObject({
      reason: "Contested",
      message: expect.stringContaining("ConfigFile default/first"),
    });
    await pass(deletionOf(second));
    expect(readFileSync(at("a.conf"), "utf8")).toBe("x\n");
    expect((await look(first)).actions).toEqual([]);
  });

  test("across namespaces are Contested too, and never adopted: the other one cannot be looked up", async () => {
    await pass(declare("first", {}, {}, "team-a"));
    const plan = await look(declare("second", {}, { adopt: true }, "team-b"));
    expect(plan.blocked).toMatchObject({ reason: "Contested", message: expect.stringContaining("team-a/first") });
    expect(plan.blocked?.message).toContain(".setpoint/marks/");
  });

  test("follow one another: when the first is gone, the second writes", async () => {
    const first = declare("first", {});
    await pass(first);
    await pass(deletionOf(first));
    const second = declare("second", { content: "y\n" });
    await pass(second);
    expect(readFileSync(at("a.conf"), "utf8")).toBe("y\n");
  });

  test("of which the first left its file behind: NotOurs says so, and adopt takes it over", async () => {
    await pass(declare("first", {}));
    stored = [];
    const again = declare("first", { content: "y\n" });
    expect((await look(again)).blocked).toMatchObject({ reason: "NotOurs", message: expect.stringContaining("control.adopt") });
    const adopting = { ...again, control: { ...again.control, adopt: true } };
    expect((await look(adopting)).actions[0]?.type).toBe("Adopt");
    await pass(adopting);
    expect((await look(again)).fields.every((field) => field.same)).toBe(true);
  });
});

describe("drift", () => {
  test("is shown as content, mode and owner, desired against actual", async () => {
    const resource = declare("a", { mode: "640", owner: os.userInfo().username });
    writeFileSync(at("a.conf"), "edited", { mode: 0o604 });
    const drift = driftOf((await look(resource)).fields);
    expect(drift).toEqual([
      { path: "spec.content", desired: "x\n", actual: "edited" },
      { path: "spec.mode", desired: "0640", actual: "0604" },
      { path: "ownership", desired: "ours" },
    ]);
  });

  test("in mode and owner is not reported when they are not declared", async () => {
    const resource = declare("a", {});
    await pass(resource);
    writeFileSync(at("a.conf"), "x\n");
    expect(driftOf((await look(resource)).fields)).toEqual([]);
  });

  test("in a large or binary file is shown by size and digest, and never whole", async () => {
    const resource = declare("a", { content: "a".repeat(500_000) });
    await pass(resource);
    expect(JSON.stringify(await look(resource)).length).toBeLessThan(15_000);
    writeFileSync(at("a.conf"), Buffer.alloc(700_000, 0xff));
    const [content] = driftOf((await look(resource)).fields);
    expect(content).toMatchObject({
      path: "spec.content",
      desired: { bytes: 500_000 },
      actual: { bytes: 700_000, sha256: expect.any(String) },
    });
  });

  test("is corrected in content, mode and owner by one action", async () => {
    const resource = declare("a", { mode: "0600", owner: `${os.userInfo().uid}` });
    await pass(resource);
    writeFileSync(at("a.conf"), "edited");
    const { actions } = await look(resource);
    expect(actions.map(({ type }) => type)).toEqual(["Replace"]);
    await pass(resource);
    expect((await look(resource)).actions).toEqual([]);
  });
});

describe("deletion", () => {
  test("removes a file that others have changed since: path and mark are still ours", async () => {
    const resource = declare("a", {});
    await pass(resource);
    writeFileSync(at("a.conf"), "changed by hand");
    await pass(deletionOf(resource));
    expect(existsSync(at("a.conf"))).toBe(false);
  });

  test("is not held up by an owner that the host no longer knows", async () => {
    const resource = declare("a", {});
    await pass(resource);
    await pass(deletionOf({ ...resource, spec: { ...resource.spec, owner: "gone-since" } }));
    expect(existsSync(at("a.conf"))).toBe(false);
  });
});

describe("a spec", () => {
  const faults = (spec: object) => {
    const parsed = kind.schema.safeParse({ path: "a", content: "x", ...spec });
    return parsed.success ? (kind.check?.(parsed.data) ?? []).map(({ field }) => field) : parsed.error.issues.map((i) => i.path.join("."));
  };

  test.each([
    [{ path: "../a" }, ["path"]],
    [{ path: "/etc/passwd" }, ["path"]],
    [{ path: ".setpoint/marks/x" }, ["path"]],
    [{ content: "é".repeat(600_000) }, ["content"]],
    [{ content: "\ud800" }, ["content"]],
    [{ mode: "4755" }, ["mode"]],
    [{ mode: "0888" }, ["mode"]],
    [{ mode: 644 }, ["mode"]],
    [{ owner: "a:b:c" }, ["owner"]],
    [{ owner: "root; rm" }, ["owner"]],
    [{ owner: "4294967295" }, ["owner"]],
  ])("with %j is refused at %j", (spec, fields) => {
    expect(faults(spec)).toEqual(fields);
  });

  test.each([{}, { mode: "0644" }, { mode: "600" }, { owner: "root" }, { owner: "1000:www-data" }, kind.example])(
    "with %j is accepted",
    (spec) => {
      expect(faults(spec)).toEqual([]);
    },
  );
});
