import { type GrantChange, type Held, type ObjectFacts, type ObjectName, objectText } from "@/lib/providers/postgres";
import { type Comparison, compareField } from "@/lib/resource";
import { spellOut } from "./privileges";
import type { Grant } from "./schema";

export interface GrantComparison {
  fields: Comparison[];
  changes: GrantChange[];
  /** Declared objects that do not exist, as texts. */
  missing: string[];
}

interface Wish {
  on: ObjectName;
  explicit: boolean;
  privileges: Set<string>;
}

interface Facts {
  role: string;
  /** Who we are connected as: what we gave we take back in our own name. */
  user: string;
  versionNumber: number;
  database: string;
  objects: readonly ObjectFacts[];
}

/**
 * Declared against held, object by object. Only what the role holds itself counts: what PUBLIC, another role or ownership gives is not
 * in `held`, and on what the role owns there is nothing to give. The right to hand a privilege on is never declared, so it is drift.
 */
export function compareGrants(grants: readonly Grant[], facts: Facts): GrantComparison {
  const found = new Map(facts.objects.map((object) => [objectText(object), object]));
  const wishes = new Map<string, Wish>();
  const wish = (on: ObjectName, privileges: string[], explicit: boolean) => {
    const key = objectText(on);
    const known = wishes.get(key) ?? { on, explicit: false, privileges: new Set() };
    for (const privilege of privileges) known.privileges.add(privilege);
    known.explicit ||= explicit;
    wishes.set(key, known);
  };
  const wide = new Map<string, { of: ObjectName; privileges: Set<string> }>();
  for (const grant of grants) {
    const { database = facts.database, schema, table, allTables } = grant;
    const privileges = spellOut(grant.privileges, grant, facts.versionNumber);
    if (!allTables || schema === undefined) {
      const on = { database, ...(schema === undefined ? {} : { schema }), ...(table === undefined ? {} : { table }) };
      wish(on, privileges, true);
      continue;
    }
    const of = { database, schema };
    const all = wide.get(objectText(of)) ?? { of, privileges: new Set() };
    for (const privilege of privileges) all.privileges.add(privilege);
    wide.set(objectText(of), all);
    for (const object of tablesOf(facts.objects, of)) wish(object, privileges, false);
  }

  const fields: Comparison[] = [];
  const changes: GrantChange[] = [];
  for (const [key, { of, privileges }] of wide) fields.push(wideField(key, of, [...privileges].sort(), facts));
  for (const key of [...new Set([...wishes.keys(), ...found.keys()])].sort()) {
    const object = found.get(key);
    const wished = wishes.get(key);
    const on = object ?? wished?.on;
    if (!on) continue;
    const field = objectField(key, wished, object, facts.role);
    const excess = object?.held.some((held) => held.grantable || !wished?.privileges.has(held.privilege));
    if (wished?.explicit || excess) fields.push(field);
    if (object) changes.push(...changesOf(object, wished, facts));
  }
  const absent = (key: string) => !found.has(key);
  const missing = [...[...wishes.keys()].filter(absent), ...[...wide.keys()].filter(absent)];
  return { fields, changes: order(changes), missing: [...new Set(missing)].sort() };
}

function tablesOf(objects: readonly ObjectFacts[], { database, schema }: ObjectName): ObjectName[] {
  return objects
    .filter((object) => object.table !== undefined && object.database === database && object.schema === schema)
    .map((object) => ({ database: object.database, schema: object.schema, table: object.table }));
}

/** One line for a whole schema: how many of its tables have what every table is to have. */
function wideField(key: string, of: ObjectName, privileges: string[], facts: Facts): Comparison {
  const tables = facts.objects.filter((o) => o.table !== undefined && o.database === of.database && o.schema === of.schema);
  const there = tables.filter(({ owner, held }) => owner === facts.role || privileges.every((p) => held.some((h) => h.privilege === p)));
  const exists = facts.objects.some((object) => objectText(object) === key);
  const actual = exists ? { privileges, tables: there.length } : undefined;
  return compareField(`spec.grants[${key}.*]`, { privileges, tables: tables.length }, actual);
}

const heldText = ({ privilege, grantable }: Held) => (grantable ? `${privilege} WITH GRANT OPTION` : privilege);

function objectField(key: string, wished: Wish | undefined, object: ObjectFacts | undefined, role: string): Comparison {
  const path = `spec.grants[${key}]`;
  const desired = wished ? [...wished.privileges].sort() : undefined;
  if (!object) return compareField(path, desired, undefined, "does not exist");
  if (object.owner === role) return compareField(path, desired, desired, "owned by the role");
  const actual = [...new Set(object.held.map(heldText))].sort();
  return compareField(path, desired, actual.length === 0 ? undefined : actual);
}

function changesOf(object: ObjectFacts, wished: Wish | undefined, { role, user }: Facts): GrantChange[] {
  if (object.owner === role) return [];
  const { owner, held, ...on } = object;
  const desired = wished?.privileges ?? new Set<string>();
  const missing = [...desired].filter((privilege) => !held.some((have) => have.privilege === privilege)).sort();
  const changes: GrantChange[] = missing.length === 0 ? [] : [{ do: "grant", privileges: missing, ...on }];
  for (const grantor of [...new Set(held.map((have) => have.grantor))].sort()) {
    // A grant by the owner is taken back in the owner's name by itself.
    const as = grantor === owner || grantor === user ? {} : { as: grantor };
    const by = held.filter((have) => have.grantor === grantor);
    const undeclared = by.filter((have) => !desired.has(have.privilege)).map((have) => have.privilege);
    const handed = by.filter((have) => desired.has(have.privilege) && have.grantable).map((have) => have.privilege);
    if (undeclared.length > 0) changes.push({ do: "revoke", privileges: [...new Set(undeclared)].sort(), ...on, ...as });
    if (handed.length > 0) changes.push({ do: "revokeOption", privileges: [...new Set(handed)].sort(), ...on, ...as });
  }
  return changes;
}

/** Rights are taken away before new ones are given. */
function order(changes: GrantChange[]): GrantChange[] {
  return [...changes.filter((change) => change.do !== "grant"), ...changes.filter((change) => change.do === "grant")];
}

/** `grant SELECT on app.public.orders` */
export function grantWords({ do: what, privileges, ...on }: GrantChange): string {
  if (what === "grant") return `grant ${privileges.join(", ")} on ${objectText(on)}`;
  return `revoke ${what === "revokeOption" ? "the grant option of " : ""}${privileges.join(", ")} on ${objectText(on)}`;
}
