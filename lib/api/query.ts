/** Query parameters, checked. */
import { type Cause, SetpointError } from "@/lib/errors";
import { textFault } from "@/lib/policies/admission";
import { type FieldRequirement, type LabelRequirement, parseFieldSelector, parseLabelSelector } from "@/lib/resource";
import type { Call } from "./call";
import { bad } from "./respond";

const LONGEST_MESSAGE = 500;
const LONGEST_PARAMETER = 4_096;

/** The one value of a parameter; undefined when absent or empty. */
export function one(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name);
  if (values.length > 1) throw bad(`the parameter ${name} must be given once`);
  return checked(name, values[0]) || undefined;
}

/** All values of a repeatable parameter. */
export function many(query: URLSearchParams, name: string): string[] {
  const values = query.getAll(name).flatMap((value) => checked(name, value) || []);
  if (values.length > 100) throw bad(`the parameter ${name} must be given at most 100 times`);
  return values;
}

function checked(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value.length > LONGEST_PARAMETER) throw bad(`the parameter ${name} must have at most ${LONGEST_PARAMETER} characters`);
  const fault = textFault(value);
  if (fault !== undefined) throw bad(`the parameter ${name} ${fault}`);
  return value;
}

/** A whole number of at least `least`; undefined when absent. */
export function wholeNumber(query: URLSearchParams, name: string, least: number, most: number): number | undefined {
  const text = one(query, name);
  if (text === undefined) return undefined;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least && value <= most)) throw bad(`the parameter ${name} must be a whole number from ${least} to ${most}`);
  return value;
}

export function flag(query: URLSearchParams, name: string): boolean {
  const text = one(query, name);
  if (text === undefined || text === "false" || text === "0") return false;
  if (text === "true" || text === "1") return true;
  throw bad(`the parameter ${name} must be true or false`);
}

/** A fault of the options of a request, e.g. of `PatchOptions`. */
export function optionsFault(kind: string, field: string, reason: Cause["reason"], message: string): SetpointError {
  return new SetpointError("Invalid", `${kind}.meta.k8s.io "" is invalid: ${field}: ${message}`, {
    causes: [{ reason, field, message }],
    about: { group: "meta.k8s.io", kind },
  });
}

const OPTIONS: Record<string, string> = { POST: "CreateOptions", PUT: "UpdateOptions", PATCH: "PatchOptions", DELETE: "DeleteOptions" };

/** What the options of a request are called. */
export function optionsOf({ request }: Pick<Call, "request">): string {
  return OPTIONS[request.method] ?? "Options";
}

/** `dryRun=All` or nothing. */
export function dryRunOf({ query, request }: Pick<Call, "query" | "request">): boolean {
  const values = query.getAll("dryRun").filter((value) => value !== "");
  if (values.every((value) => value === "All")) return values.length > 0;
  throw optionsFault(
    OPTIONS[request.method] ?? "Options",
    "dryRun",
    "FieldValueNotSupported",
    'Unsupported value: supported values: "All"',
  );
}

/** The message that goes into the revision. */
export function messageOf(query: URLSearchParams): string {
  const message = one(query, "message") ?? "";
  if (message.length > LONGEST_MESSAGE) throw bad(`the parameter message must have at most ${LONGEST_MESSAGE} characters`);
  return message;
}

export function labelsOf(query: URLSearchParams): LabelRequirement[] {
  return parseLabelSelector(one(query, "labelSelector") ?? "");
}

/** Requirements on the fields that are supported; throws BadRequest for others. */
export function fieldsOf(query: URLSearchParams, supported: readonly string[]): FieldRequirement[] {
  const requirements = parseFieldSelector(one(query, "fieldSelector") ?? "");
  for (const { path } of requirements) {
    if (!supported.includes(path)) throw bad(`field label not supported: ${path} (supported: ${supported.join(", ")})`);
  }
  return requirements;
}

/** A resourceVersion that this store may have given out: undefined when absent. */
export function versionOf(query: URLSearchParams): string | undefined {
  const version = one(query, "resourceVersion");
  if (version === undefined) return undefined;
  if (!/^\d{1,18}$/.test(version)) throw bad(`the resourceVersion ${JSON.stringify(version.slice(0, 40))} is not one of this server`);
  return String(BigInt(version));
}
