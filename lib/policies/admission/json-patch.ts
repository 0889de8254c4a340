import { SetpointError } from "@/lib/errors";
import { deepEqual, type Json, type JsonObject } from "@/lib/resource";
import { MAX_BYTES } from "./parse";

const MOST_OPERATIONS = 1_000;
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype"]);
const OPERATIONS = ["add", "remove", "replace", "move", "copy", "test"];

const isMap = (value: Json | undefined): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * RFC 6902 over `document`: all operations or none. Never mutates. Throws BadRequest for what is no patch, and Invalid, naming the
 * operation, for one that cannot be done or whose test fails.
 */
export function jsonPatch(document: JsonObject, patch: Json): JsonObject {
  if (!Array.isArray(patch)) throw new SetpointError("BadRequest", "a JSON patch must be a list of operations");
  if (patch.length > MOST_OPERATIONS)
    throw new SetpointError("RequestEntityTooLarge", `a JSON patch must have at most ${MOST_OPERATIONS} operations`);
  let result: Json = document;
  for (const [index, operation] of patch.entries()) result = applied(result, operation, index);
  if (!isMap(result)) throw refused(patch.length - 1, "path", "the result must be an object");
  return result;
}

function refused(index: number, field: string, why: string): SetpointError {
  return new SetpointError("Invalid", `the JSON patch cannot be done: operation ${index}: ${why}`, {
    causes: [{ reason: "FieldValueInvalid", field: `[${index}].${field}`, message: `Invalid value: ${why}` }],
  });
}

function applied(document: Json, operation: Json, index: number): Json {
  if (!isMap(operation) || typeof operation.op !== "string" || !OPERATIONS.includes(operation.op))
    throw new SetpointError("BadRequest", `operation ${index} of the JSON patch must have an "op" of ${OPERATIONS.join(", ")}`);
  const { op } = operation;
  const path = pointer(operation.path, index, "path");
  if (op === "remove") return removed(document, path, index);
  if (op === "move" || op === "copy") {
    const from = pointer(operation.from, index, "from");
    if (op === "move" && from.length < path.length && from.every((part, at) => part === path[at]))
      throw refused(index, "from", "a value cannot be moved into itself");
    const value = valueAt(document, from, index, "from");
    const grown = added(op === "move" ? removed(document, from, index) : document, path, value, index);
    // Copies of copies double each time.
    if (op === "copy" && JSON.stringify(grown).length > MAX_BYTES)
      throw new SetpointError("RequestEntityTooLarge", `the patched object must have at most ${MAX_BYTES} bytes`);
    return grown;
  }
  if (operation.value === undefined) throw new SetpointError("BadRequest", `operation ${index} of the JSON patch needs a "value"`);
  if (op === "add") return added(document, path, operation.value, index);
  const actual = valueAt(document, path, index, "path");
  if (op === "replace") return path.length === 0 ? operation.value : replaced(document, path, operation.value);
  if (!deepEqual(actual, operation.value)) throw refused(index, "value", `the test of ${shown(path)} failed`);
  return document;
}

const shown = (path: readonly string[]) => JSON.stringify(`/${path.join("/")}`.slice(0, 120));

/** RFC 6901. */
function pointer(text: Json | undefined, index: number, field: string): string[] {
  if (typeof text !== "string" || (text !== "" && !text.startsWith("/")))
    throw new SetpointError("BadRequest", `"${field}" of operation ${index} must be a JSON pointer such as /spec/replicas`);
  const parts = text.split("/").slice(1);
  const wrong = parts.find((part) => FORBIDDEN.has(part) || /~(?![01])/.test(part));
  if (wrong !== undefined) throw refused(index, field, `${JSON.stringify(wrong.slice(0, 80))} is not allowed in a path`);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function step(container: Json | undefined, part: string): Json | undefined {
  if (Array.isArray(container)) return /^(0|[1-9]\d*)$/.test(part) ? container[Number(part)] : undefined;
  return isMap(container) && Object.hasOwn(container, part) ? container[part] : undefined;
}

function valueAt(document: Json, path: readonly string[], index: number, field: string): Json {
  let at: Json | undefined = document;
  for (const part of path) at = step(at, part);
  if (at === undefined) throw refused(index, field, `there is nothing at ${shown(path)}`);
  return at;
}

/** `document` with what is in the container at `path`'s parent changed; every container on the way is copied. */
function within(document: Json | undefined, path: readonly string[], change: (container: Json[] | JsonObject, last: string) => void): Json {
  const [part = "", ...rest] = path;
  const copy: Json[] | JsonObject = Array.isArray(document) ? [...document] : isMap(document) ? { ...document } : {};
  if (rest.length === 0) change(copy, part);
  else if (Array.isArray(copy)) copy[Number(part)] = within(copy[Number(part)], rest, change);
  else copy[part] = within(copy[part], rest, change);
  return copy;
}

function replaced(document: Json, path: readonly string[], value: Json): Json {
  return within(document, path, (container, last) => {
    if (Array.isArray(container)) container[Number(last)] = value;
    else container[last] = value;
  });
}

function added(document: Json, path: readonly string[], value: Json, index: number): Json {
  if (path.length === 0) return value;
  const parent = valueAt(document, path.slice(0, -1), index, "path");
  if (!Array.isArray(parent) && !isMap(parent)) throw refused(index, "path", `${shown(path.slice(0, -1))} is no list or map`);
  const last = path.at(-1) ?? "";
  if (!Array.isArray(parent)) return replaced(document, path, value);
  const at = last === "-" ? parent.length : /^(0|[1-9]\d*)$/.test(last) ? Number(last) : -1;
  if (at < 0 || at > parent.length) throw refused(index, "path", `${shown(path)} is outside of the list`);
  return within(document, path, (container) => {
    if (Array.isArray(container)) container.splice(at, 0, value);
  });
}

function removed(document: Json, path: readonly string[], index: number): Json {
  if (path.length === 0) throw refused(index, "path", "the whole object cannot be removed");
  valueAt(document, path, index, "path");
  return within(document, path, (container, last) => {
    if (Array.isArray(container)) container.splice(Number(last), 1);
    else delete container[last];
  });
}
