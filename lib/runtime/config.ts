/**
 * Configuration by environment. The only file of the product that reads `process.env`. Every mistake is
 * reported in one go, by variable and reason; the value of a secret is never part of a message.
 */
import os from "node:os";
import path from "node:path";
import { z } from "zod";
import { SetpointError } from "@/lib/errors";

/** Which part of the product this process is. */
export type Role = "all" | "web" | "worker";

/** What this process was told, checked and complete. Paths are absolute. */
export interface Config {
  port: number;
  host: string;
  /** Where the API is served over TLS; unset: it is not. 0: any free port. */
  apiPort?: number;
  /** Absolute paths of a certificate and its key; unset: signed by this installation's own authority. */
  apiCertificate?: { certificate: string; key: string };
  /** Unset: Setpoint runs its own PostgreSQL server in the data folder. */
  databaseUrl?: string;
  dataDir: string;
  /** True when SETPOINT_DATA_DIR named the folder: then nothing is ever kept anywhere else instead. */
  dataDirConfigured: boolean;
  role: Role;
  /** The first administrator; without it a one-time set-up link is printed. */
  admin?: { email: string; password: string };
  bootstrapToken?: string;
  /** Absolute paths that instances may run. */
  allowExec: string[];
  /** The only folder that config files may be written under. */
  fileRoot: string;
  demo: boolean;
  /** The name of this machine: what kinds that are bound to a machine carry. */
  hostName: string;
  /** 32 bytes; unset: kept in `<data folder>/key`. */
  encryptionKey?: Buffer;
  /** False: notifications of the database are ignored, everything converges by looking again. */
  notify: boolean;
  /** The URL that people use, for links and redirects behind a proxy. */
  publicUrl?: string;
}

/** The sample service that ships with the product: what instances may run unless configured otherwise. */
export const SAMPLE_SERVICE = "controllers/replicaset/sample/sample-service.mjs";

const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, `must be a whole number from ${least} to ${most}`)
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be a whole number from ${least} to ${most}`);

const urlOf = (protocols: string[], example: string) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), `must be a URL such as ${example}`);

const oneOf = <const T extends string>(...values: [T, ...T[]]) => z.enum(values, { error: `must be one of ${values.join(", ")}` });

const absolutePaths = z
  .string()
  .transform((text) => text.split(":").filter((part) => part !== ""))
  .refine((parts) => parts.every((part) => path.isAbsolute(part)), "must be absolute paths of executables, separated by colons")
  .transform((parts) => parts.map((part) => path.normalize(part)));

const key = z
  .string()
  .refine((text) => /^[A-Za-z0-9+/_-]{43}=?$/.test(text), "must be 32 bytes in base64 (openssl rand -base64 32)")
  .transform((text) => Buffer.from(text, "base64"));

/** One entry per variable, with its check. `.env.example` documents exactly these. */
export const VARIABLES = {
  PORT: wholeNumber(0, 65535).default(3000),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, "must be an address or a host name to listen on")
    .default("127.0.0.1"),
  SETPOINT_API_PORT: wholeNumber(0, 65535).optional(),
  SETPOINT_API_CERT: z.string().optional(),
  SETPOINT_API_KEY: z.string().optional(),
  DATABASE_URL: urlOf(["postgres:", "postgresql:"], "postgresql://user:password@host:5432/database").optional(),
  SETPOINT_DATA_DIR: z.string().optional(),
  SETPOINT_ROLE: oneOf("all", "web", "worker").default("all"),
  SETPOINT_ADMIN_EMAIL: z.email("must be an e-mail address").max(254, "must have at most 254 characters").optional(),
  SETPOINT_ADMIN_PASSWORD: z.string().min(12, "must have at least 12 characters").max(512, "must have at most 512 characters").optional(),
  SETPOINT_BOOTSTRAP_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,512}$/, "must have at least 16 visible ASCII characters and no spaces")
    .optional(),
  SETPOINT_ALLOW_EXEC: absolutePaths.optional(),
  SETPOINT_FILE_ROOT: z.string().optional(),
  SETPOINT_DEMO: oneOf("0", "1").default("0"),
  SETPOINT_HOSTNAME: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i, "must be a host name: letters, digits, dots and dashes")
    .optional(),
  SETPOINT_ENCRYPTION_KEY: key.optional(),
  SETPOINT_NOTIFY: oneOf("on", "off").default("on"),
  SETPOINT_PUBLIC_URL: urlOf(["http:", "https:"], "https://setpoint.example.org").optional(),
} as const;

const schema = z.object(VARIABLES);
type Values = z.infer<typeof schema>;
type Environment = Readonly<Record<string, string | undefined>>;
type Mistake = { name: string; reason: string };

/** Where defaults come from; given by tests, the machine's own otherwise. */
export interface Surroundings {
  cwd: string;
  hostName: string;
}

/** The configuration of this process. Throws one error that lists every mistake. */
export function configOfProcess(): Config {
  return readConfig(process.env);
}

/** Reads and checks `env`. Throws one `SetpointError` that lists every mistake by variable and reason. */
export function readConfig(env: Environment, around: Surroundings = { cwd: process.cwd(), hostName: os.hostname() }): Config {
  // An empty variable is an unset one: compose files and .env templates produce them.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = schema.safeParse(given);
  const mistakes = [
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => ({ name: String(issue.path[0]), reason: issue.message }))),
    ...unknownNames(Object.keys(given)),
    ...contradictions(given),
  ];
  if (!parsed.success || mistakes.length > 0) throw refusal(mistakes);
  return toConfig(parsed.data, around);
}

function contradictions(given: Environment): Mistake[] {
  const found: Mistake[] = [];
  for (const [one, other] of [
    ["SETPOINT_ADMIN_EMAIL", "SETPOINT_ADMIN_PASSWORD"],
    ["SETPOINT_ADMIN_PASSWORD", "SETPOINT_ADMIN_EMAIL"],
    ["SETPOINT_API_CERT", "SETPOINT_API_KEY"],
    ["SETPOINT_API_KEY", "SETPOINT_API_CERT"],
  ] as const) {
    if (given[one] && !given[other]) found.push({ name: other, reason: `must be set together with ${one}` });
  }
  if ((given.SETPOINT_ROLE === "web" || given.SETPOINT_ROLE === "worker") && !given.DATABASE_URL) {
    found.push({
      name: "DATABASE_URL",
      reason: `is needed with SETPOINT_ROLE=${given.SETPOINT_ROLE}: the embedded store belongs to one "all" process`,
    });
  }
  return found;
}

function unknownNames(names: string[]): Mistake[] {
  const known = Object.keys(VARIABLES);
  return names
    .filter((name) => name.startsWith("SETPOINT_") && !known.includes(name))
    .map((name) => {
      const [nearest] = known
        .map((candidate) => ({ candidate, distance: distance(name, candidate) }))
        .sort((a, b) => a.distance - b.distance);
      const hint = nearest && nearest.distance <= 4 ? `; did you mean ${nearest.candidate}?` : "; .env.example lists every variable";
      return { name, reason: `is not a variable of Setpoint${hint}` };
    });
}

/** Edit distance, for suggestions. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function refusal(mistakes: Mistake[]): SetpointError {
  const lines = mistakes.map(({ name, reason }) => `  ${name} ${reason}`);
  const count = mistakes.length === 1 ? "1 mistake" : `${mistakes.length} mistakes`;
  return new SetpointError("Invalid", `The configuration has ${count}:\n${lines.join("\n")}`, {
    causes: mistakes.map(({ name, reason }) => ({ reason: "FieldValueInvalid", field: name, message: reason })),
  });
}

function toConfig(values: Values, around: Surroundings): Config {
  const dataDir = path.resolve(around.cwd, values.SETPOINT_DATA_DIR ?? ".setpoint");
  const { SETPOINT_ADMIN_EMAIL: email, SETPOINT_ADMIN_PASSWORD: password } = values;
  const { SETPOINT_API_CERT: certificate, SETPOINT_API_KEY: apiKey } = values;
  return {
    port: values.PORT,
    host: values.HOST,
    apiPort: values.SETPOINT_API_PORT,
    apiCertificate:
      certificate && apiKey ? { certificate: path.resolve(around.cwd, certificate), key: path.resolve(around.cwd, apiKey) } : undefined,
    databaseUrl: values.DATABASE_URL,
    dataDir,
    dataDirConfigured: values.SETPOINT_DATA_DIR !== undefined,
    role: values.SETPOINT_ROLE,
    admin: email && password ? { email: email.toLowerCase(), password } : undefined,
    bootstrapToken: values.SETPOINT_BOOTSTRAP_TOKEN,
    allowExec: values.SETPOINT_ALLOW_EXEC ?? [path.resolve(around.cwd, SAMPLE_SERVICE)],
    fileRoot: values.SETPOINT_FILE_ROOT ? path.resolve(around.cwd, values.SETPOINT_FILE_ROOT) : path.join(dataDir, "files"),
    demo: values.SETPOINT_DEMO === "1",
    hostName: (values.SETPOINT_HOSTNAME ?? around.hostName).toLowerCase(),
    encryptionKey: values.SETPOINT_ENCRYPTION_KEY,
    notify: values.SETPOINT_NOTIFY === "on",
    publicUrl: values.SETPOINT_PUBLIC_URL?.replace(/\/+$/, ""),
  };
}
