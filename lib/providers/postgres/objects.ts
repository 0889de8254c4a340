import { z } from "zod";
import type { Session } from "./connections";
import type { LookRequest, ObjectFacts } from "./model";
import { select } from "./server";
import { plainIdentifier } from "./sql";

/** What a message about a blocked drop lists at most. */
export const MOST_BLOCKERS = 20;

const objectRow = z.object({
  schema: z.string(),
  table: z.string().nullable(),
  owner: z.string(),
  privilege: z.string().nullable(),
  grantable: z.boolean().nullable(),
  grantor: z.string().nullable(),
});

/** Schemas and tables of the connected database: those asked about and those on which the role (by oid; null: none yet) holds privileges. */
export async function selectObjects(
  session: Session,
  database: string,
  oid: number | null,
  request: Pick<LookRequest, "objects" | "schemas">,
): Promise<ObjectFacts[]> {
  const here = request.objects.filter((object) => object.database === database);
  const whole = request.schemas.filter((object) => object.database === database).map(({ schema }) => schema);
  const schemas = [...whole, ...here.map(({ schema }) => schema).filter((schema) => schema !== undefined)];
  const tables = here.filter(({ table }) => table !== undefined);
  const rows = [
    ...(await select(session, objectRow, SCHEMAS, [oid, schemas])),
    ...(await select(session, objectRow, TABLES, [oid, whole, tables.map((o) => o.schema), tables.map((o) => o.table)])),
  ];
  const found = new Map<string, ObjectFacts>();
  for (const { schema, table, owner, privilege, grantable, grantor } of rows) {
    const key = JSON.stringify([schema, table]);
    const facts = found.get(key) ?? { database, schema, ...(table === null ? {} : { table }), owner, held: [] };
    found.set(key, facts);
    if (privilege !== null) facts.held.push({ privilege, grantable: grantable === true, grantor: grantor ?? "" });
  }
  return [...found.values()];
}

/** What the role owns in the connected database, and privileges on things that grants do not cover. */
export async function selectBlockers(session: Session, database: string, oid: number): Promise<string[]> {
  const rows = await select(session, blockerRow, BLOCKERS, [oid, MOST_BLOCKERS]);
  return rows.map(({ what, how }) => `${how} ${what} in database ${plainIdentifier(database)}`);
}

/** As `selectBlockers`, for what belongs to the whole server. */
export async function selectSharedBlockers(session: Session, oid: number): Promise<string[]> {
  const rows = await select(session, blockerRow, SHARED_BLOCKERS, [oid, MOST_BLOCKERS]);
  return rows.map(({ what, how }) => `${how} ${what}`);
}

const blockerRow = z.object({ what: z.string(), how: z.string() });

const ACL = `left join lateral (select * from pg_catalog.aclexplode(acl) x where x.grantee = $1::oid and owner_oid <> $1::oid) a on true`;
const HELD = `a.privilege_type as privilege, a.is_grantable as grantable, pg_catalog.pg_get_userbyid(a.grantor) as grantor`;

const SCHEMAS = `select s.name as schema, null::text as "table", pg_catalog.pg_get_userbyid(owner_oid) as owner, ${HELD}
  from (select nspname as name, nspowner as owner_oid, nspacl as acl from pg_catalog.pg_namespace where nspname !~ '^pg_(toast|temp)') s ${ACL}
  where a.grantee is not null or s.name = any($2::text[]) order by 1, 4, 6`;

const TABLES = `select t.schema, t.name as "table", pg_catalog.pg_get_userbyid(owner_oid) as owner, ${HELD}
  from (select n.nspname as schema, c.relname as name, c.relowner as owner_oid, c.relacl as acl
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname !~ '^pg_(toast|temp)'
      and (c.relacl is not null or n.nspname = any($2::text[] || $3::text[]))) t ${ACL}
  where a.grantee is not null or t.schema = any($2::text[])
    or (t.schema, t.name) in (select * from unnest($3::text[], $4::text[]))
  order by 1, 2, 4, 6`;

const HOW = `case deptype when 'o' then 'owner of' when 'r' then 'named in' else 'privileges on' end as how`;
const OF_ROLE = `refclassid = 'pg_catalog.pg_authid'::regclass and refobjid = $1::oid`;

const BLOCKERS = `select pg_catalog.pg_describe_object(classid, objid, objsubid) as what, ${HOW}
  from pg_catalog.pg_shdepend d
  where ${OF_ROLE} and dbid = (select oid from pg_catalog.pg_database where datname = current_database())
    and not (deptype = 'a' and objsubid = 0 and (classid = 'pg_catalog.pg_namespace'::regclass
      or exists (select from pg_catalog.pg_class c where classid = 'pg_catalog.pg_class'::regclass and c.oid = objid
        and c.relkind in ('r', 'p', 'v', 'm', 'f'))))
  order by 2, 1 limit $2`;

const SHARED_BLOCKERS = `select pg_catalog.pg_describe_object(classid, objid, objsubid) as what, ${HOW}
  from pg_catalog.pg_shdepend
  where ${OF_ROLE} and dbid = 0 and classid <> 'pg_catalog.pg_auth_members'::regclass
    and not (deptype = 'a' and classid = 'pg_catalog.pg_database'::regclass)
  order by 2, 1 limit $2`;
