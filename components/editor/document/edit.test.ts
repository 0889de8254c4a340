import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { deepEqual, type Json } from "@/lib/resource";
import { insertAt, moveItem, removeAt, renameKey, setAt } from "./edit";
import { locate, parseText } from "./parse";
import { type Path, parsePath, pathText, valueAt, withValueAt } from "./path";

const TEXT = `# the shop's web tier
apiVersion: setpoint.dev/v1alpha1
kind: ReplicaSet
metadata:
  name: web   # do not rename
  labels: {}
spec:
  # two are enough at night
  replicas: 2
  template:
    command: ['node', "server.mjs"] # no shell

    env:
      PORT: "8080" # behind the proxy
      # colour of the page
      COLOUR: blue
`;

describe("an edit of the form", () => {
  it("changes one scalar and not one other byte", () => {
    expect(setAt(TEXT, ["spec", "replicas"], 5)).toBe(TEXT.replace("replicas: 2", "replicas: 5"));
    expect(setAt(TEXT, ["spec", "template", "env", "PORT"], "9090")).toBe(TEXT.replace('"8080"', '"9090"'));
    expect(setAt(TEXT, ["spec", "template", "command", 0], "/usr/bin/node")).toBe(TEXT.replace("'node'", "'/usr/bin/node'"));
  });

  it("quotes a text that would be read as something else", () => {
    const next = setAt(TEXT, ["spec", "template", "env", "COLOUR"], "true");
    expect(valueAt(parseText(next).value, ["spec", "template", "env", "COLOUR"])).toBe("true");
  });

  it("keeps every comment when it adds, removes, renames and moves", () => {
    const edits = [
      setAt(TEXT, ["metadata", "labels", "tier"], "edge"),
      setAt(TEXT, ["spec", "probe", "http", "port"], 8080),
      insertAt(TEXT, ["spec", "template", "command"], 2, "--quiet"),
      moveItem(TEXT, ["spec", "template", "command"], 0, 1),
      renameKey(TEXT, ["spec", "template", "env"], "COLOUR", "COLOR"),
      setAt(TEXT, ["spec", "template", "env", "GREETING"], "good\nmorning\n"),
    ];
    for (const next of edits) {
      expect(parseText(next).faults).toEqual([]);
      for (const comment of TEXT.match(/#.*/g) ?? []) expect(next).toContain(comment);
    }
  });

  it("writes a long text as a block that people can read", () => {
    const next = setAt("spec:\n  path: a\n  content: x\n", ["spec", "content"], "one\ntwo\n");
    expect(next).toBe("spec:\n  path: a\n  content: |\n    one\n    two\n");
  });

  it("makes what is missing, also under an empty key", () => {
    expect(parseText(setAt("metadata:\nspec:\n", ["metadata", "labels", "a"], "b")).value).toEqual({
      metadata: { labels: { a: "b" } },
      spec: null,
    });
    expect(parseText(setAt("", ["spec", "list", 0], 1)).value).toEqual({ spec: { list: [1] } });
  });

  it("edits through an alias without changing what the alias names", () => {
    const text = "a: &x\n  port: 1\nb: *x\n";
    expect(parseText(setAt(text, ["b", "port"], 2)).value).toEqual({ a: { port: 1 }, b: { port: 2 } });
  });

  it("leaves a text with faults alone", () => {
    const broken = "spec: [1, 2\n";
    expect(setAt(broken, ["spec"], 1)).toBe(broken);
    expect(removeAt(broken, ["spec"])).toBe(broken);
  });

  it("says that two documents, duplicate keys, infinity and alias bombs are faults, and never throws", () => {
    const bomb = `a: &a [1,1,1,1,1,1,1,1,1]\nb: &b [${"*a,".repeat(9)}]\nc: &c [${"*b,".repeat(9)}]\nd: [${"*c,".repeat(9)}]\n`;
    for (const text of ["a: 1\n---\nb: 2\n", "a: 1\na: 2\n", "a: .inf\n", bomb, "a: *nothing\n"])
      expect(parseText(text).faults.length, text).toBeGreaterThan(0);
    fc.assert(fc.property(fc.string(), (text) => parseText(text).text === text));
  });
});

const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,6}$/).filter((text) => !["null", "true", "false", "y", "n"].includes(text));
const scalar = fc.oneof(
  word,
  fc.integer({ min: -1000, max: 1000 }),
  fc.boolean(),
  fc.constantFrom("", "no", "# not a comment", "a: b", "1.0", "two\nlines\n", " padded ", "é ✓", "{x}", "- y"),
);
const tree = fc.letrec<{ node: Json }>((tie) => ({
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    scalar,
    fc.array(tie("node"), { maxLength: 3 }),
    fc.dictionary(word, tie("node"), { maxKeys: 3 }),
  ),
})).node;
const documentOf = fc.dictionary(word, tree, { minKeys: 1, maxKeys: 4 });

function paths(value: Json, here: Path = []): Path[] {
  if (Array.isArray(value)) return [here, ...value.flatMap((item, index) => paths(item, [...here, index]))];
  if (typeof value === "object" && value !== null)
    return [here, ...Object.entries(value).flatMap(([k, item]) => paths(item, [...here, k]))];
  return [here];
}

describe("for any document", () => {
  it("setting a value gives that value there, leaves the rest, and keeps the comments of every key", () => {
    fc.assert(
      fc.property(documentOf, tree, fc.nat(), (value, replacement, pick) => {
        const top = Object.keys(value);
        let text = setAt("# head\n", [], value as Json);
        text = text.replace(/^([a-z][^\n]*)/gm, (line) => `# about ${line.split(":")[0]}\n${line}`);
        fc.pre(deepEqual(parseText(text).value, value as Json));
        const all = paths(value as Json).filter((path) => path.length > 0);
        const path = all[pick % all.length] ?? [];
        const next = setAt(text, path, replacement);
        expect(parseText(next).faults).toEqual([]);
        expect(parseText(next).value).toEqual(withValueAt(value as Json, path, replacement));
        for (const key of top) expect(next).toContain(`# about ${key}`);
      }),
    );
  });

  it("removing gives the document without it", () => {
    fc.assert(
      fc.property(documentOf, fc.nat(), (value, pick) => {
        const text = setAt("", [], value as Json);
        const all = paths(value as Json).filter((path) => path.length > 0);
        const path = all[pick % all.length] ?? [];
        expect(parseText(removeAt(text, path)).value).toEqual(withValueAt(value as Json, path, undefined));
      }),
    );
  });

  it("a path written and read again is the same path, and is found in the text", () => {
    fc.assert(
      fc.property(documentOf, (value) => {
        const parsed = parseText(setAt("", [], value as Json));
        for (const path of paths(value as Json)) {
          expect(parsePath(pathText(path), value as Json)).toEqual(path);
          const place = locate(parsed, path);
          expect(place.line).toBeLessThanOrEqual(parsed.text.split("\n").length);
        }
      }),
    );
  });
});

describe("a place in the text", () => {
  const parsed = parseText(TEXT);
  const lineOf = (path: Path, want?: "key") => TEXT.split("\n")[locate(parsed, path, want).line - 1]?.trim();

  it("is the line of the value", () => {
    expect(lineOf(["spec", "replicas"])).toBe("replicas: 2");
    expect(lineOf(["spec", "template", "env", "COLOUR"])).toBe("COLOUR: blue");
  });

  it("is the parent's line when the value is missing", () => {
    expect(lineOf(["spec", "template", "stopGraceSeconds"])).toBe("template:");
  });

  it("reads a server's field with dots in a key, brackets and plain indexes", () => {
    const value = { metadata: { labels: { "a.b/c": "x" } }, spec: { command: ["a", "b"] } };
    expect(parsePath("metadata.labels.a.b/c", value)).toEqual(["metadata", "labels", "a.b/c"]);
    expect(parsePath("spec.command[1]", value)).toEqual(["spec", "command", 1]);
    expect(parsePath("spec.command.1", value)).toEqual(["spec", "command", 1]);
    expect(parsePath('metadata.labels["a.b/c"]', value)).toEqual(["metadata", "labels", "a.b/c"]);
  });
});
