import { describe, expect, it } from "vitest";
import { matchKeys, type Shortcut } from "./keys";

const shortcut = (keys: string, label = keys): Shortcut => ({ keys, label, run: () => undefined });
const all = [shortcut("g o"), shortcut("g r"), shortcut("?"), shortcut("j", "old"), shortcut("j", "new")];

describe("keyboard shortcuts", () => {
  it("wait for the second key of a sequence and then run it", () => {
    expect(matchKeys([], "g", all)).toEqual({ kind: "wait", pressed: ["g"] });
    expect(matchKeys(["g"], "r", all)).toMatchObject({ kind: "run", shortcut: { keys: "g r" } });
  });

  it("let a key that does not continue a sequence begin anew", () => {
    expect(matchKeys(["g"], "?", all)).toMatchObject({ kind: "run", shortcut: { keys: "?" } });
    expect(matchKeys(["g"], "g", all)).toEqual({ kind: "wait", pressed: ["g"] });
    expect(matchKeys(["g"], "x", all)).toEqual({ kind: "none" });
  });

  it("prefer what the page in front registered last", () => {
    expect(matchKeys([], "j", all)).toMatchObject({ shortcut: { label: "new" } });
  });
});
