/** Tokens, service accounts, roles and bindings. */
import type { QueryResultRow } from "pg";
import { toIso } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import type { AuditEntry } from "..";
import type { AccessStore, PresentedToken, ServiceAccount, StoredBinding, StoredRole, StoredToken, Subject, TokenOwner } from "../access";
import { insertAudit } from "./history";
import { type Client, inTransaction, type Pool, storeError } from "./pool";
import { roleOf } from "./users";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const UNIQUE_VIOLATION = "23505";

/** From a column, or from a column within JSON. */
const iso = (value: Date | string) => toIso(typeof value === "string" ? Date.parse(value) : value.getTime());

type Query = Pick<Client, "query">;
type Row = QueryResultRow;

export function accessStore(pool: Pool): AccessStore {
  const query = async (sql: string, parameters: unknown[] = []): Promise<Row[]> =>
    (await pool.query(sql, parameters).catch(storeError)).rows;
  const write = <T>(work: (client: Client) => Promise<T>) => inTransaction(pool, work).catch(storeError);
  return { ...tokens(query, write), ...accounts(query, write), ...roles(query, write), ...bindings(query, write) };
}

type Read = (sql: string, parameters?: unknown[]) => Promise<Row[]>;
type Write = <T>(work: (client: Client) => Promise<T>) => Promise<T>;

type Tokens = Pick<
  AccessStore,
  "presentedToken" | "tokenUsed" | "tokensOf" | "serviceAccountTokens" | "createToken" | "ownerOfToken" | "deleteToken"
>;

function tokens(query: Read, write: Write): Tokens {
  return {
    async presentedToken(hash) {
      const [row] = await query(
        `select t.*, row_to_json(u) as account, row_to_json(s) as service_account from api_token t
         left join (select id, email, name, role, groups, disabled_at, created_at from "user") u on u.id = t.user_id
         left join service_account s on s.id = t.service_account_id where t.hash = $1`,
        [hash],
      );
      return row && presented(row);
    },
    async tokenUsed(id) {
      await query(
        `update api_token set last_used_at = clock_timestamp()
         where id = $1 and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`,
        [id],
      );
    },
    async tokensOf(owner) {
      const [column, id] = columnOf(owner);
      return (await query(`select * from api_token where ${column} = $1 order by created_at, id`, [id])).map(toToken);
    },
    async serviceAccountTokens() {
      const rows = await query("select * from api_token where service_account_id is not null order by created_at, id");
      const byAccount: Record<string, StoredToken[]> = {};
      for (const row of rows) byAccount[row.service_account_id] = [...(byAccount[row.service_account_id] ?? []), toToken(row)];
      return byAccount;
    },
    createToken: (token, most, audit) =>
      write(async (client) => {
        const [column, id] = columnOf(token.owner);
        const held = (await client.query(`select count(*)::int as held from api_token where ${column} = $1`, [id])).rows[0].held;
        if (held >= most)
          throw new SetpointError("Conflict", `there are ${held} tokens already, and ${most} is the most: revoke one first`);
        const { rows } = await client.query(
          `insert into api_token (name, prefix, hash, ${column}, scope, limits, created_by, expires_at) values ($1,$2,$3,$4,$5,$6,$7,$8) returning *`,
          [token.name, token.prefix, token.hash, id, token.scope, token.limits, token.createdBy, toIso(token.expiresAt)],
        );
        await audited(client, audit, rows[0].id);
        return toToken(rows[0]);
      }),
    async ownerOfToken(id) {
      if (!UUID.test(id)) return undefined;
      const [row] = await query("select user_id, service_account_id from api_token where id = $1", [id]);
      if (!row) return undefined;
      return row.user_id === null ? { serviceAccountId: row.service_account_id } : { userId: row.user_id };
    },
    deleteToken: (id, audit) =>
      write(async (client) => {
        const { rowCount } = UUID.test(id) ? await client.query("delete from api_token where id = $1", [id]) : { rowCount: 0 };
        if (!rowCount) throw new SetpointError("NotFound", `token "${id.slice(0, 64)}" not found`);
        await audited(client, audit, id);
      }),
  };
}

type Accounts = Pick<AccessStore, "serviceAccounts" | "serviceAccount" | "createServiceAccount" | "deleteServiceAccount">;

function accounts(query: Read, write: Write): Accounts {
  return {
    serviceAccounts: async () => (await query("select * from service_account order by namespace, name")).map(toServiceAccount),
    async serviceAccount(namespace, name) {
      const [row] = await query("select * from service_account where namespace = $1 and name = $2", [namespace, name]);
      return row && toServiceAccount(row);
    },
    createServiceAccount: ({ namespace, name, createdBy }, audit) =>
      write(async (client) => {
        const { rows } = await once(
          client.query("insert into service_account (namespace, name, created_by) values ($1,$2,$3) returning *", [
            namespace,
            name,
            createdBy,
          ]),
          `serviceaccounts "${name}" already exists in the namespace "${namespace}"`,
        );
        await audited(client, audit, rows[0].id);
        return toServiceAccount(rows[0]);
      }),
    deleteServiceAccount: (namespace, name, audit) =>
      write(async (client) => {
        const { rows } = await client.query("delete from service_account where namespace = $1 and name = $2 returning id", [
          namespace,
          name,
        ]);
        if (!rows[0]) throw new SetpointError("NotFound", `serviceaccounts "${name}" not found in the namespace "${namespace}"`);
        // An account of the same name that is made later begins without rights.
        await client.query(
          "delete from access_binding where subject_kind = 'ServiceAccount' and subject_namespace = $1 and subject_name = $2",
          [namespace, name],
        );
        await audited(client, audit, rows[0].id);
      }),
  };
}

function roles(query: Read, write: Write): Pick<AccessStore, "roles" | "createRole" | "deleteRole"> {
  return {
    roles: async () => (await query("select * from access_role order by name")).map(toRole),
    createRole: ({ name, description, rules, createdBy }, audit) =>
      write(async (client) => {
        const { rows } = await once(
          client.query("insert into access_role (name, description, rules, created_by) values ($1,$2,$3,$4) returning *", [
            name,
            description,
            JSON.stringify(rules),
            createdBy,
          ]),
          `roles "${name}" already exists`,
        );
        await audited(client, audit);
        return toRole(rows[0]);
      }),
    deleteRole: (name, audit) =>
      write(async (client) => {
        const { rows } = await client.query("select count(*)::int as bound from access_binding where role = $1", [name]);
        if (rows[0].bound > 0) throw new SetpointError("InUse", `roles "${name}" is given by ${rows[0].bound} bindings: delete them first`);
        const { rowCount } = await client.query("delete from access_role where name = $1", [name]);
        if (!rowCount) throw new SetpointError("NotFound", `roles "${name}" not found`);
        await audited(client, audit);
      }),
  };
}

function bindings(query: Read, write: Write): Pick<AccessStore, "bindings" | "binding" | "createBinding" | "deleteBinding" | "grantsOf"> {
  return {
    bindings: async () => (await query("select * from access_binding order by namespace, subject_kind, subject_name, role")).map(toBinding),
    async binding(id) {
      if (!UUID.test(id)) return undefined;
      const [row] = await query("select * from access_binding where id = $1", [id]);
      return row && toBinding(row);
    },
    createBinding: ({ role, namespace, subject, createdBy, builtIn }, audit) =>
      write(async (client) => {
        if (!builtIn) await mustExist(client, "select 1 from access_role where name = $1", [role], `roles "${role}" not found`);
        const place = subject.namespace ?? "";
        if (subject.kind === "ServiceAccount")
          await mustExist(
            client,
            "select 1 from service_account where namespace = $1 and name = $2",
            [place, subject.name],
            `serviceaccounts "${subject.name}" not found in the namespace "${place}"`,
          );
        const { rows } = await once(
          client.query(
            `insert into access_binding (role, namespace, subject_kind, subject_namespace, subject_name, created_by)
             values ($1,$2,$3,$4,$5,$6) returning *`,
            [role, namespace, subject.kind, place, subject.name, createdBy],
          ),
          "this binding exists already",
        );
        await audited(client, audit, rows[0].id);
        return toBinding(rows[0]);
      }),
    deleteBinding: (id, audit) =>
      write(async (client) => {
        const { rowCount } = UUID.test(id) ? await client.query("delete from access_binding where id = $1", [id]) : { rowCount: 0 };
        if (!rowCount) throw new SetpointError("NotFound", `bindings "${id.slice(0, 64)}" not found`);
        await audited(client, audit, id);
      }),
    async grantsOf(subject, groups) {
      const rows = await query(
        `select b.role, b.namespace, r.rules from access_binding b left join access_role r on r.name = b.role
         where (b.subject_kind = $1 and b.subject_namespace = $2 and b.subject_name = $3)
            or (b.subject_kind = 'Group' and b.subject_name = any($4::text[]))`,
        [subject.kind, subject.namespace ?? "", subject.name, groups],
      );
      return rows.map(({ role, namespace, rules }) => ({ role, namespace, ...(rules === null ? {} : { rules }) }));
    },
  };
}

async function audited(client: Query, entry: AuditEntry, uid?: string): Promise<void> {
  await insertAudit(client, { ...entry, ...(uid === undefined ? {} : { uid }) });
}

async function mustExist(client: Query, sql: string, parameters: unknown[], message: string): Promise<void> {
  const { rows } = await client.query(sql, parameters);
  if (rows.length === 0) throw new SetpointError("NotFound", message);
}

/** The insert's answer; a second of what may be there once is AlreadyExists. */
async function once<T>(insert: Promise<T>, message: string): Promise<T> {
  try {
    return await insert;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION) throw new SetpointError("AlreadyExists", message);
    throw error;
  }
}

function columnOf(owner: TokenOwner): ["user_id" | "service_account_id", string] {
  return "userId" in owner ? ["user_id", owner.userId] : ["service_account_id", owner.serviceAccountId];
}

function presented(row: Row): PresentedToken {
  const { account, service_account: service } = row;
  return {
    token: toToken(row),
    ...(account === null
      ? {}
      : {
          account: {
            id: account.id,
            email: account.email,
            name: account.name,
            role: roleOf(account.role),
            groups: account.groups ?? [],
            disabled: account.disabled_at !== null,
            createdAt: iso(account.created_at),
          },
        }),
    ...(service === null ? {} : { serviceAccount: toServiceAccount(service) }),
  };
}

function toToken(row: Row): StoredToken {
  const { id, name, prefix, scope, limits } = row;
  return {
    id,
    name,
    prefix,
    scope,
    limits,
    createdBy: row.created_by,
    createdAt: iso(row.created_at),
    expiresAt: iso(row.expires_at),
    ...(row.last_used_at === null ? {} : { lastUsedAt: iso(row.last_used_at) }),
  };
}

function toServiceAccount(row: Row): ServiceAccount {
  return { id: row.id, namespace: row.namespace, name: row.name, createdBy: row.created_by, createdAt: iso(row.created_at) };
}

function toRole(row: Row): StoredRole {
  return { name: row.name, description: row.description, rules: row.rules, createdBy: row.created_by, createdAt: iso(row.created_at) };
}

function toBinding(row: Row): StoredBinding {
  const kind: Subject["kind"] = row.subject_kind;
  return {
    id: row.id,
    role: row.role,
    namespace: row.namespace,
    subject: { kind, name: row.subject_name, ...(row.subject_namespace === "" ? {} : { namespace: row.subject_namespace }) },
    createdBy: row.created_by,
    createdAt: iso(row.created_at),
  };
}
