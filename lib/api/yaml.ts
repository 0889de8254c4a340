/** YAML documents at the door, held to the same rules as JSON. */
import { isAlias, isMap, isScalar, isSeq, parseAllDocuments } from "yaml";
import { SetpointError } from "@/lib/errors";
import { MAX_BYTES, MAX_DEPTH, parseObject, survivesExactly } from "@/lib/policies/admission";
import type { JsonObject } from "@/lib/resource";

/** YAML 1.2 core: `yes` and `y` are text. */
const SETTINGS = { version: "1.2", schema: "core", strict: true, uniqueKeys: true, logLevel: "silent", prettyErrors: true } as const;

const bad = (why: string) => new SetpointError("BadRequest", `the body is not valid YAML: ${why}`);

/** The one object in a YAML (or JSON) text. Throws BadRequest or Invalid, as `parseObject` does. Aliases and tags beyond YAML's core are refused. */
export function parseYamlObject(text: string, maxDepth = MAX_DEPTH): JsonObject {
  // JSON is YAML, and the stricter reader gives the better answer.
  if (/^\s*[{[]/.test(text)) {
    try {
      return parseObject(text, maxDepth);
    } catch (error) {
      if (!(error instanceof SetpointError) || error.reason !== "BadRequest") throw error;
    }
  }
  const documents = parseAllDocuments(text, SETTINGS);
  const [document, ...more] = "empty" in documents ? [] : documents;
  if (!document || document.contents === null) throw new SetpointError("BadRequest", "the body is empty; an object is expected");
  if (more.length > 0) throw bad("one document is expected");
  const [fault] = [...document.errors, ...document.warnings];
  if (fault) throw bad(fault.message.split("\n")[0]?.slice(0, 300) ?? "");
  const json = JSON.stringify(plain(document.contents, maxDepth));
  if (json.length > MAX_BYTES * 4) throw new SetpointError("RequestEntityTooLarge", `the body must have at most ${MAX_BYTES} bytes`);
  return parseObject(json, maxDepth);
}

const TAGS = new Set(["str", "int", "float", "bool", "null", "map", "seq"].map((tag) => `tag:yaml.org,2002:${tag}`));

/** The node as a value that JSON keeps exactly. */
function plain(node: unknown, maxDepth: number, depth = 1): unknown {
  if (depth > maxDepth) throw bad(`it is nested deeper than ${maxDepth} levels`);
  if (node === null || node === undefined) return null;
  if (isAlias(node)) throw bad("aliases are not supported");
  if ((isSeq(node) || isMap(node) || isScalar(node)) && node.tag !== undefined && !TAGS.has(node.tag))
    throw bad(`the tag ${node.tag.slice(0, 80)} is not supported`);
  if (isSeq(node)) return node.items.map((item) => plain(item, maxDepth, depth + 1));
  if (isMap(node)) {
    const entries = node.items.map(({ key, value }) => [keyOf(key), plain(value, maxDepth, depth + 1)] as const);
    return Object.fromEntries(entries);
  }
  if (!isScalar(node)) throw bad("an unknown kind of node");
  const { value, source } = node;
  if (typeof value === "bigint" || typeof value === "symbol") throw bad("an unknown kind of value");
  if (typeof value === "number" && !(Number.isFinite(value) && (!/^[-+]?[\d.]/.test(source ?? "") || exact(source ?? "", value))))
    throw bad(`the number ${(source ?? "").slice(0, 40)} cannot be kept exactly: write it as text, or with fewer digits`);
  return value;
}

/** Decimal literals as JSON would have them; octal and hexadecimal ones when they are safe whole numbers. */
function exact(source: string, value: number): boolean {
  if (/^0[xo]/.test(source)) return Number.isSafeInteger(value);
  return survivesExactly(
    source
      .replace(/^\+/, "")
      .replace(/^(-?)\./, "$10.")
      .replace(/\.(?=$|[eE])/, ""),
  );
}

function keyOf(key: unknown): string {
  if (isScalar(key) && (typeof key.value === "string" || typeof key.value === "number" || typeof key.value === "boolean"))
    return typeof key.value === "string" ? key.value : (key.source ?? String(key.value));
  throw bad("the keys of a map must be text");
}
