import { afterEach, expect, test } from "vitest";
import { withRuntime } from "./serve";

const RUNTIME = Symbol.for("setpoint.runtime");
afterEach(() => Reflect.deleteProperty(globalThis, RUNTIME));

test("while Setpoint starts, routes answer 503 with when to come back", async () => {
  const response = await withRuntime(async () => new Response("never"));
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "2"]);
});

test("an error of ours keeps its status although another bundle threw it; any other says nothing of the inside", async () => {
  Reflect.set(globalThis, RUNTIME, {});
  const foreign = Object.assign(new Error("the body is not valid JSON"), { name: "SetpointError", reason: "BadRequest" });
  const refused = await withRuntime(() => Promise.reject(foreign));
  expect([refused.status, (await refused.json()).message]).toEqual([400, "the body is not valid JSON"]);
  const broken = await withRuntime(() => Promise.reject(new Error("secret detail")));
  expect([broken.status, await broken.text()]).toEqual([500, expect.not.stringContaining("secret detail")]);
});
