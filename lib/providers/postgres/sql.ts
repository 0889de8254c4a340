import pg from "pg";
import type { Attributes, GrantChange, Membership, ObjectName } from "./model";

/** Longer names are cut by the server, and would then be another's. */
export const IDENTIFIER_BYTES = 63;

/** Undefined when a server can hold this name as it is, else the sentence that says why not. */
export function identifierFault(name: string): string | undefined {
  if (name === "") return "must not be empty";
  if (Buffer.byteLength(name) > IDENTIFIER_BYTES) return `must be no more than ${IDENTIFIER_BYTES} bytes`;
  if (name.includes("\0") || Buffer.from(name).toString() !== name) return "must be text that a server can store";
  return undefined;
}

/** The only two ways a string gets into a statement. */
export const quoteIdentifier = (name: string) => pg.escapeIdentifier(name);
export const quoteLiteral = (text: string) => pg.escapeLiteral(text);

/** A name for people: quoted only when it would be misread. */
export function plainIdentifier(name: string): string {
  return /^[a-z_][a-z0-9_$-]*$/.test(name) ? name : quoteIdentifier(name);
}

/** `app`, `app.public`, `app.public.orders`: one text per object. */
export function objectText({ database, schema, table }: ObjectName): string {
  return [database, schema, table]
    .filter((part) => part !== undefined)
    .map(plainIdentifier)
    .join(".");
}

const FLAGS = ["login", "inherit", "createdb", "createrole", "replication", "bypassrls"] as const;

/** The options of CREATE ROLE and ALTER ROLE. Only what is given: naming an unchanged one may need rights that changing others does not. */
export function attributesSql(attributes: Partial<Attributes>, verifier?: string): string {
  const parts: string[] = FLAGS.filter((flag) => attributes[flag] !== undefined).map((flag) =>
    (attributes[flag] ? flag : `no${flag}`).toUpperCase(),
  );
  if (attributes.connectionLimit !== undefined) parts.push(`CONNECTION LIMIT ${Math.trunc(attributes.connectionLimit)}`);
  if (attributes.validUntil !== undefined) parts.push(`VALID UNTIL ${quoteLiteral(attributes.validUntil ?? "infinity")}`);
  if (verifier !== undefined) parts.push(`PASSWORD ${quoteLiteral(verifier)}`);
  return parts.join(" ");
}

function privilegesSql(privileges: readonly string[]): string {
  // Privileges come from fixed lists; whatever else is refused here and not by the server.
  for (const privilege of privileges) if (!/^[A-Z]+$/.test(privilege)) throw new TypeError("not a privilege");
  return privileges.join(", ");
}

function onSql({ database, schema, table }: ObjectName): string {
  if (schema === undefined) return `DATABASE ${quoteIdentifier(database)}`;
  if (table === undefined) return `SCHEMA ${quoteIdentifier(schema)}`;
  return `TABLE ${quoteIdentifier(schema)}.${quoteIdentifier(table)}`;
}

/** One grant or revoke; another's grant is revoked in that other's name, as only its giver can take it back. */
export function grantSql(role: string, change: GrantChange): string[] {
  const privileges = privilegesSql(change.privileges);
  const grantee = quoteIdentifier(role);
  if (change.do === "grant") return [`GRANT ${privileges} ON ${onSql(change)} TO ${grantee}`];
  const option = change.do === "revokeOption" ? "GRANT OPTION FOR " : "";
  const revoke = `REVOKE ${option}${privileges} ON ${onSql(change)} FROM ${grantee}`;
  if (change.as === undefined) return [revoke];
  return [`SET LOCAL ROLE ${quoteIdentifier(change.as)}`, revoke, "RESET ROLE"];
}

export function joinSql(role: string, group: string): string {
  return `GRANT ${quoteIdentifier(group)} TO ${quoteIdentifier(role)}`;
}

/** Since 16 a membership has one row per giver, and only that giver's is taken away. */
export function leaveSql(role: string, from: Membership, versionNumber: number, adminOnly: boolean): string {
  const by = versionNumber >= 160000 ? ` GRANTED BY ${quoteIdentifier(from.grantor)}` : "";
  return `REVOKE ${adminOnly ? "ADMIN OPTION FOR " : ""}${quoteIdentifier(from.role)} FROM ${quoteIdentifier(role)}${by}`;
}
