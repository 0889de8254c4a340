import { z } from "zod";
import { SetpointError } from "@/lib/errors";
import type { Session } from "./connections";
import { formatMark, type Mark, parseMark } from "./mark";
import type { RoleChange, ServerFacts, Target } from "./model";
import { makeVerifier, passwordDigest } from "./password";
import { select, selectServer } from "./server";
import { attributesSql, grantSql, joinSql, leaveSql, plainIdentifier, quoteIdentifier, quoteLiteral } from "./sql";

interface Standing {
  superuser: boolean;
  comment: string | null;
}

const standingRow: z.ZodType<Standing> = z.object({ superuser: z.boolean(), comment: z.string().nullable() });

/** All of a change in one transaction. A failure on the way leaves nothing: its connection, and so the transaction, is thrown away. */
export async function change(session: Session, target: Target, wanted: RoleChange, installation: string): Promise<void> {
  await session.query("BEGIN");
  const server = await selectServer(session);
  const [standing] = await select(
    session,
    standingRow,
    `select rolsuper as superuser, pg_catalog.shobj_description(oid, 'pg_authid') as comment from pg_catalog.pg_roles where rolname = $1`,
    [wanted.role],
  );
  guard(wanted, server, standing, installation);
  const statements = standing || !wanted.drop ? await statementsOf(wanted, { target, server, standing, installation }) : [];
  for (const statement of statements) await session.query(statement);
  await session.query("COMMIT");
}

/** The last look may be old: what may never be touched is checked again in the transaction that would touch it. */
function guard({ role, owner, expect, drop }: RoleChange, server: ServerFacts, standing: Standing | undefined, installation: string): void {
  const name = plainIdentifier(role);
  if (role === server.user) throw new SetpointError("NotOurs", `Role ${name} is the one Setpoint itself connects as; it is never touched`);
  if (/^pg_/.test(role)) throw new SetpointError("NotOurs", `Role ${name} belongs to the server; it is never touched`);
  if (!standing) {
    if (expect === "ours" && !drop) throw new SetpointError("TargetError", `Role ${name} has just disappeared`);
    return;
  }
  if (standing.superuser) throw new SetpointError("NotOurs", `Role ${name} is a superuser; superusers are never touched`);
  if (expect === "adopt") return;
  const mark = parseMark(standing.comment);
  if (mark?.installation === installation && mark.uid === owner.uid) return;
  throw new SetpointError("NotOurs", `Role ${name} exists and does not carry the mark of ${owner.name}`);
}

interface Circumstances {
  target: Target;
  server: ServerFacts;
  standing?: Standing;
  installation: string;
}

async function statementsOf(wanted: RoleChange, { target, server, standing, installation }: Circumstances): Promise<string[]> {
  const { role, attributes, password, owner } = wanted;
  const grants = wanted.grants.flatMap((grant) => grantSql(role, grant));
  const leave = [
    ...wanted.leave.map((from) => leaveSql(role, from, server.versionNumber, false)),
    ...wanted.unadmin.map((from) => leaveSql(role, from, server.versionNumber, true)),
  ];
  if (wanted.drop) return [...grants, `DROP ROLE ${quoteIdentifier(role)}`];
  const statements: string[] = [];
  const options = attributesSql(attributes, password === undefined ? undefined : await makeVerifier(password));
  if (!standing) statements.push(`CREATE ROLE ${quoteIdentifier(role)} ${options}`);
  else if (options !== "") statements.push(`ALTER ROLE ${quoteIdentifier(role)} ${options}`);
  const digests = password !== undefined && !server.readsPasswords;
  if (wanted.mark || digests) {
    const mark: Mark = { installation, uid: owner.uid, name: owner.name };
    const kept = parseMark(standing?.comment)?.password;
    if (digests) mark.password = await passwordDigest(password, owner.uid, target.password);
    else if (kept !== undefined && !server.readsPasswords) mark.password = kept;
    statements.push(`COMMENT ON ROLE ${quoteIdentifier(role)} IS ${quoteLiteral(formatMark(mark))}`);
  }
  return [...statements, ...leave, ...wanted.join.map((group) => joinSql(role, group)), ...grants];
}
