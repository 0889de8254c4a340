import { describe, expect, it } from "vitest";
import { returnPath, signInFault } from "./sign-in-answer";

describe("what a refused sign-in says", () => {
  it("does not tell a wrong password from an unknown address", () => {
    expect(signInFault({ ok: false, status: 401, error: "CredentialsSignin" })).toBe("Wrong e-mail address or password.");
  });

  it("says how long to wait when there were too many attempts", () => {
    expect(signInFault({ ok: false, status: 429, error: "Too many attempts. Try again in 40 seconds." })).toContain("40 seconds");
  });

  it("blames the server when the server is at fault", () => {
    expect(signInFault({ ok: false, status: 503, error: "x" })).toContain("does not answer");
    expect(signInFault(undefined)).toContain("did not answer");
  });

  it("says nothing when it succeeded", () => {
    expect(signInFault({ ok: true, status: 200, error: null })).toBeUndefined();
  });
});

describe("the way back after signing in", () => {
  it("leads to the page that was asked for", () => {
    expect(returnPath("/resources?state=Failed")).toBe("/resources?state=Failed");
  });

  it("never leads to another site or in a circle", () => {
    for (const evil of [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "javascript:alert(1)",
      "/sign-in?callbackUrl=/sign-in",
      null,
    ]) {
      expect(returnPath(evil)).toBe("/");
    }
  });
});
