import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asTexts, groupFields, lineDiff, presentValue } from "./difference";

describe("how a value is shown", () => {
  it("shows a secret as a shortened digest only", () => {
    const digest = `sha256:${"ab12".repeat(16)}`;
    expect(presentValue(digest)).toEqual({ form: "digest", text: "••• sha256:ab12ab12" });
    expect(presentValue(`hmac-${digest}`)).toEqual({ form: "digest", text: "••• hmac-sha256:ab12ab12" });
    expect(presentValue({ digest })).toEqual({ form: "digest", text: "••• sha256:ab12ab12" });
  });

  it("tells nothing from an empty text and a text from a number", () => {
    expect(presentValue(undefined)).toEqual({ form: "absent" });
    expect(presentValue("")).toEqual({ form: "line", text: '""' });
    expect(presentValue("3")).toEqual({ form: "line", text: '"3"' });
    expect(presentValue(3)).toEqual({ form: "line", text: "3" });
  });

  it("gives texts of many lines a block", () => {
    expect(presentValue("a\nb").form).toBe("block");
    expect(asTexts("a\nb", undefined)).toEqual({ before: "a\nb", after: "" });
    expect(asTexts("a", "b")).toBeUndefined();
  });
});

describe("the line diff", () => {
  it("numbers both sides and names what it leaves out", () => {
    const before = Array.from({ length: 20 }, (_, i) => `line ${i + 1}`).join("\n");
    const after = before.replace("line 10", "line ten");
    const lines = lineDiff(before, after);
    expect(lines[0]).toEqual({ glyph: "…", text: "6 unchanged" });
    expect(lines.filter((line) => line.glyph === "-")).toEqual([{ glyph: "-", text: "line 10", before: 10 }]);
    expect(lines.filter((line) => line.glyph === "+")).toEqual([{ glyph: "+", text: "line ten", after: 10 }]);
    expect(lines.at(-1)).toEqual({ glyph: "…", text: "7 unchanged" });
  });

  it("says nothing of unchanged lines when all of them are new", () => {
    expect(lineDiff("", "a\nb\n").map((line) => `${line.glyph}${line.text}`)).toEqual(["+a", "+b"]);
  });

  it("shows every removed and every added line exactly as it is", () => {
    const text = fc.array(fc.constantFrom("a", "b", "", "  c", "-d", "+e"), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(text, text, (left, right) => {
        const lines = lineDiff(left.join("\n"), right.join("\n"), 1000).filter((line) => line.glyph !== "…");
        if (left.join("\n") === right.join("\n")) {
          expect(lines).toEqual([]);
          return;
        }
        const linesOf = (list: string[]) => list.join("\n").replace(/\n$/, "");
        const shown = (without: string) => lines.filter((line) => line.glyph !== without).map((line) => line.text);
        expect(shown("+").join("\n")).toBe(linesOf(left));
        expect(shown("-").join("\n")).toBe(linesOf(right));
      }),
    );
  });
});

describe("fields in groups", () => {
  const fields = [
    { path: "spec.replicas", same: false },
    { path: "spec.template.command", same: true },
    { path: "grants.0", same: true },
  ];
  it("are named after the first step below spec", () => {
    expect(groupFields(fields, false).map((group) => [group.name, group.fields.length, group.differing])).toEqual([
      ["replicas", 1, 1],
      ["template", 1, 0],
      ["grants", 1, 0],
    ]);
  });
  it("shrink to what differs on demand", () => {
    expect(groupFields(fields, true).map((group) => group.name)).toEqual(["replicas"]);
  });
});
