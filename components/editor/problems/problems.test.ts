import { describe, expect, it } from "vitest";
import { parseText } from "../document";
import { intentSchema } from "../schema";
import { findProblems, joinProblems, lockedPaths, nextProblem, placeServerFaults, problemText } from "./problems";

const schema = {
  type: "object",
  properties: {
    server: { type: "string", minLength: 1 },
    values: { type: "object", propertyNames: { type: "string" }, additionalProperties: { type: "string" } },
  },
  required: ["server"],
  additionalProperties: false,
};
const context = { schema: intentSchema({ name: "Thing", schema }, "edit"), secretFields: ["values.*"], immutable: ["server"] };
const text = (spec: string) => `apiVersion: setpoint.dev/v1alpha1\nkind: Thing\nmetadata:\n  name: a\n  namespace: default\nspec:\n${spec}`;
const stored = parseText(text("  server: main\n  values:\n    key:\n      digest: sha256:1\n")).value;
const found = (spec: string, withStored = true) =>
  findProblems(parseText(text(spec)), withStored ? { ...context, stored } : context).map(
    (problem) => `${problem.place.line}: ${problemText(problem)}`,
  );

describe("problems", () => {
  it("carry the line they are on", () => {
    expect(found("  server: main\n  valuez: 1\n", false)).toEqual(["8: spec.valuez is not a known field; did you mean values?"]);
    expect(found("  values: {}\n", false)).toEqual(["6: spec.server is required"]);
  });

  it("of the syntax hide all others, because nothing else is known", () => {
    const problems = findProblems(parseText(text("  server: [\n")), context);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.every((problem) => problem.source === "syntax")).toBe(true);
  });

  it("say that a locked field cannot change, and what it is", () => {
    expect(found("  server: other\n")).toEqual(["7: spec.server cannot change after creation (it is main)"]);
    expect(lockedPaths(["host"])).toContainEqual(["spec", "host"]);
  });

  it("let a stored secret stay, and refuse a digest that is not the stored one", () => {
    expect(found("  server: main\n  values:\n    key:\n      digest: sha256:1\n")).toEqual([]);
    expect(found("  server: main\n  values:\n    key: new\n")).toEqual([]);
    expect(found("  server: main\n  values:\n    key:\n      digest: sha256:2\n")).toEqual([
      "9: spec.values.key is a digest: enter the value itself",
    ]);
  });

  it("tell a secret that nobody has entered yet from a mistake", () => {
    const problems = findProblems(parseText(text('  server: main\n  values:\n    key: ""\n')), { ...context, stored });
    expect(problems.map((problem) => [problemText(problem), problem.missing])).toEqual([["spec.values.key has no value yet", true]]);
  });

  it("of the server are placed by field, and yield to those of the browser", () => {
    const parsed = parseText(text("  server: main\n  values:\n    key: x\n"));
    const servers = placeServerFaults(parsed, [
      { field: "spec.server", message: "names no PostgresServer" },
      { field: "spec.values.key", message: "is too long" },
      { message: "quota reached" },
    ]);
    expect(servers.map((problem) => problem.place.line)).toEqual([7, 9, 1]);
    const [first] = servers;
    const joined = joinProblems(first ? [{ ...first, source: "schema", message: "own" }] : [], servers);
    expect(joined.map((problem) => problem.message)).toEqual(["own", "is too long", "quota reached"]);
  });

  it("are visited in turn", () => {
    const [first] = findProblems(parseText(text("  values: {}\n")), context);
    expect(first && nextProblem([first, first], 1)).toBe(0);
    expect(nextProblem([], 0)).toBeUndefined();
  });
});
