import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { z } from "zod";
import { systemClock } from "@/lib/clock";
import { deletionOf, newResource } from "@/lib/conformance/kind";
import { type RecordingProxy, startProxy } from "@/lib/conformance/proxy";
import type { Plan } from "@/lib/controller";
import { createPostgres, type Postgres } from "@/lib/providers/postgres";
import secretKind, { kind as secret } from "../secret";
import postgresServer, { kind } from "./index";

const url = new URL(inject("databaseServer"));
let proxy: RecordingProxy;
let postgres: Postgres;
beforeAll(async () => {
  proxy = await startProxy({ host: url.hostname, port: Number(url.port) });
  postgres = createPostgres({ clock: systemClock, installation: "here" });
});
afterAll(async () => {
  await postgres.close();
  await proxy.close();
});

const resource = (password = decodeURIComponent(url.password)) => ({
  password,
  stored: newResource(kind, "main", {
    ...{ host: "127.0.0.1", port: proxy.port, user: url.username, database: url.pathname.slice(1) },
    passwordFrom: { secret: "s", key: "k" },
  }),
});

async function look({ stored, password }: ReturnType<typeof resource>): Promise<Plan> {
  const controller = postgresServer({ postgres });
  const context = {
    ...{ purpose: "observe" as const, signal: AbortSignal.timeout(20_000), now: () => systemClock.now(), installation: "here" },
    ...{ lookup: async () => undefined, secret: async () => password },
  };
  const deleting = stored.metadata.deletionTimestamp !== undefined;
  return controller.plan({ resource: stored, observed: await controller.observe(stored, context), now: 0, deleting });
}

test("it tells version and rights, the same at every look, and writes nothing", async () => {
  proxy.forget();
  const first = await look(resource());
  expect(first.conditions.map(({ type, status }) => [type, status])).toEqual([
    ["Available", "True"],
    ["ManagesRoles", "True"],
  ]);
  expect(first.observed).toMatchObject({ version: expect.stringMatching(/^\d+/), superuser: true });
  expect(await look(resource())).toEqual(first);
  expect(proxy.writes()).toEqual([]);
});

test("one that does not answer, or refuses the password, is not available, with the reason; it recovers by itself", async () => {
  const denied = await look(resource("canary-wrong"));
  expect(denied.blocked?.reason).toBe("AccessDenied");
  expect(JSON.stringify([denied, denied.blocked?.message])).not.toContain("canary");
  proxy.refuse(true);
  const unreachable = await look(resource());
  expect(unreachable.blocked?.reason).toBe("Unreachable");
  expect(unreachable.conditions).toMatchObject([{ type: "Available", status: "False", reason: "Unreachable" }]);
  expect(await look({ ...resource(), stored: deletionOf(resource().stored) })).toEqual({ fields: [], actions: [], conditions: [] });
  proxy.refuse(false);
  expect((await look(resource())).blocked).toBeUndefined();
});

test("the schemas make forms, and the examples are valid", () => {
  for (const each of [kind, secret]) {
    expect(() => z.toJSONSchema(each.schema, { io: "input" })).not.toThrow();
    expect(each.schema.safeParse(each.example).success).toBe(true);
  }
});

test("a Secret is converged at once and shows its keys only", async () => {
  const controller = secretKind({});
  const stored = newResource(secret, "s", { values: { b: "canary-value", a: "x" } });
  const observed = await controller.observe(stored, {
    ...{ purpose: "observe" as const, signal: AbortSignal.timeout(1_000), now: () => 0, installation: "here" },
    ...{ lookup: async () => undefined, secret: async () => "" },
  });
  expect(controller.plan({ resource: stored, observed, now: 0, deleting: false })).toEqual({
    ...{ fields: [], actions: [], conditions: [], observed: { keys: ["a", "b"] } },
  });
});
