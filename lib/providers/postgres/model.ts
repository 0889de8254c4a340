import { z } from "zod";

/** How a server is reached; what a PostgresServer's spec is made of. */
export const addressSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .max(253)
    .regex(/^[A-Za-z0-9._:-]+$/, "must be a host name or an IP address")
    .describe("Name or IP address of the server.")
    .meta({ title: "Host", examples: ["db.example.com"] }),
  port: z.int().min(1).max(65535).default(5432).describe("TCP port.").meta({ title: "Port" }),
  user: z
    .string()
    .min(1)
    .max(63)
    .describe("The role to connect as. It needs CREATEROLE, or better superuser, and the rights it is to hand out.")
    .meta({ title: "User", examples: ["postgres"] }),
  passwordFrom: z
    .strictObject({
      secret: z.string().min(1).max(253).describe("Name of a Secret in the same namespace.").meta({ title: "Secret" }),
      key: z.string().min(1).max(253).describe("Key in that Secret.").meta({ title: "Key" }),
    })
    .optional()
    .describe("Where the user's password is. Left out: the server asks for none.")
    .meta({ title: "Password from" }),
  database: z
    .string()
    .min(1)
    .max(63)
    .default("postgres")
    .describe("The database to connect to; grants that name no database are in this one.")
    .meta({ title: "Database" }),
  tls: z
    .union([z.boolean(), z.enum(["disable", "require", "verify-full"])])
    .default("disable")
    .describe("'require' encrypts without checking the certificate; 'verify-full' (or true) also checks it and the host name.")
    .meta({ title: "TLS" }),
});
export type Address = z.infer<typeof addressSchema>;

/** What calls are bounded by: the server and who we are on it, whichever database is meant. */
export function accountOf({ host, port, user }: Pick<Address, "host" | "port" | "user">): string {
  return `postgres:${host}:${port}/${user}`;
}

/** An address with the password at hand. Never stored, never logged. */
export interface Target extends Omit<Address, "passwordFrom"> {
  password?: string;
}

export interface ServerFacts {
  /** As `server_version_num`: 180004. */
  versionNumber: number;
  /** As people write it: `18.4`. */
  version: string;
  /** The role we are connected as. */
  user: string;
  superuser: boolean;
  createRole: boolean;
  /** Whether verifiers of passwords can be read and so compared. */
  readsPasswords: boolean;
}

export interface Attributes {
  login: boolean;
  inherit: boolean;
  createdb: boolean;
  createrole: boolean;
  replication: boolean;
  bypassrls: boolean;
  /** -1: no limit. */
  connectionLimit: number;
  /** ISO 8601, null: never ends. */
  validUntil: string | null;
}

/** One privilege that the role was given itself (not through PUBLIC, ownership or another role). */
export interface Held {
  privilege: string;
  grantable: boolean;
  grantor: string;
}

/** A database, a schema of it, or a table-like relation (table, view, foreign table) of that. */
export interface ObjectName {
  database: string;
  schema?: string;
  table?: string;
}

export interface ObjectFacts extends ObjectName {
  owner: string;
  held: Held[];
}

export type Membership = {
  role: string;
  admin: boolean;
  grantor: string;
};

export interface RoleFacts extends Attributes {
  superuser: boolean;
  /** The comment on the role, whoever wrote it. */
  comment: string | null;
  memberOf: Membership[];
  /** Whether its password is the wished one; absent when none was wished. */
  passwordMatches?: boolean;
}

export interface RoleLook {
  server: ServerFacts;
  role?: RoleFacts;
  /** Of the roles asked about: those that exist. */
  known: { name: string; superuser: boolean }[];
  /** Objects asked about that exist, and objects on which the role holds privileges. */
  objects: ObjectFacts[];
  /** Databases with privileges or objects of the role that could not be looked into. */
  unseen: string[];
  /** What keeps the role from being dropped, in words, bounded; empty unless asked. */
  blockers: string[];
}

export interface LookRequest {
  role: string;
  /** Roles whose existence matters. */
  roles: string[];
  /** Objects whose existence matters. */
  objects: ObjectName[];
  /** Schemas all of whose tables matter. */
  schemas: { database: string; schema: string }[];
  /** The wished password, to compare. */
  password?: string;
  /** Looks for what a drop would stumble over. */
  forDrop: boolean;
  uid: string;
}

/** JSON all through: this is what an action carries. */
export type GrantChange = {
  do: "grant" | "revoke" | "revokeOption";
  privileges: string[];
  database: string;
  schema?: string;
  table?: string;
  /** Whose grant is revoked, when neither the owner's nor our own. */
  as?: string;
};

export interface RoleChange {
  /** The database whose transaction this is. */
  database: string;
  role: string;
  owner: { uid: string; name: string };
  /** `ours`: must carry our mark. `create`: must be absent or ours. `adopt`: whatever is there, never a superuser. */
  expect: "ours" | "create" | "adopt";
  attributes: Partial<Attributes>;
  /** Set anew when given. */
  password?: string;
  mark: boolean;
  join: string[];
  leave: Membership[];
  /** Takes the right to hand a membership on. */
  unadmin: Membership[];
  grants: GrantChange[];
  drop: boolean;
}
