import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pathText } from "../document";
import { intentSchema } from "../schema";
import { placeOf, suggest } from "./completion";

const schema = intentSchema(
  {
    name: "ReplicaSet",
    schema: {
      type: "object",
      properties: {
        replicas: { type: "integer", default: 1 },
        tls: { type: "string", enum: ["off", "verify"] },
        template: {
          type: "object",
          properties: {
            command: { type: "array", items: { type: "string" } },
            env: { type: "object", additionalProperties: { type: "string" } },
          },
          required: ["command"],
          additionalProperties: false,
        },
        grants: {
          type: "array",
          items: {
            type: "object",
            properties: { on: { type: "string" }, privileges: { type: "array", items: { type: "string" } } },
            additionalProperties: false,
          },
        },
      },
      required: ["template"],
      additionalProperties: false,
    },
  },
  "create",
);

/** `|` in the text is the cursor. */
function at(marked: string) {
  const offset = marked.indexOf("|");
  return { text: marked.replace("|", ""), offset };
}
function where(marked: string) {
  const { text, offset } = at(marked);
  const place = placeOf(text, offset);
  return place && `${place.typing} ${pathText(place.path)} ${place.word}`.trim();
}
function offered(marked: string) {
  const { text, offset } = at(marked);
  return suggest(schema, text, offset)?.suggestions.map((suggestion) => suggestion.label);
}

describe("the place of the cursor", () => {
  it("is told by indentation, complete or not", () => {
    expect(where("spec:\n  re|")).toBe("key spec re");
    expect(where("spec:\n  template:\n    |")).toBe("key spec.template");
    expect(where("spec:\n  template:\n    env:\n      A: 1\n  |")).toBe("key spec");
    expect(where("spec:\n  tls: o|")).toBe("value spec.tls o");
    expect(where("ki|")).toBe("key  ki");
  });

  it("counts the items of lists", () => {
    expect(where("spec:\n  grants:\n    - on: a\n    - on: b\n      pr|")).toBe("key spec.grants[1] pr");
    expect(where("spec:\n  grants:\n  - on: a\n  - o|")).toBe("key spec.grants[1] o");
    expect(where("spec:\n  grants:\n    - |")).toBe("key spec.grants[0]");
  });

  it("is nowhere in a comment or in a block of text", () => {
    expect(where("spec: # re|")).toBeUndefined();
    expect(where("content: |-\n  line\n".replace("|", "¦").replace("line", "li|ne").replace("¦", ">"))).toBeUndefined();
  });

  it("never throws", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a:", " ", "  ", "\n", "- ", "b: 1", "|", "#", "[", '"'), { maxLength: 30 }),
        fc.nat(40),
        (parts, offset) => {
          const text = parts.join("");
          suggest(schema, text, Math.min(offset, text.length));
        },
      ),
    );
  });
});

describe("completion", () => {
  it("offers the fields that are not there yet, required ones first", () => {
    expect(offered("spec:\n  replicas: 2\n  |\n")).toEqual(["template", "tls", "grants"]);
  });

  it("offers values and defaults", () => {
    expect(offered("spec:\n  tls: |\n")).toEqual(["off", "verify"]);
    expect(offered("spec:\n  replicas: |\n")).toEqual(["1"]);
    expect(offered("kind: |\n")).toEqual(["ReplicaSet"]);
  });

  it("offers the fields of a list's item", () => {
    expect(offered("spec:\n  grants:\n    - on: a\n      |\n")).toEqual(["privileges"]);
  });
});
