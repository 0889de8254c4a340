import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SetpointError } from "@/lib/errors";
import type { JsonObject } from "@/lib/resource";
import { jsonPatch } from "./json-patch";

const document: JsonObject = { a: { b: 1, "x/y": 2, "~": 3 }, list: ["p", "q"] };

describe("a JSON patch", () => {
  it("does what RFC 6902 says", () => {
    const patched = (...operations: JsonObject[]) => jsonPatch(document, operations);
    expect(patched({ op: "add", path: "/a/c", value: null })).toMatchObject({ a: { b: 1, c: null } });
    expect(patched({ op: "add", path: "/list/1", value: "x" }).list).toEqual(["p", "x", "q"]);
    expect(patched({ op: "add", path: "/list/-", value: "x" }).list).toEqual(["p", "q", "x"]);
    expect(patched({ op: "remove", path: "/list/0" }).list).toEqual(["q"]);
    expect(patched({ op: "replace", path: "/a/x~1y", value: 9 }).a).toEqual({ b: 1, "x/y": 9, "~": 3 });
    expect(patched({ op: "test", path: "/a/~0", value: 3 })).toEqual(document);
    expect(patched({ op: "move", from: "/a/b", path: "/b" })).toEqual({ a: { "x/y": 2, "~": 3 }, b: 1, list: ["p", "q"] });
    expect(patched({ op: "copy", from: "/list", path: "/a/l" })).toMatchObject({ a: { l: ["p", "q"] } });
    expect(patched({ op: "replace", path: "", value: { z: 1 } })).toEqual({ z: 1 });
  });

  it.each<[string, JsonObject]>([
    ["a failed test", { op: "test", path: "/a/b", value: 2 }],
    ["nothing to remove", { op: "remove", path: "/a/none/x" }],
    ["nothing to replace", { op: "replace", path: "/none", value: 1 }],
    ["a position outside of a list", { op: "add", path: "/list/3", value: 1 }],
    ["a value moved into itself", { op: "move", from: "/a", path: "/a/b/c" }],
    ["a prototype", { op: "add", path: "/__proto__/x", value: 1 }],
    ["a parent that is no container", { op: "add", path: "/a/b/c", value: 1 }],
    ["no object as the result", { op: "replace", path: "", value: [] }],
  ])("refuses %s as Invalid", (_what, operation) => {
    expect(() => jsonPatch(document, [operation])).toThrow(expect.objectContaining({ reason: "Invalid" }));
  });

  it("refuses copies that grow without end", () => {
    const doubling = Array.from({ length: 40 }, (_, index) => ({ op: "copy", from: "", path: `/n${index}` }));
    expect(() => jsonPatch(document, doubling)).toThrow(expect.objectContaining({ reason: "RequestEntityTooLarge" }));
  });

  it("never mutates, and never throws anything but an error of the catalogue", () => {
    const path = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom("a", "b", "list", "0", "1", "-", "none"), { maxLength: 3 }).map((p) => `/${p.join("/")}`),
    );
    const operation = fc.record(
      { op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "x"), path, from: path, value: fc.jsonValue() },
      { requiredKeys: ["op"] },
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 5 }), (operations) => {
        const before = JSON.stringify(document);
        try {
          jsonPatch(document, JSON.parse(JSON.stringify(operations)));
        } catch (error) {
          expect(error).toBeInstanceOf(SetpointError);
        }
        expect(JSON.stringify(document)).toBe(before);
        expect(({} as Record<string, unknown>).x).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});
