import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SetpointError } from "@/lib/errors";
import { type Config, readConfig, VARIABLES } from "./config";

const around = { cwd: "/srv/setpoint", hostName: "Host-1" };
const read = (env: Record<string, string | undefined>): Config => readConfig(env, around);

function refusalOf(env: Record<string, string>): SetpointError {
  try {
    read(env);
  } catch (error) {
    if (error instanceof SetpointError) return error;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

describe("what is not configured has a default that works", () => {
  test("an empty environment gives a whole configuration", () => {
    expect(read({})).toEqual({
      port: 3000,
      host: "127.0.0.1",
      databaseUrl: undefined,
      dataDir: "/srv/setpoint/.setpoint",
      dataDirConfigured: false,
      role: "all",
      admin: undefined,
      bootstrapToken: undefined,
      allowExec: ["/srv/setpoint/controllers/replicaset/sample/sample-service.mjs"],
      fileRoot: "/srv/setpoint/.setpoint/files",
      demo: false,
      hostName: "host-1",
      encryptionKey: undefined,
      notify: true,
      publicUrl: undefined,
    });
  });

  test("an empty variable counts as unset", () => {
    expect(read({ PORT: "", DATABASE_URL: "", SETPOINT_ADMIN_EMAIL: "", SETPOINT_DATA_DIR: "" })).toEqual(read({}));
  });

  test("the file root follows the data folder", () => {
    expect(read({ SETPOINT_DATA_DIR: "/data" }).fileRoot).toBe("/data/files");
    expect(read({ SETPOINT_DATA_DIR: "data" })).toMatchObject({ dataDir: "/srv/setpoint/data", dataDirConfigured: true });
  });
});

test("everything that can be configured arrives as it was given", () => {
  const config = read({
    PORT: "0",
    HOST: "::1",
    DATABASE_URL: "postgresql://u:p@db:5432/setpoint?sslmode=require",
    SETPOINT_ROLE: "worker",
    SETPOINT_ADMIN_EMAIL: "Admin@Example.org",
    SETPOINT_ADMIN_PASSWORD: "correct horse battery",
    SETPOINT_BOOTSTRAP_TOKEN: "0123456789abcdef",
    SETPOINT_ALLOW_EXEC: "/usr/bin/node:/opt/../opt/service:",
    SETPOINT_FILE_ROOT: "/etc/services",
    SETPOINT_DEMO: "1",
    SETPOINT_HOSTNAME: "worker-7.example.org",
    SETPOINT_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    SETPOINT_NOTIFY: "off",
    SETPOINT_PUBLIC_URL: "https://setpoint.example.org/",
  });
  expect(config).toMatchObject({
    port: 0,
    host: "::1",
    databaseUrl: "postgresql://u:p@db:5432/setpoint?sslmode=require",
    role: "worker",
    admin: { email: "admin@example.org", password: "correct horse battery" },
    bootstrapToken: "0123456789abcdef",
    allowExec: ["/usr/bin/node", "/opt/service"],
    fileRoot: "/etc/services",
    demo: true,
    hostName: "worker-7.example.org",
    notify: false,
    publicUrl: "https://setpoint.example.org",
  });
  expect(config.encryptionKey).toEqual(Buffer.alloc(32, 7));
});

test("all mistakes are listed at once, each by its variable", () => {
  const error = refusalOf({
    PORT: "65536",
    HOST: "not a host",
    DATABASE_URL: "mysql://db/x",
    SETPOINT_ROLE: "boss",
    SETPOINT_ADMIN_EMAIL: "nobody",
    SETPOINT_BOOTSTRAP_TOKEN: "short",
    SETPOINT_ALLOW_EXEC: "node",
    SETPOINT_DEMO: "yes",
    SETPOINT_HOSTNAME: "-x",
    SETPOINT_ENCRYPTION_KEY: "abc",
    SETPOINT_NOTIFY: "maybe",
    SETPOINT_PUBLIC_URL: "ftp://x",
    SETPOINT_NOTHING_LIKE_IT: "1",
  });
  const named = error.causes.map((cause) => cause.field);
  expect(new Set(named)).toEqual(
    new Set([
      ...["PORT", "HOST", "DATABASE_URL", "SETPOINT_ROLE", "SETPOINT_ADMIN_EMAIL", "SETPOINT_ADMIN_PASSWORD", "SETPOINT_BOOTSTRAP_TOKEN"],
      ...["SETPOINT_ALLOW_EXEC", "SETPOINT_DEMO", "SETPOINT_HOSTNAME", "SETPOINT_ENCRYPTION_KEY", "SETPOINT_NOTIFY", "SETPOINT_PUBLIC_URL"],
      "SETPOINT_NOTHING_LIKE_IT",
    ]),
  );
  for (const name of named) expect(error.message).toContain(name);
});

test("a misspelt variable is refused with the one that was probably meant", () => {
  expect(refusalOf({ SETPOINT_BOOTSTRAP_TOKN: "0123456789abcdef" }).message).toContain("did you mean SETPOINT_BOOTSTRAP_TOKEN?");
});

test("an administrator needs both an address and a password", () => {
  expect(refusalOf({ SETPOINT_ADMIN_EMAIL: "a@example.org" }).message).toContain("SETPOINT_ADMIN_PASSWORD must be set together");
  expect(refusalOf({ SETPOINT_ADMIN_PASSWORD: "correct horse battery" }).message).toContain("SETPOINT_ADMIN_EMAIL must be set together");
});

test("a process that is only web or only worker needs a database server", () => {
  expect(refusalOf({ SETPOINT_ROLE: "web" }).message).toContain("DATABASE_URL is needed with SETPOINT_ROLE=web");
});

test("the value of a secret never shows in an error", () => {
  const names = ["DATABASE_URL", "SETPOINT_ADMIN_PASSWORD", "SETPOINT_BOOTSTRAP_TOKEN", "SETPOINT_ENCRYPTION_KEY"];
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.integer(), (name, salt) => {
      const secret = `Zq${Math.abs(salt)}Zq\n`;
      expect(JSON.stringify(refusalOf({ [name]: secret, PORT: "x" }))).not.toContain(secret.trim());
      expect(refusalOf({ [name]: secret, PORT: "x" }).message).not.toContain(secret.trim());
    }),
  );
});

test(".env.example documents exactly the variables that exist", () => {
  const text = readFileSync(path.resolve(import.meta.dirname, "../../.env.example"), "utf8");
  const documented = [...text.matchAll(/^#?([A-Z][A-Z_]*)=/gm)].map((match) => match[1]);
  expect(documented.sort()).toEqual(Object.keys(VARIABLES).sort());
});
