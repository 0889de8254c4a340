import { type Controller, defineController, type Kind, type ObserveContext } from "@/lib/controller";
import { type Reason, SetpointError } from "@/lib/errors";
import { type Address, accountOf, addressSchema, identifierFault, type Postgres, type ServerFacts } from "@/lib/providers/postgres";
import type { ConditionReport, Resource } from "@/lib/resource";

/** Name, schema and words of the kind. */
export const kind: Kind<Address> = {
  name: "PostgresServer",
  plural: "postgresservers",
  singular: "postgresserver",
  shortNames: ["pgs"],
  description: "A PostgreSQL server that roles are managed on: where it is and how to sign in.",
  schema: addressSchema,
  columns: [
    { name: "Host", path: "spec.host" },
    { name: "Port", path: "spec.port" },
    { name: "Version", path: "status.observed.version" },
    { name: "User", path: "spec.user", priority: 1 },
  ],
  example: { host: "127.0.0.1", port: 5432, user: "postgres", passwordFrom: { secret: "postgres", key: "password" } },
  references: ({ passwordFrom }) =>
    passwordFrom ? [{ kind: "Secret", name: passwordFrom.secret, field: "spec.passwordFrom.secret" }] : [],
  check: ({ user, database }) =>
    Object.entries({ user, database }).flatMap(([field, name]) => {
      const message = identifierFault(name);
      return message === undefined ? [] : [{ field, message }];
    }),
  resyncMs: 15_000,
  observeTimeoutMs: 8_000,
};

/** What was seen, or why nothing was; empty once it is being deleted, when nothing has to be. */
interface Observed {
  facts?: ServerFacts;
  failure?: { reason: Reason; message: string };
}

async function observe(postgres: Postgres, { spec, metadata }: Resource<Address>, context: ObserveContext): Promise<Observed> {
  // Nothing of ours is out there, so a server that is gone must not keep its record.
  if (metadata.deletionTimestamp !== undefined) return {};
  const { passwordFrom, ...address } = spec;
  const password = passwordFrom && (await context.secret(passwordFrom.secret, passwordFrom.key));
  try {
    return { facts: await postgres.server({ ...address, password }, { signal: context.signal }) };
  } catch (thrown) {
    if (context.signal.aborted || !(thrown instanceof SetpointError)) throw thrown;
    // That a server does not answer is what there is to see of it: it is reported as a condition, and as the pass's failure.
    return { failure: { reason: thrown.reason, message: thrown.message } };
  }
}

function conditionsOf({ superuser, createRole, user, version }: ServerFacts): ConditionReport[] {
  const able = superuser || createRole;
  return [
    { type: "Available", status: "True", reason: "Answers", message: `PostgreSQL ${version} answers` },
    {
      type: "ManagesRoles",
      status: able ? "True" : "False",
      reason: superuser ? "Superuser" : createRole ? "CreateRole" : "NoRights",
      message: able
        ? `${user} may manage roles${superuser ? "" : ", within what CREATEROLE allows"}`
        : `${user} is neither superuser nor has CREATEROLE: roles cannot be managed`,
    },
  ];
}

/** The kind over real servers. Looks only; there is nothing to bring about. */
export default function postgresServer({ postgres }: { postgres: Postgres }): Controller<Address, Observed> {
  return defineController({
    kind,
    observe: (resource, context) => observe(postgres, resource, context),
    // One that is being deleted is not called any more.
    target: async ({ spec, metadata }) => (metadata.deletionTimestamp === undefined ? accountOf(spec) : undefined),
    plan: ({ observed: { facts, failure } }) => {
      if (failure) {
        const conditions: ConditionReport[] = [{ type: "Available", status: "False", ...failure }];
        return { fields: [], actions: [], conditions, blocked: new SetpointError(failure.reason, failure.message) };
      }
      if (!facts) return { fields: [], actions: [], conditions: [] };
      const { version, user, superuser, createRole } = facts;
      return { fields: [], actions: [], conditions: conditionsOf(facts), observed: { version, user, superuser, createRole } };
    },
    apply: async () => undefined,
  });
}
