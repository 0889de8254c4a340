import { toIso } from "@/lib/clock";
import type { CatalogueStore, EventField, EventQuery } from "../catalogue";
import { type Pool, storeError } from "./pool";

/** SQL of the fields that events are selected by. */
const FIELDS: Record<EventField, string> = {
  id: "id::text",
  uid: "uid::text",
  kind: "kind",
  namespace: "namespace",
  name: "name",
  type: "type",
  reason: "reason",
};

export function catalogueStore(pool: Pool): CatalogueStore {
  return {
    async namespaces() {
      const { rows } = await pool
        .query(
          "select namespace, min(created_at) as since, array_agg(distinct kind) as kinds from resource group by namespace order by namespace",
        )
        .catch(storeError);
      return rows.map((row) => ({ name: row.namespace, since: toIso(row.since.getTime()), kinds: row.kinds }));
    },
    events: (query) => events(pool, query).catch(storeError),
  };
}

async function events(pool: Pool, { namespace, fields, limit, afterId, seenAfterMs }: EventQuery) {
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const filters = fields.map(({ path, operator, value }) => `${FIELDS[path]} ${operator === "=" ? "=" : "<>"} ${bind(value)}`);
  if (namespace !== undefined) filters.push(`namespace = ${bind(namespace)}`);
  if (afterId !== undefined) filters.push(`id > ${bind(afterId)}`);
  if (seenAfterMs !== undefined) filters.push(`last_at > to_timestamp(${bind(seenAfterMs)}::numeric / 1000)`);
  const where = filters.length === 0 ? "" : `where ${filters.join(" and ")}`;
  const { rows } = await pool.query(`select * from event ${where} order by id limit ${bind(limit)}`, parameters);
  return rows.map((row) => ({
    id: String(row.id),
    uid: row.uid,
    kind: row.kind,
    namespace: row.namespace,
    name: row.name,
    type: row.type,
    reason: row.reason,
    message: row.message,
    count: row.count,
    firstAt: toIso(row.first_at.getTime()),
    lastAt: toIso(row.last_at.getTime()),
  }));
}
