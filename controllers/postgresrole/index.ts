import { type Controller, defineController, type Kind } from "@/lib/controller";
import type { Postgres } from "@/lib/providers/postgres";
import { apply } from "./apply";
import { accountFor, type Observed, observe } from "./observe";
import { plan, type RoleAction } from "./plan";
import { check, type PostgresRoleSpec, schema } from "./schema";

/** Name, schema and words of the kind. */
export const kind: Kind<PostgresRoleSpec> = {
  name: "PostgresRole",
  plural: "postgresroles",
  singular: "postgresrole",
  shortNames: ["pgr"],
  description: "A role of a PostgreSQL server, with its attributes, memberships and its own privileges on databases, schemas and tables.",
  schema,
  columns: [
    { name: "Server", path: "spec.server" },
    { name: "Login", path: "spec.login" },
    { name: "Member of", path: "spec.memberOf", priority: 1 },
    { name: "Valid until", path: "spec.validUntil", priority: 1 },
  ],
  example: {
    server: "main",
    login: true,
    grants: [
      { database: "app", privileges: ["CONNECT"] },
      { database: "app", schema: "public", privileges: ["USAGE"] },
      { database: "app", schema: "public", table: "orders", privileges: ["SELECT"] },
    ],
  },
  immutable: ["server", "name"],
  references: ({ server, passwordFrom }) => [
    { kind: "PostgresServer", name: server, field: "spec.server" },
    ...(passwordFrom ? [{ kind: "Secret", name: passwordFrom.secret, field: "spec.passwordFrom.secret" }] : []),
  ],
  // That two PostgresServers are one server only a look can tell, by the mark on the role.
  claims: ({ namespace, name, spec }) => [
    { text: `role:${namespace}/${spec.server}:${spec.name ?? name}`, field: spec.name === undefined ? "metadata.name" : "spec.name" },
  ],
  check,
  resyncMs: 30_000,
  observeTimeoutMs: 15_000,
};

/** The kind over real servers. */
export default function postgresRole({ postgres }: { postgres: Postgres }): Controller<PostgresRoleSpec, Observed, RoleAction> {
  return defineController({
    kind,
    observe: (resource, context) => observe(postgres, resource, context),
    target: accountFor,
    plan,
    apply: (action, resource, context) => apply(postgres, action, resource, context),
  });
}
