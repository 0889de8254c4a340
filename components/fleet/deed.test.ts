import { describe, expect, it } from "vitest";
import { deedOf } from "./deed";

const entry = {
  at: "",
  actor: "ana@example.org",
  verb: "update",
  kind: "ConfigFile",
  plural: "configfiles",
  namespace: "default",
  name: "motd",
  message: "",
  outcome: "done",
};

describe("an entry of the audit in words", () => {
  it("says who did what to which resource, and links it", () => {
    expect(deedOf(entry)).toEqual({ who: "ana@example.org", did: "changed", what: "ConfigFile motd", linked: true });
    expect(deedOf({ ...entry, actor: "controller/ConfigFile", verb: "act" })).toMatchObject({ who: "Controller", did: "acted on" });
  });

  it("does not link what has no page", () => {
    expect(deedOf({ ...entry, verb: "pause kind", namespace: "", name: "" })).toMatchObject({
      did: "paused every",
      what: "ConfigFile",
      linked: false,
    });
    expect(deedOf({ ...entry, verb: "sign-in", kind: "User", namespace: "", name: "ana@example.org" })).toEqual({
      who: "ana@example.org",
      did: "signed in",
      linked: false,
    });
  });

  it("does not call a refused sign-in a sign-in, nor an account by its id", () => {
    const refused = { ...entry, actor: "anonymous", verb: "sign-in", kind: "User", namespace: "", name: "", outcome: "denied" };
    expect(deedOf(refused)).toMatchObject({ did: "could not sign in as", what: "nobody known" });
    const changed = { ...entry, kind: "User", namespace: "", name: "41ad1ff6-2ffc-49b7-9910-13ce7fdce389" };
    expect(deedOf(changed)).toMatchObject({ did: "changed an account", what: undefined });
  });

  it("shows a word it does not know as it is", () => {
    expect(deedOf({ ...entry, verb: "rotate" }).did).toBe("rotate");
  });
});
