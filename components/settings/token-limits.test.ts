import { expect, it } from "vitest";
import { limitsOf, limitsText } from "./token-limits";

it("a token's limits are those that the form was given, and are told in its line", () => {
  const given: Record<string, string> = { requestsPerMinute: "60", depth: " 8 ", streams: "", bodyBytes: "" };
  const limits = limitsOf((name) => given[name] ?? "");
  expect(limits).toEqual({ requestsPerMinute: 60, depth: 8 });
  expect(limitsText(limits)).toBe("at most 60 requests a minute, 8 levels deep");
  expect([limitsOf(() => ""), limitsText({})]).toEqual([{}, ""]);
});
