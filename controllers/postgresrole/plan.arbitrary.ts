/** Any facts at all, likely or not, for `plan`. For tests. */
import fc from "fast-check";
import type { PlanInput } from "@/lib/controller";
import { formatMark, type ObjectFacts, type RoleLook } from "@/lib/providers/postgres";
import { DEFAULT_CONTROL, type Resource } from "@/lib/resource";
import type { Observed } from "./observe";
import { PRIVILEGES } from "./privileges";
import type { PostgresRoleSpec } from "./schema";

const word = fc.constantFrom("a", "b", "app", 'we"ird', "A.b", "");
const privilege = fc.constantFrom(...PRIVILEGES);
const attributes = {
  login: fc.boolean(),
  inherit: fc.boolean(),
  createdb: fc.boolean(),
  createrole: fc.boolean(),
  replication: fc.boolean(),
  bypassrls: fc.boolean(),
  connectionLimit: fc.integer({ min: -1, max: 3 }),
};

const grant = fc.record(
  {
    database: word,
    schema: word,
    table: word,
    allTables: fc.boolean(),
    privileges: fc.uniqueArray(privilege, { minLength: 1, maxLength: 4 }),
  },
  { requiredKeys: ["privileges"] },
);

const spec: fc.Arbitrary<PostgresRoleSpec> = fc.record(
  {
    server: word,
    name: word,
    ...attributes,
    validUntil: fc.constantFrom("2030-01-01T00:00:00Z", "2030-01-01T01:00:00.5+01:00"),
    passwordFrom: fc.record({ secret: word, key: word }),
    memberOf: fc.array(word, { maxLength: 3 }),
    grants: fc.array(grant, { maxLength: 5 }),
  },
  {
    requiredKeys: [
      "server",
      "login",
      "inherit",
      "createdb",
      "createrole",
      "replication",
      "bypassrls",
      "connectionLimit",
      "memberOf",
      "grants",
    ],
  },
);

const held = fc.record({ privilege, grantable: fc.boolean(), grantor: word });
const objects: fc.Arbitrary<ObjectFacts[]> = fc.uniqueArray(
  fc
    .record({
      database: word,
      schema: fc.option(word, { nil: undefined }),
      table: fc.option(word, { nil: undefined }),
      owner: word,
      held: fc.array(held, { maxLength: 4 }),
    })
    .map(({ database, schema, table, owner, held: has }) => ({
      database,
      ...(schema === undefined ? {} : { schema }),
      ...(schema === undefined || table === undefined ? {} : { table }),
      owner,
      held: has,
    })),
  { maxLength: 8, selector: ({ database, schema, table }) => JSON.stringify([database, schema, table]) },
);

const comment = fc.constantFrom(
  null,
  "a role of ours",
  "setpoint:{",
  "setpoint:[1]",
  formatMark({ installation: "here", uid: "mine", name: "ns/x" }),
  formatMark({ installation: "here", uid: "other", name: "ns/y" }),
  formatMark({ installation: "elsewhere", uid: "mine", name: "ns/z" }),
);

const look: fc.Arbitrary<RoleLook> = fc.record(
  {
    server: fc.record({
      versionNumber: fc.constantFrom(150004, 160001, 180004),
      version: fc.constant("18.4"),
      user: word,
      superuser: fc.boolean(),
      createRole: fc.boolean(),
      readsPasswords: fc.boolean(),
    }),
    role: fc.record(
      {
        ...attributes,
        validUntil: fc.constantFrom(null, "-infinity", "2030-01-01T00:00:00.000Z"),
        superuser: fc.boolean(),
        comment,
        memberOf: fc.array(fc.record({ role: word, admin: fc.boolean(), grantor: word }), { maxLength: 3 }),
        passwordMatches: fc.boolean(),
      },
      {
        requiredKeys: [
          ...(["login", "inherit", "createdb", "createrole", "replication", "bypassrls", "connectionLimit"] as const),
          ...(["validUntil", "superuser", "comment", "memberOf"] as const),
        ],
      },
    ),
    known: fc.array(fc.record({ name: word, superuser: fc.boolean() }), { maxLength: 3 }),
    objects,
    unseen: fc.array(word, { maxLength: 2 }),
    blockers: fc.array(word, { maxLength: 9 }),
  },
  { requiredKeys: ["server", "known", "objects", "unseen", "blockers"] },
);

const resource: fc.Arbitrary<Resource<PostgresRoleSpec>> = fc.record({ spec, adopt: fc.boolean() }).map(({ spec: intent, adopt }) => ({
  kind: "PostgresRole",
  metadata: { name: "x", namespace: "ns", uid: "mine", resourceVersion: "1", generation: 1, creationTimestamp: "2026-01-01T00:00:00.000Z" },
  spec: intent,
  control: { ...DEFAULT_CONTROL, adopt },
}));

const observed: fc.Arbitrary<Observed> = fc.record({
  look,
  database: word,
  server: word,
  holderGone: fc.boolean(),
  installation: fc.constant("here"),
});

export const inputs: fc.Arbitrary<PlanInput<PostgresRoleSpec, Observed>> = fc.record({
  resource,
  observed,
  now: fc.nat(),
  deleting: fc.boolean(),
});
