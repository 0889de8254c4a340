import { describe, expect, it } from "vitest";
import { summaryOf } from "./summary";

const action = (effect: "create" | "delete") => ({ type: "Start", effect, target: "t", reason: "r", message: "m" });
const change = { path: "spec.a", desired: 1 };

describe("a preview in one sentence", () => {
  it("says what is saved, what follows, and what is removed", () => {
    expect(summaryOf({ actions: [action("create")], specChanges: [change] }, false)).toBe("Saving changes 1 field; 1 action follows.");
    expect(summaryOf({ actions: [action("delete"), action("create")], specChanges: [change, change] }, false)).toBe(
      "Saving changes 2 fields; 2 actions follow, 1 of which removes something.",
    );
    expect(summaryOf({ actions: [] }, false)).toBe("Saving changes no field of the spec; nothing has to be done.");
  });

  it("does not promise action while something is in the way", () => {
    expect(summaryOf({ actions: [], blocked: { reason: "Unreachable", message: "" } }, true)).toBe(
      "Saving creates it; something would be in the way.",
    );
  });
});
