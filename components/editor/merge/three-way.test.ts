import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "@/lib/resource";
import { parseText, pathKey, pathText, setAt, valueAt } from "../document";
import { compareThree, conflictsOf, mergeThree, takenFrom } from "./three-way";

const base = { replicas: 2, template: { command: ["a"], env: { A: "1", B: "2" } } };

describe("when two people edit the same intent", () => {
  it("changes of different fields are both kept without asking", () => {
    const theirs = { ...base, replicas: 5 };
    const mine = { ...base, template: { command: ["b"], env: { A: "1" } } };
    const fields = compareThree(base, theirs, mine);
    expect(conflictsOf(fields)).toEqual([]);
    expect(mergeThree(mine, fields, {})).toEqual({ replicas: 5, template: { command: ["b"], env: { A: "1" } } });
  });

  it("one field changed to two things is a conflict, and the choice decides", () => {
    const theirs = { ...base, replicas: 5 };
    const mine = { ...base, replicas: 9 };
    const fields = compareThree(base, theirs, mine);
    const [conflict] = conflictsOf(fields);
    expect(conflict).toMatchObject({ path: ["replicas"], base: 2, theirs: 5, mine: 9 });
    expect(mergeThree(mine, fields, {})).toEqual(mine);
    expect(mergeThree(mine, fields, { [pathKey(["replicas"])]: "theirs" })).toEqual(theirs);
  });

  it("lists are one field: an index does not say which item was meant", () => {
    const fields = compareThree(
      base,
      { ...base, template: { ...base.template, command: ["a", "b"] } },
      { ...base, template: { ...base.template, command: [] } },
    );
    expect(fields.map((field) => pathText(field.path))).toEqual(["template.command"]);
  });

  it("removing what the other side changed is a conflict", () => {
    const theirs = { ...base, template: { ...base.template, env: { A: "9", B: "2" } } };
    const mine = { replicas: 2, template: { command: ["a"] } };
    const [conflict] = conflictsOf(compareThree(base, theirs, mine));
    expect(conflict).toMatchObject({ path: ["template", "env"], changedBy: "both" });
    expect(conflict).not.toHaveProperty("mine");
  });

  it("the merged text keeps my comments", () => {
    const text = "# mine\nreplicas: 2 # two\ntemplate:\n  command: [b]\n";
    const mine = parseText(text).value as Json;
    const fields = compareThree({ replicas: 2, template: { command: ["a"] } }, { replicas: 5, template: { command: ["a"] } }, mine);
    const next = takenFrom(fields, {}).reduce((edited, change) => setAt(edited, change.path, change.value), text);
    expect(next).toBe("# mine\nreplicas: 5 # two\ntemplate:\n  command: [b]\n");
  });
});

const key = fc.constantFrom("a", "b", "c");
const small = fc.letrec<{ node: Json; map: { [key: string]: Json } }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(1, 2, "x", null),
    fc.array(fc.constantFrom<Json>(1, 2), { maxLength: 2 }),
    tie("map"),
  ),
  map: fc.dictionary(key, tie("node"), { maxKeys: 3 }),
})).map;

describe("for any three documents", () => {
  it("an unchanged side gives the other side, whole", () => {
    fc.assert(
      fc.property(small, small, (before, after) => {
        expect(mergeThree(before, compareThree(before, after, before), {})).toEqual(after);
        expect(mergeThree(after, compareThree(before, before, after), {})).toEqual(after);
      }),
    );
  });

  it("nothing is lost: every field I changed has my value unless I chose theirs", () => {
    fc.assert(
      fc.property(small, small, small, (before, theirs, mine) => {
        const fields = compareThree(before, theirs, mine);
        const result = mergeThree(mine, fields, {});
        for (const field of fields) expect(valueAt(result, field.path)).toEqual(field.changedBy === "theirs" ? field.theirs : field.mine);
      }),
    );
  });

  it("choosing theirs everywhere leaves only my own changes on top of theirs", () => {
    fc.assert(
      fc.property(small, small, small, (before, theirs, mine) => {
        const fields = compareThree(before, theirs, mine);
        const choices = Object.fromEntries(fields.map((field) => [pathKey(field.path), "theirs" as const]));
        const result = mergeThree(mine, fields, choices);
        for (const field of compareThree(before, theirs, result)) expect(field.changedBy).not.toBe("both");
      }),
    );
  });
});
