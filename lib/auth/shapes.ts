/** What is sent about tokens, service accounts, roles and bindings, and what is stored of it. */
import { z } from "zod";
import { type Cause, SetpointError } from "@/lib/errors";
import { EVERY, VERBS } from "@/lib/policies/access";
import { causesOf, MAX_BYTES, MAX_DEPTH } from "@/lib/policies/admission";
import { namespaceFault } from "@/lib/resource";

export const DEFAULT_DAYS = 90;
export const MOST_DAYS = 366;

const verb = z.enum([...VERBS, EVERY]);
const kind = z.union([z.literal(EVERY), z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, "must be a plural such as configfiles, or *")]);
const named = z.string().superRefine((text, context) => {
  const fault = namespaceFault(text);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});
const place = z.union([z.literal(EVERY), named]);
const list = <T extends z.ZodType>(item: T) => z.array(item).min(1, "must name at least one, or *").max(100);
const title = z.string().trim().min(1, "must not be empty").max(100);
const label = z
  .string()
  .max(63)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, "must consist of lower case letters, digits and '-'");

export const roleRule = z.strictObject({ verbs: list(verb), kinds: list(kind) });
export const roleRules = z.array(roleRule).min(1).max(50);

/** `*` where nothing is said. */
export const tokenScope = z.strictObject({
  verbs: list(verb).default([EVERY]),
  kinds: list(kind).default([EVERY]),
  namespaces: list(place).default([EVERY]),
});
/** Limits below which nothing useful could be sent. */
const LEAST_BODY_BYTES = 1_024;
const LEAST_DEPTH = 8;

/** Absent: the default of `lib/api`, which for body and depth is also the most. */
export const tokenLimits = z.strictObject({
  requestsPerMinute: z.int().min(1).max(60_000).optional(),
  streams: z.int().min(0).max(100).optional(),
  bodyBytes: z.int().min(LEAST_BODY_BYTES).max(MAX_BYTES).optional(),
  depth: z.int().min(LEAST_DEPTH).max(MAX_DEPTH).optional(),
});

const account = z.strictObject({ namespace: named, name: label });
export const newToken = z.strictObject({
  name: title,
  expiresInDays: z.int().min(1).max(MOST_DAYS, `must be at most ${MOST_DAYS}: tokens end`).default(DEFAULT_DAYS),
  scope: tokenScope.default({ verbs: [EVERY], kinds: [EVERY], namespaces: [EVERY] }),
  limits: tokenLimits.default({}),
  /** Whose token; absent: one's own. */
  serviceAccount: account.optional(),
});
export const newServiceAccount = account;
export const newRole = z.strictObject({ name: label, description: z.string().max(500).default(""), rules: roleRules });
export const newBinding = z.strictObject({
  role: label,
  namespace: place,
  subject: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("User"), name: z.email("must be an e-mail address").transform((text) => text.toLowerCase()) }),
    z.strictObject({
      kind: z.literal("Group"),
      name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9:._-]{0,99}$/, "must be the name of a group"),
    }),
    z.strictObject({ kind: z.literal("ServiceAccount"), namespace: named, name: label }),
  ]),
});

/** Parses a request about `what`. Throws Invalid with a cause per field. */
export function parse<T>(what: string, schema: z.ZodType<T>, raw: unknown): T {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw refuse(what, causesOf(parsed.error.issues, schema, raw, ""));
}

export function refuse(what: string, causes: Cause[]): SetpointError {
  const faults = causes.map(({ field, message }) => `${field}: ${message}`);
  return new SetpointError("Invalid", `the ${what} is invalid: ${faults.join(", ")}`, { causes });
}
