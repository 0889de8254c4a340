import { deepEqual, type Json } from "@/lib/resource";
import { locate, type ParsedText, type Path, type Place, parsePath, pathKey, pathText, samePath, startsWith, valueAt } from "../document";
import { checkValue, digestOf, isKeptSecret, isSecretPath, type ObjectNode, secretPaths } from "../schema";

/** One thing to put right before saving, with where it is in the text and in the form. */
export interface Problem {
  /** Undefined when it concerns the text as a whole, or is not about one field. */
  path?: Path;
  message: string;
  /** `syntax`: the text cannot be read; `schema`: found in the browser; `server`: found by the server. */
  source: "syntax" | "schema" | "server";
  /** Nothing is there yet: a thing to fill in rather than a mistake. */
  missing: boolean;
  place: Place;
}

export interface CheckContext {
  schema: ObjectNode;
  /** Dotted patterns below spec. */
  secretFields: readonly string[];
  /** Dotted fields below spec that never change after creation. */
  immutable: readonly string[];
  /** The stored document when an existing object is edited. */
  stored?: Json;
}

/** Everything the browser can find wrong with a text. */
export function findProblems(parsed: ParsedText, context: CheckContext): Problem[] {
  if (parsed.faults.length > 0) {
    return parsed.faults.map((fault) => ({
      message: fault.message,
      source: "syntax",
      missing: false,
      place: { from: fault.from, to: fault.to, line: parsed.text.slice(0, fault.from).split("\n").length },
    }));
  }
  const { schema, secretFields, stored } = context;
  const kept = (path: Path) => isKeptSecret(secretFields, stored, parsed.value, path);
  const faults = checkValue(schema, parsed.value ?? null, [], kept).map((fault) => ({
    ...fault,
    message:
      isSecretPath(secretFields, fault.path) && digestOf(valueAt(parsed.value, fault.path)) !== undefined
        ? "is a digest: enter the value itself"
        : fault.message,
  }));
  const problems = faults.map(
    (fault): Problem => ({
      path: fault.path,
      message: fault.message,
      source: "schema",
      missing: fault.rule === "required",
      place: locate(parsed, fault.path, fault.rule === "unknown" ? "key" : "value"),
    }),
  );
  return [...problems, ...emptySecrets(parsed, context), ...lockedProblems(parsed, context)].sort((a, b) => a.place.from - b.place.from);
}

/** A secret without a value is one that nobody has entered yet. */
function emptySecrets(parsed: ParsedText, { secretFields }: CheckContext): Problem[] {
  return secretPaths(secretFields, parsed.value)
    .filter((path) => valueAt(parsed.value, path) === "")
    .map((path): Problem => ({ path, message: "has no value yet", source: "schema", missing: true, place: locate(parsed, path) }));
}

/** The paths that cannot change once an object exists. */
export function lockedPaths(immutable: readonly string[]): Path[] {
  return [["metadata", "name"], ["metadata", "namespace"], ...immutable.map((field) => ["spec", ...field.split(".")])];
}

function lockedProblems(parsed: ParsedText, { stored, immutable }: CheckContext): Problem[] {
  if (stored === undefined) return [];
  return lockedPaths(immutable)
    .filter((path) => !deepEqual(valueAt(parsed.value, path), valueAt(stored, path)))
    .map((path): Problem => {
      const before = valueAt(stored, path);
      const was = typeof before === "string" || typeof before === "number" ? ` (it is ${before})` : "";
      return { path, message: `cannot change after creation${was}`, source: "schema", missing: false, place: locate(parsed, path) };
    });
}

/** A fault as the server names it. */
export interface ServerFault {
  field?: string;
  message: string;
}

/** The server's faults, placed in the text they were found in. */
export function placeServerFaults(parsed: ParsedText, faults: readonly ServerFault[]): Problem[] {
  return faults.map((fault): Problem => {
    const path = fault.field ? parsePath(fault.field, parsed.value) : undefined;
    const place = path ? locate(parsed, path) : { from: 0, to: 0, line: 1 };
    return { ...(path ? { path } : {}), message: fault.message, source: "server", missing: false, place };
  });
}

/** One list: what the browser found, then what only the server found. */
export function joinProblems(own: readonly Problem[], servers: readonly Problem[]): Problem[] {
  const taken = new Set(own.flatMap((problem) => (problem.path ? [pathKey(problem.path)] : [])));
  return [...own, ...servers.filter((problem) => !problem.path || !taken.has(pathKey(problem.path)))];
}

/** The problems of one field: of its own, and with `deep` of everything below it. */
export function problemsAt(problems: readonly Problem[], path: Path, deep = false): Problem[] {
  return problems.filter((problem) => problem.path && (deep ? startsWith(problem.path, path) : samePath(problem.path, path)));
}

/** The problem after the one at `current`, going round; undefined when there are none. */
export function nextProblem(problems: readonly Problem[], current: number): number | undefined {
  return problems.length === 0 ? undefined : (current + 1) % problems.length;
}

/** A problem in one line, for lists and for people who listen. */
export function problemText(problem: Problem): string {
  return problem.path && problem.path.length > 0 ? `${pathText(problem.path)} ${problem.message}` : problem.message;
}
