import { fromIso, toIso } from "@/lib/clock";
import type { Action, Plan, PlanInput } from "@/lib/controller";
import { SetpointError } from "@/lib/errors";
import { type Attributes, type GrantChange, type Membership, plainIdentifier, type RoleChange } from "@/lib/providers/postgres";
import { type Comparison, type ConditionReport, compareField, type Json, type Resource } from "@/lib/resource";
import { compareGrants, type GrantComparison, grantWords } from "./grants";
import { type Observed, roleName } from "./observe";
import { blockOf, holderOf, isOurs } from "./ownership";
import type { PostgresRoleSpec } from "./schema";

type Input = PlanInput<PostgresRoleSpec, Observed>;

/** What one transaction does; JSON, and the password is only said to be set. */
export type RoleInput = Omit<RoleChange, "password" | "attributes"> & { attributes: { [key: string]: Json }; setPassword: boolean };
export type RoleAction = Action & { type: "Create" | "Adopt" | "Alter" | "ChangeGrants" | "RevokeGrants" | "Drop" } & { input: RoleInput };

/** A transaction stays of a size that a server digests quickly; the rest follows in the next pass. */
const MOST_CHANGES = 500;

const DEFAULTS: Attributes = {
  login: false,
  inherit: true,
  createdb: false,
  createrole: false,
  replication: false,
  bypassrls: false,
  connectionLimit: -1,
  validUntil: null,
};
const ATTRIBUTES = ["login", "inherit", "createdb", "createrole", "replication", "bypassrls", "connectionLimit", "validUntil"] as const;

function attributesOf(spec: PostgresRoleSpec): Attributes {
  const until = fromIso(spec.validUntil);
  return { ...spec, validUntil: until === undefined ? null : toIso(until) };
}

interface Differences {
  fields: Comparison[];
  attributes: { [key: string]: Json };
  setPassword: boolean;
  mark: boolean;
  join: string[];
  leave: Membership[];
  unadmin: Membership[];
  grants: GrantComparison;
  missingRoles: string[];
}

/** Declared against seen, and what would make them one. */
function compare({ resource, observed }: Input): Differences {
  const { spec } = resource;
  const { role, server, known, objects } = observed.look;
  const desired = attributesOf(spec);
  const attributes: { [key: string]: Json } = {};
  const fields: Comparison[] = [compareField("ownership", "ours", holderOf(resource, observed))];
  for (const key of ATTRIBUTES) {
    const wished = desired[key];
    fields.push(compareField(`spec.${key}`, wished ?? "never", role ? (role[key] ?? "never") : undefined));
    if (wished !== (role ?? DEFAULTS)[key]) attributes[key] = wished;
  }
  const wished = [...new Set(spec.memberOf)].sort();
  const has = role?.memberOf ?? [];
  const actual = [...new Set(has.map(({ role: group, admin }) => (admin ? `${group} WITH ADMIN OPTION` : group)))].sort();
  fields.push(compareField("spec.memberOf", wished, role ? actual : undefined));
  const setPassword = spec.passwordFrom !== undefined && role?.passwordMatches !== true;
  if (spec.passwordFrom) {
    const words = `as in Secret ${spec.passwordFrom.secret}, key ${spec.passwordFrom.key}`;
    fields.push(compareField("spec.passwordFrom", words, role ? (setPassword ? "another one" : words) : undefined));
  }
  const name = roleName(resource);
  const { user, versionNumber } = server;
  const grants = compareGrants(spec.grants, { role: name, user, versionNumber, database: observed.database, objects });
  const exists = (group: string) => known.some((candidate) => candidate.name === group);
  return {
    fields: [...fields, ...grants.fields],
    attributes,
    setPassword,
    mark: !isOurs(resource, observed),
    join: wished.filter((group) => exists(group) && !has.some((membership) => membership.role === group)),
    leave: has.filter(({ role: group }) => !wished.includes(group)),
    unadmin: has.filter(({ role: group, admin }) => wished.includes(group) && admin),
    grants,
    missingRoles: wished.filter((group) => !exists(group)),
  };
}

/** Privileges on databases belong to the server, so they go with the role itself; those inside a database need a connection to it. */
function byDatabase(changes: readonly GrantChange[], main: string): Map<string, GrantChange[]> {
  const parts = new Map<string, GrantChange[]>();
  for (const change of changes) {
    const place = change.schema === undefined ? main : change.database;
    parts.set(place, [...(parts.get(place) ?? []), change]);
  }
  return parts;
}

function inputOf(resource: Resource<PostgresRoleSpec>, database: string, part: Partial<RoleInput>): RoleInput {
  const { uid, namespace, name } = resource.metadata;
  return {
    database,
    role: roleName(resource),
    owner: { uid, name: `${namespace}/${name}` },
    expect: "ours",
    attributes: {},
    setPassword: false,
    mark: false,
    join: [],
    leave: [],
    unadmin: [],
    grants: [],
    drop: false,
    ...part,
  };
}

function sentence(words: string[]): string {
  const shown = words.slice(0, 6).join("; ");
  return words.length > 6 ? `${shown}; and ${words.length - 6} more` : shown;
}

function changeWords({ attributes, setPassword, join, leave, unadmin }: Differences): string[] {
  return [
    ...Object.entries(attributes).map(([key, value]) => `set ${key} to ${value === null ? "never" : JSON.stringify(value)}`),
    ...(setPassword ? ["set the password"] : []),
    ...leave.map(({ role }) => `end membership in ${role}`),
    ...unadmin.map(({ role }) => `take the admin option on ${role}`),
    ...join.map((group) => `make it a member of ${group}`),
  ];
}

function actionsOf(input: Input, differences: Differences): RoleAction[] {
  const { resource, observed } = input;
  const role = observed.look.role;
  const target = targetOf(resource);
  const parts = byDatabase(differences.grants.changes, observed.database);
  const here = (parts.get(observed.database) ?? []).slice(0, MOST_CHANGES);
  const { attributes, setPassword, mark, join, leave, unadmin } = differences;
  const words = [...changeWords(differences), ...here.map(grantWords)];
  const actions: RoleAction[] = [];
  if (!role || mark || words.length > 0) {
    const type = !role ? "Create" : mark ? "Adopt" : "Alter";
    const verb = { Create: "Create the role", Adopt: "Take over the role", Alter: "Correct the role" }[type];
    actions.push({
      type,
      effect: role ? "update" : "create",
      target,
      reason: { Create: "Missing", Adopt: "Adopted", Alter: "Drifted" }[type],
      message: words.length === 0 ? verb : `${verb}: ${sentence(words)}`,
      input: inputOf(resource, observed.database, {
        expect: type === "Create" ? "create" : type === "Adopt" ? "adopt" : "ours",
        ...{ attributes, setPassword, mark, join, leave, unadmin, grants: here },
      }),
    });
  }
  for (const [database, changes] of parts) {
    if (database === observed.database) continue;
    const grants = changes.slice(0, MOST_CHANGES);
    const message = `In database ${plainIdentifier(database)}: ${sentence(grants.map(grantWords))}`;
    actions.push({
      ...{ type: "ChangeGrants" as const, effect: "update" as const, target, reason: "Drifted", message },
      input: inputOf(resource, database, { grants }),
    });
  }
  return actions;
}

function targetOf(resource: Resource<PostgresRoleSpec>): string {
  return `role ${plainIdentifier(roleName(resource))} on ${resource.spec.server}`;
}

/** Privileges go first, database by database, then the role: nothing is ever dropped along with it. */
function planDeletion(input: Input): Plan<RoleAction> {
  const { resource, observed } = input;
  const nothing: Plan<RoleAction> = { fields: [], actions: [], conditions: [] };
  if (!observed.look.role || !isOurs(resource, observed) || blockOf(resource, observed)) return nothing;
  const fields = [compareField("ownership", undefined, "ours")];
  const summary = summaryOf(observed);
  const { blockers, server, objects } = observed.look;
  const name = roleName(resource);
  if (blockers.length > 0) {
    const message = `Role ${plainIdentifier(name)} cannot be dropped: it is ${sentence(blockers)}. Nothing was changed`;
    return { ...nothing, fields, observed: summary, blocked: new SetpointError("InUse", message) };
  }
  const facts = { role: name, user: server.user, versionNumber: server.versionNumber, database: observed.database, objects };
  const parts = byDatabase(compareGrants([], facts).changes, observed.database);
  const actions: RoleAction[] = [];
  const revoke = (database: string, grants: GrantChange[]): void => {
    const message = `In database ${plainIdentifier(database)}: ${sentence(grants.map(grantWords))}`;
    actions.push({
      ...{ type: "RevokeGrants" as const, effect: "update" as const, target: targetOf(resource), reason: "Deleted", message },
      input: inputOf(resource, database, { grants }),
    });
  };
  for (const [database, changes] of parts) {
    if (database !== observed.database || changes.length > MOST_CHANGES) revoke(database, changes.slice(0, MOST_CHANGES));
  }
  const here = parts.get(observed.database) ?? [];
  const grants = here.length > MOST_CHANGES ? here.slice(MOST_CHANGES) : here;
  const message = sentence([...grants.map(grantWords), `drop role ${plainIdentifier(name)}`]);
  actions.push({
    ...{ type: "Drop" as const, effect: "delete" as const, target: targetOf(resource), reason: "Deleted", message },
    input: inputOf(resource, observed.database, { grants, drop: true }),
  });
  return { ...nothing, fields, actions, observed: summary };
}

function summaryOf({ look: { server, role, unseen } }: Observed): Json {
  return {
    serverVersion: server.version,
    exists: role !== undefined,
    ...(role ? { login: role.login, memberOf: [...new Set(role.memberOf.map((membership) => membership.role))].sort() } : {}),
    ...(unseen.length > 0 ? { unseenDatabases: [...unseen] } : {}),
  };
}

function conditionOf(input: Input, drifted: boolean, blocked?: SetpointError): ConditionReport {
  const name = plainIdentifier(roleName(input.resource));
  const report = (status: "True" | "False", reason: string, message: string) => ({ type: "Available", status, reason, message });
  if (!input.observed.look.role) return report("False", "Missing", `Role ${name} does not exist`);
  if (blocked) return report("False", blocked.reason, blocked.message);
  if (drifted) return report("False", "Drifted", `Role ${name} is not as declared`);
  return report("True", "AsDeclared", `Role ${name} is as declared`);
}

/** What is declared and cannot be had yet; everything else is done first. */
function waitingFor({ missingRoles, grants }: Differences, server: string): SetpointError | undefined {
  const missing = [...missingRoles.map((role) => `role ${plainIdentifier(role)}`), ...grants.missing];
  if (missing.length === 0) return undefined;
  return new SetpointError("DependencyNotReady", `${sentence(missing)} ${missing.length === 1 ? "does" : "do"} not exist on ${server}`);
}

/** The role as declared, in one transaction per database; or gone, if it is ours. */
export function plan(input: Input): Plan<RoleAction> {
  if (input.deleting) return planDeletion(input);
  const { resource, observed } = input;
  const differences = compare(input);
  const { fields } = differences;
  const refused = blockOf(resource, observed);
  const actions = refused ? [] : actionsOf(input, differences);
  const blocked = refused ?? (actions.length === 0 ? waitingFor(differences, observed.server) : undefined);
  const drifted = fields.some((field) => !field.same);
  return {
    fields,
    actions,
    conditions: [conditionOf(input, drifted, blocked)],
    observed: summaryOf(observed),
    ...(blocked ? { blocked } : {}),
  };
}
