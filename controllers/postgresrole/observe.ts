import { z } from "zod";
import type { BaseContext, ObserveContext } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { accountOf, addressSchema, type Postgres, parseMark, type RoleLook, type Target } from "@/lib/providers/postgres";
import type { Resource } from "@/lib/resource";
import type { PostgresRoleSpec } from "./schema";

export const KIND = "PostgresRole";

export interface Observed {
  look: RoleLook;
  /** The database the server is connected to: where grants are that name none. */
  database: string;
  /** For messages: the PostgresServer's name. */
  server: string;
  /** When another resource of this installation marked the role: whether that resource is known to be gone. */
  holderGone: boolean;
  /** Our own installation, part of our marks. */
  installation: string;
}

/** The name on the server. */
export function roleName(resource: Resource<PostgresRoleSpec>): string {
  return resource.spec.name ?? resource.metadata.name;
}

/** Where the role's server is, with its password. Throws DependencyNotReady naming what is missing. */
export async function findTarget(resource: Resource<PostgresRoleSpec>, context: BaseContext): Promise<Target> {
  const { server } = resource.spec;
  const missing = (message: string, wakeOn: string) => new SetpointError("DependencyNotReady", message, { wakeOn });
  const found = await context.lookup("PostgresServer", server);
  if (!found) throw missing(`PostgresServer ${server} does not exist`, `PostgresServer/${server} is created`);
  const deleting = resource.metadata.deletionTimestamp !== undefined;
  if (found.metadata.deletionTimestamp !== undefined && !deleting)
    throw missing(`PostgresServer ${server} is being deleted`, `PostgresServer/${server} is created anew`);
  const parsed = addressSchema.safeParse(found.spec);
  if (!parsed.success)
    throw missing(`PostgresServer ${server} cannot be used: ${z.prettifyError(parsed.error)}`, `PostgresServer/${server} is corrected`);
  const { passwordFrom, ...address } = parsed.data;
  const password = passwordFrom && (await context.secret(passwordFrom.secret, passwordFrom.key));
  return { ...address, ...(password === undefined ? {} : { password }) };
}

/** The account that all calls for this role go to; undefined while it is not known. Needs no password. */
export async function accountFor(
  { spec }: Resource<PostgresRoleSpec>,
  { lookup }: Pick<BaseContext, "lookup">,
): Promise<string | undefined> {
  const address = addressSchema.safeParse((await lookup("PostgresServer", spec.server))?.spec);
  return address.success ? accountOf(address.data) : undefined;
}

/** The role's own password; undefined when none is declared. */
export async function wishedPassword({ spec }: Resource<PostgresRoleSpec>, context: BaseContext): Promise<string | undefined> {
  if (!spec.passwordFrom) return undefined;
  const { secret, key } = spec.passwordFrom;
  const password = await context.secret(secret, key);
  if (password === "" || password.includes("\0"))
    throw new SetpointError("InvalidSpec", `Secret ${secret}, key ${key}: cannot be a password`);
  return password;
}

/** Reads the role, its memberships and privileges. Writes nothing. */
export async function observe(postgres: Postgres, resource: Resource<PostgresRoleSpec>, context: ObserveContext): Promise<Observed> {
  const { spec, metadata } = resource;
  const target = await findTarget(resource, context);
  const forDrop = metadata.deletionTimestamp !== undefined;
  // A secret that is gone must not keep a role from being dropped, nor need what was declared still exist.
  const password = forDrop ? undefined : await wishedPassword(resource, context);
  const grants = forDrop ? [] : spec.grants.map((grant) => ({ ...grant, database: grant.database ?? target.database }));
  const look = await postgres.look(
    target,
    {
      role: roleName(resource),
      roles: forDrop ? [] : spec.memberOf,
      objects: grants.map(({ database, schema, table }) => ({ database, schema, table })),
      schemas: grants.flatMap(({ database, schema, allTables }) => (allTables && schema !== undefined ? [{ database, schema }] : [])),
      forDrop,
      uid: metadata.uid,
      ...(password === undefined ? {} : { password }),
    },
    { signal: context.signal },
  );
  const holderGone = await isHolderGone(look, resource, context);
  return { look, database: target.database, server: spec.server, holderGone, installation: context.installation };
}

/** Only what can be looked up counts as gone; another namespace's objects cannot. */
async function isHolderGone(look: RoleLook, { metadata }: Resource<unknown>, context: ObserveContext): Promise<boolean> {
  const mark = parseMark(look.role?.comment);
  if (!mark || mark.uid === metadata.uid || mark.installation !== context.installation) return false;
  const [namespace, name, ...rest] = mark.name.split("/");
  if (namespace !== metadata.namespace || name === undefined || rest.length > 0) return false;
  return (await context.lookup(KIND, name))?.metadata.uid !== mark.uid;
}
