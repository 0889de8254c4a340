import { FOREGROUND_FINALIZER, GROUP, ORPHAN_FINALIZER } from "@/lib/resource";
import type { CollectionStore } from "../collection";
import { type Pool, storeError } from "./pool";
import { fromRow } from "./rows";

export function collectionStore(pool: Pool): CollectionStore {
  const objects = async (sql: string, parameters: unknown[]) => {
    const { rows } = await pool.query(sql, parameters).catch(storeError);
    return rows.map((row) => fromRow(row).resource);
  };
  return {
    async stirred(revision) {
      const { rows } = await pool
        .query(
          `select coalesce(max(resource_version), $1::bigint) as revision, coalesce(bool_or(type = 'DELETED' or
             (wakes and (deletion_at is not null or owner_references <> '[]'))), false) as stirred
           from change where resource_version > $1::bigint`,
          [revision],
        )
        .catch(storeError);
      return { revision: String(rows[0]?.revision ?? revision), stirred: rows[0]?.stirred === true };
    },
    // Owners of other groups are not known here: what they own is never taken for unowned.
    unowned: (limit, except) =>
      objects(
        `select d.* from resource d where d.owner_references <> '[]' and d.deletion_at is null and exists (
           select 1 from jsonb_array_elements(d.owner_references) as o(ref)
           left join resource owner on owner.uid = (o.ref->>'uid')::uuid and owner.namespace = d.namespace
           where o.ref->>'apiVersion' like $1 and (owner.uid is null or (owner.deletion_at is not null and $2 = any(owner.finalizers))))
           and not d.uid = any($4::uuid[]) order by d.id limit $3`,
        [`${GROUP}/%`, FOREGROUND_FINALIZER, limit, except],
      ),
    draining: (limit) =>
      objects("select * from resource where deletion_at is not null and finalizers && $1::text[] order by deletion_at limit $2", [
        [FOREGROUND_FINALIZER, ORPHAN_FINALIZER],
        limit,
      ]),
    dependents: (namespace, uid, limit) =>
      objects("select * from resource where namespace = $1 and owner_references @> $2::jsonb order by id limit $3", [
        namespace,
        JSON.stringify([{ uid }]),
        limit,
      ]),
  };
}
