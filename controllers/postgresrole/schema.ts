import { z } from "zod";
import { identifierFault } from "@/lib/providers/postgres";
import { PRIVILEGES, privilegeType } from "./privileges";

const name = (words: string) => z.string().min(1).max(63).describe(words);

const grant = z.strictObject({
  database: name("The database. Left out: the one the PostgresServer connects to.")
    .optional()
    .meta({ title: "Database", examples: ["app"] }),
  schema: name("A schema of that database. Left out: the privileges are on the database itself.")
    .optional()
    .meta({ title: "Schema", examples: ["public"] }),
  table: name("A table, view or foreign table of that schema. Left out: the privileges are on the schema itself.")
    .optional()
    .meta({ title: "Table", examples: ["orders"] }),
  allTables: z
    .boolean()
    .optional()
    .describe("Every table of the schema instead of one, those made later included.")
    .meta({ title: "All tables of the schema" }),
  privileges: z
    .array(z.enum(PRIVILEGES))
    .min(1)
    .max(PRIVILEGES.length)
    .describe(
      "On a database CONNECT, CREATE, TEMPORARY; on a schema USAGE, CREATE; on tables SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, " +
        "TRIGGER, MAINTAIN (from PostgreSQL 17); or ALL alone.",
    )
    .meta({ title: "Privileges", examples: [["SELECT"]] }),
});
export type Grant = z.infer<typeof grant>;

const flag = (initial: boolean, title: string, words: string) => z.boolean().default(initial).describe(words).meta({ title });

export const schema = z.strictObject({
  server: z
    .string()
    .min(1)
    .max(253)
    .describe("Name of a PostgresServer in the same namespace. Cannot be changed later.")
    .meta({ title: "Server", examples: ["main"] }),
  name: name("Name of the role on the server. Left out: the name of this resource. Cannot be changed later.")
    .optional()
    .meta({ title: "Role name" }),
  login: flag(false, "Login", "May sign in."),
  inherit: flag(true, "Inherit", "Uses the privileges of the roles it is a member of without SET ROLE."),
  createdb: flag(false, "Create databases", "May create databases."),
  createrole: flag(false, "Create roles", "May create roles."),
  replication: flag(false, "Replication", "May replicate the whole server."),
  bypassrls: flag(false, "Bypass row security", "Is not held back by row-level security."),
  connectionLimit: z.int().min(-1).max(2_147_483_647).default(-1).describe("Most connections at once; -1 is no limit.").meta({
    title: "Connection limit",
  }),
  validUntil: z.iso
    .datetime({ offset: true })
    .optional()
    .describe("When its password stops being valid, ISO 8601. Left out: never.")
    .meta({ title: "Valid until", examples: ["2030-01-01T00:00:00Z"] }),
  passwordFrom: z
    .strictObject({
      secret: z.string().min(1).max(253).describe("Name of a Secret in the same namespace.").meta({ title: "Secret" }),
      key: z.string().min(1).max(253).describe("Key in that Secret.").meta({ title: "Key" }),
    })
    .optional()
    .describe("Where its password is. Left out: the password is left as it is.")
    .meta({ title: "Password from" }),
  memberOf: z
    .array(name("A role that exists on the server."))
    .max(100)
    .default([])
    .describe("Roles it is a direct member of. Other direct memberships are taken away.")
    .meta({ title: "Member of", "x-kubernetes-list-type": "set" }),
  grants: z
    .array(grant)
    .max(200)
    .default([])
    .describe(
      "Privileges given to the role itself on databases, schemas and tables. Others of these kinds are taken away, in every database.",
    )
    .meta({
      title: "Grants",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["database", "schema", "table", "allTables"],
    }),
});
export type PostgresRoleSpec = z.infer<typeof schema>;

/** Predefined roles that amount to being a superuser. */
const AS_GOOD_AS_SUPERUSER = ["pg_execute_server_program", "pg_read_server_files", "pg_write_server_files"];

type Fault = { field: string; message: string };

/** Rules that a schema cannot say. */
export function check(spec: PostgresRoleSpec): Fault[] {
  const names: [string, string | undefined][] = [
    ...spec.memberOf.map((role, index): [string, string] => [`memberOf.${index}`, role]),
    ...spec.grants.flatMap(({ database, schema, table }, index): [string, string | undefined][] => [
      [`grants.${index}.database`, database],
      [`grants.${index}.schema`, schema],
      [`grants.${index}.table`, table],
    ]),
  ];
  const faults = names.flatMap(([field, value]): Fault[] => {
    const message = value === undefined ? undefined : identifierFault(value);
    return message === undefined ? [] : [{ field, message }];
  });
  const reserved = spec.name === undefined ? undefined : roleNameFault(spec.name);
  if (reserved !== undefined) faults.push({ field: "name", message: reserved });
  return [...faults, ...membershipFaults(spec), ...spec.grants.flatMap(grantFaults)];
}

/** Undefined when a role that we manage may have this name. */
export function roleNameFault(role: string): string | undefined {
  if (/^pg_/.test(role)) return "must not start with pg_: such roles belong to the server";
  if (["public", "none"].includes(role)) return `must not be ${role}, which the server reserves`;
  return identifierFault(role);
}

function membershipFaults({ memberOf, name: own }: PostgresRoleSpec): Fault[] {
  return memberOf.flatMap((role, index): Fault[] => {
    const field = `memberOf.${index}`;
    if (AS_GOOD_AS_SUPERUSER.includes(role)) return [{ field, message: `${role} amounts to superuser, which is never given` }];
    if (role === own) return [{ field, message: "a role cannot be a member of itself" }];
    if (memberOf.indexOf(role) !== index) return [{ field, message: "is named twice" }];
    return [];
  });
}

function grantFaults(grant: Grant, index: number): Fault[] {
  const at = (field: string, message: string) => ({ field: `grants.${index}.${field}`, message });
  const { schema, table, allTables, privileges } = grant;
  const faults: Fault[] = [];
  if (table !== undefined && schema === undefined) faults.push(at("schema", "is needed with a table"));
  if (allTables && schema === undefined) faults.push(at("schema", "is needed with allTables"));
  if (allTables && table !== undefined) faults.push(at("allTables", "is every table; name one table or all, not both"));
  if (privileges.includes("ALL") && privileges.length > 1) faults.push(at("privileges", "ALL stands alone"));
  if (new Set(privileges).size !== privileges.length) faults.push(at("privileges", "names one twice"));
  const type = privilegeType(grant);
  const allowed = type.privileges;
  const wrong = privileges.filter((privilege) => privilege !== "ALL" && !allowed.includes(privilege));
  if (wrong.length > 0)
    faults.push(at("privileges", `${wrong.join(", ")} cannot be given on a ${type.word}; use ${allowed.join(", ")} or ALL`));
  return faults;
}
