import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseText } from "../document";
import { type DraftStorage, draftKey, draftText, loadDraft, readDraft, storeDraft } from "./draft";

function memory(): DraftStorage & { kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

describe("a draft", () => {
  it("belongs to one person and one object", () => {
    const keys = [
      draftKey("ana", "secrets", "default", "a"),
      draftKey("bo", "secrets", "default", "a"),
      draftKey("ana", "secrets", "default", "b"),
    ];
    expect(new Set(keys).size).toBe(3);
    expect(draftKey("a/b", "c", "d", "e")).not.toBe(draftKey("a", "b/c", "d", "e"));
  });

  it("comes back as it was, and is gone when discarded", () => {
    const storage = memory();
    const draft = {
      text: "# mine\nspec: {}\n",
      savedAt: "2026-01-01T00:00:00.000Z",
      base: { intent: { spec: {} }, resourceVersion: "7", generation: 2 },
    };
    expect(storeDraft(storage, "k", draft)).toBe(true);
    expect(loadDraft(storage, "k")).toEqual(draft);
    storeDraft(storage, "k", undefined);
    expect(loadDraft(storage, "k")).toBeUndefined();
  });

  it("keeps a half-typed text of a kind without secrets", () => {
    expect(draftText(parseText("spec: ["), [], undefined)).toBe("spec: [");
  });

  it("keeps no secret: not as a value, not in a comment, not in a text that cannot be read", () => {
    const text = "spec:\n  # old: hunter2\n  values:\n    password: hunter2\n  plain: yes it is\n";
    const kept = draftText(parseText(text), ["values.*"], undefined);
    expect(kept).not.toContain("hunter2");
    expect(kept).toContain("plain: yes it is");
    expect(draftText(parseText(`${text}  broken: [`), ["values.*"], undefined)).toBeUndefined();
  });

  it("is never read from something else, and a browser that refuses storage is no failure", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (raw) => {
        const draft = readDraft(raw);
        expect(draft === undefined || typeof draft.text === "string").toBe(true);
      }),
    );
    const refusing: DraftStorage = {
      getItem: () => {
        throw new Error("denied");
      },
      setItem: () => {
        throw new Error("denied");
      },
      removeItem: () => undefined,
    };
    expect(loadDraft(refusing, "k")).toBeUndefined();
    expect(storeDraft(refusing, "k", { text: "", savedAt: "" })).toBe(false);
  });
});
