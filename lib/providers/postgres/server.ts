import { z } from "zod";
import type { Session } from "./connections";
import type { ServerFacts } from "./model";

const row = z.object({
  versionNumber: z.coerce.number(),
  version: z.string(),
  user: z.string(),
  superuser: z.boolean(),
  createRole: z.boolean(),
  readsPasswords: z.boolean(),
});

/** Reads rows of a shape that is checked, not believed. */
export async function select<T>(session: Session, shape: z.ZodType<T>, text: string, values: unknown[] = []): Promise<T[]> {
  const { rows } = await session.query(text, values);
  return z.array(shape).parse(rows);
}

/** Runs `work` in one read-only snapshot. On failure the connection is thrown away, and the transaction with it. */
export async function readOnly<T>(session: Session, work: () => Promise<T>): Promise<T> {
  await session.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
  const result = await work();
  await session.query("COMMIT");
  return result;
}

/** Version and own rights. */
export async function selectServer(session: Session): Promise<ServerFacts> {
  const [facts] = await select(
    session,
    row,
    `select current_setting('server_version_num') as "versionNumber", split_part(current_setting('server_version'), ' ', 1) as version,
       rolname as "user", rolsuper as superuser, rolcreaterole as "createRole",
       has_table_privilege('pg_catalog.pg_authid', 'SELECT') as "readsPasswords"
     from pg_catalog.pg_roles where rolname = session_user`,
  );
  if (!facts) throw new TypeError("the server does not know its own session's role");
  return facts;
}

export function readServer(session: Session): Promise<ServerFacts> {
  return readOnly(session, () => selectServer(session));
}
