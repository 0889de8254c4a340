import { randomUUID } from "node:crypto";
import { SetpointError } from "@/lib/errors";
import { deepEqual, type FieldRequirement, type Key, type LabelRequirement, type Resource } from "@/lib/resource";
import type { Actor, AuditEntry, Change, Claim, ListQuery, ListResult, Mutation, NewResource, ResourceStore, WriteOptions } from "..";
import { refuseTooOld } from "../feed";
import { claimTaken, isClaimTaken, moveClaims } from "./claims";
import { insertAudit } from "./history";
import { type Client, inTransaction, type Pool, RolledBack, storeError } from "./pool";
import { fromRow } from "./rows";

export const COLUMNS =
  "uid, kind, namespace, name, slice, generation, resource_version, spec, control, status, labels, annotations, finalizers, owner_references, managed_fields, created_at, deletion_at";
/** An entry of the feed carries the row as it was. */
const CHANGE_COLUMNS = `type, intent, old_labels, ${COLUMNS}`;
const UNIQUE_VIOLATION = "23505";

export function resourceStore(pool: Pool): ResourceStore {
  return {
    async get(key) {
      const { rows } = await pool
        .query(`select ${COLUMNS} from resource where kind=$1 and namespace=$2 and name=$3`, [key.kind, key.namespace, key.name])
        .catch(storeError);
      return rows[0] && fromRow(rows[0]).resource;
    },
    async getByUid(uid) {
      const { rows } = await pool.query(`select ${COLUMNS} from resource where uid=$1`, [uid]).catch(storeError);
      return rows[0] && fromRow(rows[0]).resource;
    },
    list: (query) => list(pool, query).catch(storeError),
    create: (input, by, message, audit, options) => create(pool, input, by, message, audit, options).catch(storeError),
    mutate: (key, by, decide, options) => mutate(pool, key, by, decide, options).catch(storeError),
    async findBySpecValue(namespace, kind, path, value) {
      const { rows } = await pool
        .query(`select ${COLUMNS} from resource where kind=$1 and namespace=$2 and spec #>> $3 = $4 order by id desc limit 10`, [
          kind,
          namespace,
          path,
          value,
        ])
        .catch(storeError);
      return rows.map((row) => fromRow(row).resource);
    },
    currentRevision: () => scalar(pool, CURRENT_REVISION).catch(storeError),
    oldestRevision: () => scalar(pool, OLDEST_REVISION).catch(storeError),
    async changesAfter(revision, limit) {
      const { rows } = await pool
        .query(`select ${CHANGE_COLUMNS} from change where resource_version > $1 order by resource_version limit $2`, [revision, limit])
        .catch(storeError);
      // Mostly the next revision follows directly. Asked after reading: what is compacted between the two is noticed, and never skipped.
      if (rows[0] && BigInt(rows[0].resource_version) > BigInt(revision) + 1n)
        refuseTooOld(revision, await scalar(pool, OLDEST_REVISION).catch(storeError));
      return rows.map(changeOf);
    },
  };
}

/** A row of `CHANGE_COLUMNS`. */
export function changeOf(row: Pick<Change, "type" | "intent"> & { old_labels: Record<string, string> | null }): Change {
  const { resource, slice } = fromRow(row);
  return {
    resourceVersion: resource.metadata.resourceVersion,
    type: row.type,
    intent: row.intent,
    slice,
    resource,
    ...(row.old_labels === null ? {} : { oldLabels: row.old_labels }),
  };
}

/** The newest committed revision: pruning never drops the newest entry of the feed. */
export const CURRENT_REVISION = "select coalesce(max(resource_version), 0) as value from change";
export const OLDEST_REVISION = "select coalesce(min(resource_version), 0) as value from change";

async function scalar(pool: Pool, sql: string): Promise<string> {
  const { rows } = await pool.query(sql);
  return String(rows[0]?.value ?? 0);
}

/** Row, first revision and audit in one statement: one round trip under the revision lock, so that creates follow each other quickly. */
const CREATE = `with created as (
    insert into resource (uid, kind, namespace, name, slice, labels, annotations, finalizers, owner_references, spec, control, managed_fields)
    values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$18) returning ${COLUMNS}
  ), claimed as (
    insert into claim (uid, text, field, held)
    select created.uid, v.text, v.field, v.text from created, jsonb_to_recordset($19::jsonb) as v(text text, field text)
  ), revised as (
    insert into revision (uid, generation, spec, message, author) select uid, generation, spec, $12, $13 from created
  ), audited as (
    insert into audit (actor, verb, kind, namespace, name, uid, generation, detail, outcome, finished_at)
    select $14, $15, kind, namespace, name, uid, generation, $16, $17, clock_timestamp() from created
  )
  select * from created`;

async function create(
  pool: Pool,
  input: NewResource,
  by: Actor,
  message: string,
  audit: AuditEntry,
  options: WriteOptions = {},
): Promise<Resource> {
  const parameters = [
    randomUUID(),
    input.kind,
    input.namespace,
    input.name,
    input.slice,
    input.labels,
    input.annotations,
    input.finalizers,
    JSON.stringify(input.ownerReferences),
    JSON.stringify(input.spec),
    input.control,
    message,
    by.name,
    audit.actor,
    audit.verb,
    audit.detail ?? {},
    audit.outcome,
    JSON.stringify(input.managedFields ?? []),
    JSON.stringify(input.claims ?? []),
  ];
  try {
    if (!options.dryRun) return fromRow((await pool.query(CREATE, parameters)).rows[0]).resource;
    return await inTransaction(pool, async (client) => {
      throw new RolledBack(fromRow((await client.query(CREATE, parameters)).rows[0]).resource);
    });
  } catch (error) {
    if (error instanceof RolledBack) return error.value;
    if (isClaimTaken(error)) throw await claimTaken(pool, input.claims ?? []);
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION)
      throw new SetpointError("AlreadyExists", `${input.kind} "${input.name}" already exists in namespace "${input.namespace}"`);
    throw error;
  }
}

type Mutated = { resource: Resource; changed: boolean; removed: boolean };

async function mutate(
  pool: Pool,
  key: Key,
  by: Actor,
  decide: (current: Resource) => Mutation,
  options: WriteOptions = {},
): Promise<Mutated> {
  let claims: Claim[] = [];
  const run = async (client: Client): Promise<Mutated> => {
    const { rows } = await client.query(`select ${COLUMNS} from resource where kind=$1 and namespace=$2 and name=$3 for update`, [
      key.kind,
      key.namespace,
      key.name,
    ]);
    if (!rows[0]) throw new SetpointError("NotFound", `${key.kind} "${key.name}" not found in namespace "${key.namespace}"`);
    const current = fromRow(rows[0]).resource;
    const mutation = decide(structuredClone(current));
    claims = mutation.claims ?? [];
    const result = await write(client, current, mutation, by);
    if (mutation.claims && !result.removed) await moveClaims(client, current.metadata.uid, mutation.claims);
    if (mutation.audit)
      await insertAudit(client, { ...mutation.audit, uid: current.metadata.uid, generation: result.resource.metadata.generation });
    if (options.dryRun) throw new RolledBack({ ...result, resource: asOf(current, result.resource) });
    return result;
  };
  try {
    return await inTransaction(pool, run);
  } catch (error) {
    if (error instanceof RolledBack) return error.value;
    if (isClaimTaken(error)) throw await claimTaken(pool, claims, key);
    throw error;
  }
}

/** What was tried and not stored has no version of its own. */
function asOf(current: Resource, { metadata, ...tried }: Resource): Resource {
  return { ...tried, metadata: { ...metadata, resourceVersion: current.metadata.resourceVersion } };
}

async function write(client: Client, current: Resource, mutation: Mutation, by: Actor): Promise<Mutated> {
  const { metadata } = current;
  const next = {
    labels: mutation.labels ?? metadata.labels ?? {},
    annotations: mutation.annotations ?? metadata.annotations ?? {},
    finalizers: mutation.finalizers ?? metadata.finalizers ?? [],
    ownerReferences: mutation.ownerReferences ?? metadata.ownerReferences ?? [],
    spec: mutation.spec ?? current.spec,
    control: mutation.control ?? current.control,
    managedFields: mutation.managedFields ?? metadata.managedFields ?? [],
  };
  const deleting = metadata.deletionTimestamp !== undefined;
  const asks = mutation.deletion === true && !deleting;
  const before = {
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    finalizers: metadata.finalizers ?? [],
    ownerReferences: metadata.ownerReferences ?? [],
    spec: current.spec,
    control: current.control,
    managedFields: metadata.managedFields ?? [],
  };
  if (!asks && deepEqual(before, next)) return { resource: current, changed: false, removed: false };
  const { rows } = await client.query(
    `update resource set labels=$2, annotations=$3, finalizers=$4, owner_references=$5, spec=$6, control=$7, managed_fields=$9,
       deletion_at = case when $8 then coalesce(deletion_at, clock_timestamp()) else deletion_at end
     where uid=$1 returning ${COLUMNS}`,
    [
      metadata.uid,
      next.labels,
      next.annotations,
      next.finalizers,
      JSON.stringify(next.ownerReferences),
      JSON.stringify(next.spec),
      next.control,
      asks,
      JSON.stringify(next.managedFields),
    ],
  );
  const resource = rows[0] ? fromRow(rows[0]).resource : current;
  if (!deepEqual(current.spec, next.spec)) await insertRevision(client, resource, by, mutation.message ?? "");
  const removed = resource.metadata.deletionTimestamp !== undefined && (resource.metadata.finalizers ?? []).length === 0;
  if (removed) await client.query("delete from resource where uid=$1", [metadata.uid]);
  return { resource, changed: true, removed };
}

async function insertRevision(client: Client, resource: Resource, by: Actor, message: string): Promise<void> {
  await client.query("insert into revision (uid, generation, spec, message, author) values ($1,$2,$3,$4,$5)", [
    resource.metadata.uid,
    resource.metadata.generation,
    JSON.stringify(resource.spec),
    message,
    by.name,
  ]);
}

/** SQL expressions that field selectors may name. */
const FIELDS: Record<string, string> = {
  "metadata.name": "name",
  "metadata.namespace": "namespace",
  "status.state": "state",
  "control.mode": "control->>'mode'",
};

/** The fields `list` can select by; the API refuses others before. */
export const SELECTABLE_FIELDS = Object.keys(FIELDS);

async function list(pool: Pool, query: ListQuery): Promise<ListResult> {
  const parameters: unknown[] = [query.kind];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const filters = ["kind = $1"];
  if (query.namespace !== undefined) filters.push(`namespace = ${bind(query.namespace)}`);
  filters.push(
    ...(query.fields ?? []).map((field) => fieldSql(field, bind)),
    ...(query.labels ?? []).map((label) => labelSql(label, bind)),
  );
  const page = [...filters];
  if (query.after) page.push(`(namespace, name) > (${bind(query.after.namespace)}, ${bind(query.after.name)})`);
  const limit = query.limit === undefined ? "" : `limit ${bind(query.limit + 1)}`;
  // One snapshot for rows, revision and remainder; the revision is read from the same snapshot.
  const { rows } = await pool.query(
    `with page as materialized (select ${COLUMNS} from resource where ${page.join(" and ")} order by namespace, name ${limit})
     select (select value from (${CURRENT_REVISION}) r) as revision,
            (select count(*) from resource where ${page.join(" and ")})::int as matching,
            coalesce((select jsonb_agg(to_jsonb(page) order by page.namespace, page.name) from page), '[]') as items`,
    parameters,
  );
  const items = (rows[0].items as unknown[]).map((row) => fromRow(row).resource);
  const more = query.limit !== undefined && items.length > query.limit;
  if (more) items.pop();
  const last = items.at(-1);
  return {
    items,
    resourceVersion: String(rows[0].revision),
    ...(more && last
      ? { next: { namespace: last.metadata.namespace, name: last.metadata.name }, remaining: rows[0].matching - items.length }
      : {}),
  };
}

function fieldSql({ path, operator, value }: FieldRequirement, bind: (value: unknown) => string): string {
  const column = FIELDS[path];
  if (!column) throw new SetpointError("BadRequest", `field label not supported: ${path}`);
  return `${column} ${operator === "=" ? "=" : "<>"} ${bind(value)}`;
}

/** A label requirement as SQL over the `labels` column, with Kubernetes' meaning of absent keys. */
export function labelSql({ key, operator, values }: LabelRequirement, bind: (value: unknown) => string): string {
  const name = bind(key);
  switch (operator) {
    case "Exists":
      return `labels ? ${name}`;
    case "DoesNotExist":
      return `not (labels ? ${name})`;
    case "In":
      return `labels->>${name} = any(${bind(values)}::text[])`;
    case "NotIn":
      return `(not (labels ? ${name}) or labels->>${name} <> all(${bind(values)}::text[]))`;
  }
}
