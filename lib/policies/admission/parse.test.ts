import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SetpointError } from "@/lib/errors";
import { MAX_DEPTH, parseJson, parseObject, survivesExactly } from "./parse";

function reasonOf(work: () => unknown): string {
  try {
    work();
    return "accepted";
  } catch (error) {
    if (error instanceof SetpointError) return error.reason;
    throw error;
  }
}

describe("JSON at the door", () => {
  it("reads every ordinary document as JSON.parse does", () => {
    fc.assert(
      fc.property(fc.json({ noUnicodeString: false, maxDepth: 8 }), (text) => {
        if (/__proto__|constructor|prototype|\\u0000|\\ud[89a-f]/i.test(text) || text.includes("-0")) return;
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it("accepts nothing that JSON.parse does not, and fails only with an error of the catalogue", () => {
    const pieces = fc.array(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        '"',
        ":",
        ",",
        "1",
        "-",
        ".",
        "e",
        "+",
        "true",
        "nul",
        "null",
        "\\",
        "\\u00",
        "41",
        " ",
        "\n",
        "\u0001",
        "a",
        "０",
      ),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          pieces.map((parts) => parts.join("")),
          fc.string({ unit: "binary" }),
        ),
        (text) => {
          const ours = reasonOf(() => parseJson(text));
          let theirs = true;
          try {
            JSON.parse(text);
          } catch {
            theirs = false;
          }
          if (ours === "accepted") expect(theirs).toBe(true);
          // What we refuse and they do not is refused on purpose, as Invalid.
          if (theirs && ours !== "accepted") expect(ours).toBe("Invalid");
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it("keeps numbers exactly or refuses them", () => {
    fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => survivesExactly(String(value))));
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (value) => {
        // Exact: what JavaScript prints of the number has the same value as the literal.
        expect(survivesExactly(String(value))).toBe(sameDecimal(String(Number(value)), value));
      }),
      { numRuns: 2_000 },
    );
    for (const literal of ["0", "-0", "1.0", "1e2", "100E-2", "0.1", "9007199254740992", "1e21", "5e-324"])
      expect([literal, survivesExactly(literal)]).toEqual([literal, true]);
    for (const literal of [
      "1e400",
      "-1e999999999",
      "12345678901234567890",
      "9007199254740993",
      "0.1000000000000000055511151231257827",
      "1e-400",
    ])
      expect([literal, survivesExactly(literal)]).toEqual([literal, false]);
  });

  it("refuses deep nesting, keys with a meaning of their own, duplicates, U+0000 and halves of characters, naming the field", () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
    expect(reasonOf(() => parseObject(nested(MAX_DEPTH)))).toBe("accepted");
    expect(reasonOf(() => parseObject(nested(MAX_DEPTH + 1)))).toBe("Invalid");
    expect(reasonOf(() => parseObject("[".repeat(500_000)))).toBe("Invalid");
    const fieldOf = (text: string) => {
      try {
        parseObject(text);
      } catch (error) {
        if (error instanceof SetpointError) return error.causes[0]?.field;
      }
      return undefined;
    };
    expect(fieldOf('{"spec":{"__proto__":{}}}')).toBe("spec.__proto__");
    expect(fieldOf('{"spec":{"constructor":1}}')).toBe("spec.constructor");
    expect(fieldOf('{"spec":{"a":1,"a":2}}')).toBe("spec.a");
    expect(fieldOf('{"spec":{"list":["x","\\u0000"]}}')).toBe("spec.list[1]");
    expect(fieldOf('{"spec":{"a":"\\udc00"}}')).toBe("spec.a");
    expect(fieldOf('{"spec":{"n":1e400}}')).toBe("spec.n");
    expect(parseObject('{"a":"\\ud83d\\ude00"}')).toEqual({ a: "😀" });
  });

  it("says where text that is no JSON goes wrong", () => {
    expect(() => parseObject('{\n  "a": tru\n}')).toThrow(/line 2, column 8/);
    expect(() => parseObject("3")).toThrow("must be a JSON object");
  });
});

/** Whether a printed number has exactly this value. */
function sameDecimal(printed: string, value: bigint): boolean {
  const match = /^(-?)(\d)(?:\.(\d+))?e\+(\d+)$/.exec(printed);
  if (!match) return BigInt(printed) === value;
  const [, sign, first = "", rest = "", exponent = "0"] = match;
  return BigInt(`${sign}${first}${rest}${"0".repeat(Number(exponent) - rest.length)}`) === value;
}
