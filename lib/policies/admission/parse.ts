/**
 * JSON at the door. Stricter than `JSON.parse`, because whatever gets in must come out of every later step as the same value:
 * numbers that JSON cannot keep exactly, text that a database cannot store, keys that mean something to JavaScript, duplicate
 * keys and deep nesting are refused with the field they are in.
 */
import { type Cause, SetpointError } from "@/lib/errors";
import type { Json, JsonObject } from "@/lib/resource";

/** Levels of lists and maps within each other, at the most. */
export const MAX_DEPTH = 64;
/** Bytes of a request's body, at the most. */
export const MAX_BYTES = 1024 * 1024;

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside of strings.
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const SPACE = /[ \t\n\r]*/y;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;
const ESCAPES: Record<string, string> = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Dotted path of a field, for people: `spec.template.env.PORT`, `spec.command[0]`. */
export function fieldPath(path: readonly (string | number)[]): string {
  return path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
}

/** The sentence that says why text cannot be stored; undefined when it can. */
export function textFault(text: string): string | undefined {
  if (text.includes("\u0000")) return "must not contain the character U+0000";
  if (LONE_SURROGATE.test(text)) return "must be well-formed Unicode: it contains half of a surrogate pair";
  return undefined;
}

/** True when the literal denotes exactly the number that JavaScript makes of it and prints again. */
export function survivesExactly(literal: string): boolean {
  const value = Number(literal);
  return Number.isFinite(value) && canonicalDecimal(literal) === canonicalDecimal(String(value));
}

/** Sign, significant digits and exponent, so that two spellings of one number are the same text. */
function canonicalDecimal(literal: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (!match) return literal;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return "0";
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

/** The one object in `text`. Throws BadRequest for what is not JSON, Invalid for what is but must not be stored. */
export function parseObject(text: string, maxDepth = MAX_DEPTH): JsonObject {
  const value = new Parser(text, maxDepth).document();
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new SetpointError("BadRequest", "the body must be a JSON object");
  return value;
}

/** Any JSON document, as `parseObject`. */
export function parseJson(text: string, maxDepth = MAX_DEPTH): Json {
  return new Parser(text, maxDepth).document();
}

class Parser {
  private at = 0;
  private readonly path: (string | number)[] = [];

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  document(): Json {
    this.space();
    if (this.at === this.text.length) throw new SetpointError("BadRequest", "the body is empty; a JSON object is expected");
    const value = this.value();
    this.space();
    if (this.at < this.text.length) this.malformed("more text after the end");
    return value;
  }

  private value(): Json {
    const char = this.text[this.at];
    if (char === "{") return this.nested(() => this.object());
    if (char === "[") return this.nested(() => this.array());
    if (char === '"') return this.string();
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    return this.number();
  }

  private depth = 0;

  private nested<T>(read: () => T): T {
    this.depth += 1;
    if (this.depth > this.maxDepth) this.refuse(`must not be nested deeper than ${this.maxDepth} levels`);
    this.at += 1;
    const value = read();
    this.depth -= 1;
    return value;
  }

  private object(): JsonObject {
    const result: JsonObject = {};
    this.space();
    if (this.take("}")) return result;
    for (;;) {
      this.space();
      if (this.text[this.at] !== '"') this.malformed("expected a quoted key");
      const key = this.string();
      this.path.push(key);
      if (FORBIDDEN_KEYS.has(key)) this.refuse(`the key "${key}" is not allowed`);
      if (Object.hasOwn(result, key)) this.refuse("is given twice");
      this.space();
      if (!this.take(":")) this.malformed("expected ':'");
      this.space();
      result[key] = this.value();
      this.path.pop();
      this.space();
      if (this.take("}")) return result;
      if (!this.take(",")) this.malformed("expected ',' or '}'");
    }
  }

  private array(): Json[] {
    const result: Json[] = [];
    this.space();
    if (this.take("]")) return result;
    for (;;) {
      this.path.push(result.length);
      this.space();
      result.push(this.value());
      this.path.pop();
      this.space();
      if (this.take("]")) return result;
      if (!this.take(",")) this.malformed("expected ',' or ']'");
    }
  }

  private string(): string {
    this.at += 1;
    let result = "";
    for (;;) {
      PLAIN.lastIndex = this.at;
      const [run = ""] = PLAIN.exec(this.text) ?? [];
      result += run;
      this.at += run.length;
      const char = this.text[this.at];
      if (char === '"') break;
      if (char !== "\\") this.malformed(char === undefined ? "a text does not end" : "a control character inside of a text");
      result += this.escape();
    }
    this.at += 1;
    const fault = textFault(result);
    if (fault !== undefined) this.refuse(fault);
    return result;
  }

  private escape(): string {
    const letter = this.text[this.at + 1] ?? "";
    if (letter === "u") {
      const hex = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(hex)) this.malformed("\\u needs four hexadecimal digits");
      this.at += 6;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const meaning = ESCAPES[letter];
    if (meaning === undefined) this.malformed("an unknown escape");
    this.at += 2;
    return meaning;
  }

  private number(): number {
    NUMBER.lastIndex = this.at;
    const literal = NUMBER.exec(this.text)?.[0];
    if (literal === undefined) this.malformed(this.at >= this.text.length ? "the end came too early" : "expected a value");
    if (!survivesExactly(literal))
      this.refuse(`the number ${literal.slice(0, 40)} cannot be kept exactly: write it as text, or with fewer digits`);
    this.at += literal.length;
    const value = Number(literal);
    return value === 0 ? 0 : value;
  }

  private space(): void {
    SPACE.lastIndex = this.at;
    this.at += SPACE.exec(this.text)?.[0].length ?? 0;
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false;
    this.at += 1;
    return true;
  }

  private malformed(why: string): never {
    const before = this.text.slice(0, this.at);
    const line = before.split("\n").length;
    const column = this.at - before.lastIndexOf("\n");
    throw new SetpointError("BadRequest", `the body is not valid JSON: ${why} (line ${line}, column ${column})`);
  }

  private refuse(message: string): never {
    const field = fieldPath(this.path.length > 12 ? [...this.path.slice(0, 12), "…"] : this.path) || "(document)";
    const cause: Cause = { reason: "FieldValueInvalid", field, message: `Invalid value: ${message}` };
    throw new SetpointError("Invalid", `${field}: ${message}`, { causes: [cause] });
  }
}
