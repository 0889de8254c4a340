import { describe, expect, it } from "vitest";
import type { Principal } from "@/lib/policies/access";
import { Limits } from "./limits";

const someone = (id: string, limits = {}): Principal => ({
  name: id,
  email: "",
  role: "viewer",
  via: "token",
  token: { id, name: id, prefix: "sp_", limits },
});
const bootstrap: Principal = { name: "bootstrap-token", email: "", role: "administrator", via: "token" };
const refused = { reason: "TooManyRequests", retryAfterSeconds: expect.any(Number) };

describe("open streams", () => {
  it("are counted for each principal, given back once, and bounded in all, the token of the configuration included", () => {
    const limits = new Limits();
    const one = someone("one", { streams: 2 });
    const closes = [limits.stream(one), limits.stream(one)];
    expect(() => limits.stream(one)).toThrow(expect.objectContaining(refused));
    closes[0]?.();
    closes[0]?.();
    limits.stream(one);
    expect(() => limits.stream(one)).toThrow(expect.objectContaining(refused));

    for (let index = 2; index < 2_000; index++) limits.stream(someone(`other-${index}`));
    expect(() => limits.stream(someone("late"))).toThrow(expect.objectContaining(refused));
    expect(() => limits.stream(bootstrap)).toThrow(expect.objectContaining(refused));
    closes[1]?.();
    limits.stream(bootstrap);
  });
});

describe("requests", () => {
  it("are counted for each token by itself; those of the token of the configuration are not", async () => {
    const limits = new Limits();
    const slow = someone("slow", { requestsPerMinute: 3 });
    for (let index = 0; index < 3; index++) await limits.request(slow);
    await expect(limits.request(slow)).rejects.toMatchObject(refused);
    await limits.request(someone("another", { requestsPerMinute: 3 }));
    for (let index = 0; index < 7_000; index++) await limits.request(bootstrap);
  });
});
