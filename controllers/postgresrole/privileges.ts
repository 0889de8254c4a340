/** Every privilege a grant may name. */
export const PRIVILEGES = [
  "ALL",
  "CONNECT",
  "CREATE",
  "TEMPORARY",
  "USAGE",
  "SELECT",
  "INSERT",
  "UPDATE",
  "DELETE",
  "TRUNCATE",
  "REFERENCES",
  "TRIGGER",
  "MAINTAIN",
] as const;
export type Privilege = (typeof PRIVILEGES)[number];

interface PrivilegeType {
  word: "database" | "schema" | "table";
  /** In the order they are shown. */
  privileges: readonly Privilege[];
}

const DATABASE: PrivilegeType = { word: "database", privileges: ["CONNECT", "CREATE", "TEMPORARY"] };
const SCHEMA: PrivilegeType = { word: "schema", privileges: ["CREATE", "USAGE"] };
const TABLE: PrivilegeType = {
  word: "table",
  privileges: ["DELETE", "INSERT", "MAINTAIN", "REFERENCES", "SELECT", "TRIGGER", "TRUNCATE", "UPDATE"],
};
const MAINTAIN_SINCE = 170000;

/** What can be given on an object, by what its name consists of. */
export function privilegeType(on: { schema?: string; table?: string; allTables?: boolean }): PrivilegeType {
  if (on.table !== undefined || on.allTables) return TABLE;
  return on.schema === undefined ? DATABASE : SCHEMA;
}

/** `ALL` spelled out as this server's version means it; sorted, each once. What the version does not know stays in: the server refuses it. */
export function spellOut(
  privileges: readonly Privilege[],
  on: { schema?: string; table?: string; allTables?: boolean },
  versionNumber: number,
): string[] {
  const all = privilegeType(on).privileges.filter((privilege) => privilege !== "MAINTAIN" || versionNumber >= MAINTAIN_SINCE);
  return [...new Set(privileges.includes("ALL") ? all : privileges)].sort();
}
