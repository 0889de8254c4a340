import { z } from "zod";
import type { Connections, Session } from "./connections";
import { parseMark } from "./mark";
import type { LookRequest, Membership, ObjectFacts, RoleFacts, RoleLook, ServerFacts, Target } from "./model";
import { MOST_BLOCKERS, selectBlockers, selectObjects, selectSharedBlockers } from "./objects";
import { passwordDigest, verifierMatches } from "./password";
import { readOnly, select, selectServer } from "./server";
import { plainIdentifier } from "./sql";

const roleRow = z.object({
  oid: z.coerce.number(),
  superuser: z.boolean(),
  login: z.boolean(),
  inherit: z.boolean(),
  createdb: z.boolean(),
  createrole: z.boolean(),
  replication: z.boolean(),
  bypassrls: z.boolean(),
  connectionLimit: z.number(),
  validUntil: z.string().nullable(),
  comment: z.string().nullable(),
});
const membershipRow: z.ZodType<Membership> = z.object({ role: z.string(), admin: z.boolean(), grantor: z.string() });
const knownRow = z.object({ name: z.string(), superuser: z.boolean() });
const databaseRow = z.object({
  name: z.string(),
  owner: z.string(),
  connectable: z.boolean(),
  /** The role has privileges on, or owns, something inside. */
  involved: z.boolean(),
  privilege: z.string().nullable(),
  grantable: z.boolean().nullable(),
  grantor: z.string().nullable(),
});
type DatabaseRow = z.infer<typeof databaseRow>;

interface Main {
  server: ServerFacts;
  oid: number | null;
  role?: RoleFacts;
  known: RoleLook["known"];
  databases: DatabaseRow[];
  blockers: string[];
}

/**
 * Reads a role whole. pg_shdepend, which is shared by all databases, says in which of them the role holds anything, so only those and
 * the declared ones are connected to: an undeclared grant is found in any database without visiting all of them.
 */
export async function look(connections: Connections, target: Target, request: LookRequest, signal: AbortSignal): Promise<RoleLook> {
  const objects: ObjectFacts[] = [];
  const blockers: string[] = [];
  const inside = async (session: Session, database: string, oid: number | null) => {
    objects.push(...(await selectObjects(session, database, oid, request)));
    if (request.forDrop && oid !== null) blockers.push(...(await selectBlockers(session, database, oid)));
  };
  const main = await connections.use(target, target.database, signal, (session) =>
    readOnly(session, async () => {
      const found = await selectMain(session, target, request);
      await inside(session, target.database, found.oid);
      return found;
    }),
  );
  const unseen: string[] = [];
  const declared = new Set([...request.objects, ...request.schemas].filter((o) => o.schema !== undefined).map((o) => o.database));
  const names = [...new Set(main.databases.map((row) => row.name))].sort();
  for (const name of names) {
    const row = main.databases.find((candidate) => candidate.name === name);
    if (!row || name === target.database || !(row.involved || declared.has(name))) continue;
    // A declared one is tried all the same: the server's refusal is the better message.
    if (!row.connectable && !declared.has(name)) unseen.push(name);
    else await connections.use(target, name, signal, (session) => readOnly(session, () => inside(session, name, main.oid)));
  }
  return {
    server: main.server,
    ...(main.role ? { role: main.role } : {}),
    known: main.known,
    objects: [...databasesOf(main.databases), ...objects],
    unseen,
    blockers: [
      ...main.blockers,
      ...blockers,
      ...(request.forDrop ? unseen.map((name) => `something in database ${plainIdentifier(name)}, which cannot be connected to`) : []),
    ].slice(0, MOST_BLOCKERS),
  };
}

async function selectMain(session: Session, target: Target, request: LookRequest): Promise<Main> {
  const server = await selectServer(session);
  const [found] = await select(session, roleRow, ROLE, [request.role]);
  const oid = found?.oid ?? null;
  const memberOf = await select(session, membershipRow, MEMBERSHIPS, [oid]);
  const known = await select(
    session,
    knownRow,
    "select rolname as name, rolsuper as superuser from pg_catalog.pg_roles where rolname = any($1::text[]) order by 1",
    [request.roles],
  );
  const wanted = [...request.objects, ...request.schemas].map((object) => object.database);
  const databases = await select(session, databaseRow, DATABASES, [oid, [...wanted, target.database]]);
  const blockers = request.forDrop && oid !== null ? await selectSharedBlockers(session, oid) : [];
  if (!found) return { server, oid, known, databases, blockers };
  const { oid: _oid, ...facts } = found;
  const matches = await comparePassword(session, server, target, request, found);
  const role: RoleFacts = { ...facts, memberOf, ...(matches === undefined ? {} : { passwordMatches: matches }) };
  return { server, oid, role, known, databases, blockers };
}

async function comparePassword(
  session: Session,
  server: ServerFacts,
  target: Target,
  { password, uid, role }: LookRequest,
  { comment }: { comment: string | null },
): Promise<boolean | undefined> {
  if (password === undefined) return undefined;
  if (!server.readsPasswords) return parseMark(comment)?.password === (await passwordDigest(password, uid, target.password));
  const [row] = await select(
    session,
    z.object({ verifier: z.string().nullable() }),
    "select rolpassword as verifier from pg_catalog.pg_authid where rolname = $1",
    [role],
  );
  return verifierMatches(row?.verifier ?? null, password);
}

function databasesOf(rows: DatabaseRow[]): ObjectFacts[] {
  const found = new Map<string, ObjectFacts>();
  for (const { name, owner, privilege, grantable, grantor } of rows) {
    const facts = found.get(name) ?? { database: name, owner, held: [] };
    found.set(name, facts);
    if (privilege !== null) facts.held.push({ privilege, grantable: grantable === true, grantor: grantor ?? "" });
  }
  return [...found.values()];
}

const ROLE = `select r.oid, rolsuper as superuser, rolcanlogin as login, rolinherit as inherit, rolcreatedb as createdb,
    rolcreaterole as createrole, rolreplication as replication, rolbypassrls as bypassrls, rolconnlimit as "connectionLimit",
    case when rolvaliduntil = 'infinity' then null when rolvaliduntil = '-infinity' then '-infinity'
      else to_char(rolvaliduntil at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end as "validUntil",
    pg_catalog.shobj_description(r.oid, 'pg_authid') as comment
  from pg_catalog.pg_roles r where rolname = $1`;

const MEMBERSHIPS = `select g.rolname as role, m.admin_option as admin, coalesce(by.rolname, '') as grantor
  from pg_catalog.pg_auth_members m join pg_catalog.pg_roles g on g.oid = m.roleid
  left join pg_catalog.pg_roles by on by.oid = m.grantor where m.member = $1::oid order by 1, 3`;

const DATABASES = `with inside as (select distinct dbid from pg_catalog.pg_shdepend
    where refclassid = 'pg_catalog.pg_authid'::regclass and refobjid = $1::oid and dbid <> 0)
  select d.datname as name, pg_catalog.pg_get_userbyid(d.datdba) as owner,
    d.datallowconn and pg_catalog.has_database_privilege(d.oid, 'CONNECT') as connectable,
    d.oid in (select dbid from inside) as involved,
    a.privilege_type as privilege, a.is_grantable as grantable, pg_catalog.pg_get_userbyid(a.grantor) as grantor
  from pg_catalog.pg_database d
  left join lateral (select * from pg_catalog.aclexplode(d.datacl) x where x.grantee = $1::oid and d.datdba <> $1::oid) a on true
  where d.datname = any($2::text[]) or a.grantee is not null or d.oid in (select dbid from inside)
  order by 1, 5, 7`;
