import { describe, expect, it } from "vitest";
import { ALL_RIGHTS, RIGHTS, rightsOf, scopeText } from "./token-scope";

describe("a token's scope", () => {
  it("is told in the words it was chosen by", () => {
    for (const rights of ALL_RIGHTS)
      expect(scopeText({ verbs: [...RIGHTS[rights].verbs].reverse(), kinds: ["*"], namespaces: ["*"] })).toBe(
        `${RIGHTS[rights].label}; all kinds; all namespaces`,
      );
    expect(scopeText({ verbs: ["get"], kinds: ["configfiles"], namespaces: ["a", "b"] })).toBe("get; configfiles; in a, b");
  });

  it("is the least when the choice is none", () => {
    expect(rightsOf("nonsense")).toBe("read");
  });
});
