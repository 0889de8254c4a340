import { toIso } from "@/lib/clock";
import { FINALIZER, type PlannedAction } from "@/lib/resource";
import type { EngineStore, Fence, PermitVerdict } from "..";
import { type Pool, storeError } from "./pool";
import { writeReports } from "./reports";
import { fromRow } from "./rows";
import { WAKE_CHANNEL } from "./signal";

export function engineStore(pool: Pool): EngineStore {
  return {
    load: (slices) => load(pool, slices).catch(storeError),
    async renewLeases(holder, slices, ttlMs, looks) {
      // Same statement for take, take-over and renewal: the row decides by the database's clock. An expired lease of our own
      // gets a new epoch too, so that nothing begun under the old one can be written.
      const { rows } = await pool
        .query(
          `insert into lease as l (slice, holder, epoch, expires_at, looks)
           select slice, $1, 1, clock_timestamp() + $3 * interval '1 millisecond', coalesce($4::jsonb->slice, '{}') from unnest($2::text[]) as slice
           on conflict (slice) do update set holder = $1, expires_at = excluded.expires_at,
             epoch = case when l.holder = $1 and l.expires_at > clock_timestamp() then l.epoch else l.epoch + 1 end,
             looks = case when l.holder = $1 then l.looks || excluded.looks else l.looks end
           where l.holder is null or l.holder = $1 or l.expires_at <= clock_timestamp()
           returning slice, holder, epoch`,
          [holder, slices, ttlMs, JSON.stringify(looks)],
        )
        .catch(storeError);
      return rows as Fence[];
    },
    async releaseLeases(holder) {
      await pool.query("update lease set holder = null, expires_at = clock_timestamp() where holder = $1", [holder]).catch(storeError);
    },
    async leases() {
      const { rows } = await pool
        .query("select slice, holder, holder is not null and expires_at > clock_timestamp() as alive, looks from lease")
        .catch(storeError);
      return rows.map(({ slice, holder, alive, looks }) => ({ slice, alive, looks, ...(holder === null ? {} : { holder }) }));
    },
    permit: (uid, generation, fence, action, deleting) => permit(pool, uid, generation, fence, action, deleting).catch(storeError),
    async settle(permitId, outcome, error) {
      await pool
        .query("update audit set outcome = $2, error = $3, finished_at = clock_timestamp() where id = $1", [
          permitId,
          outcome,
          error ?? null,
        ])
        .catch(storeError);
    },
    report: (reports) => writeReports(pool, reports).catch(storeError),
    async heartbeat({ id, host, pid, role, version, startedAt, ttlMs, stats }) {
      await pool
        .query(
          `insert into worker (id, host, pid, role, version, started_at, expires_at, stats)
           values ($1,$2,$3,$4,$5,$6, clock_timestamp() + $7 * interval '1 millisecond', $8)
           on conflict (id) do update set expires_at = excluded.expires_at, stats = excluded.stats`,
          [id, host, pid, role, version, toIso(startedAt), ttlMs, JSON.stringify(stats)],
        )
        .catch(storeError);
    },
    async kindPauses() {
      const { rows } = await pool.query("select kind, paused from kind_control where paused is not null").catch(storeError);
      return Object.fromEntries(rows.map((row) => [row.kind, row.paused]));
    },
    async requestLook(uid) {
      await pool.query("select pg_notify($1, $2)", [WAKE_CHANNEL, uid]).catch(storeError);
    },
    prune: () => prune(pool).catch(storeError),
  };
}

async function load(pool: Pool, slices: string[]) {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query("begin transaction isolation level repeatable read read only");
    const { rows: revision } = await client.query("select coalesce(max(resource_version), 0) as value from change");
    const { rows } = await client.query("select * from resource where slice = any($1::text[]) order by id", [slices]);
    await client.query("commit");
    broken = false;
    return { resources: rows.map(fromRow), revision: String(revision[0]?.value ?? 0) };
  } finally {
    client.release(broken);
  }
}

async function permit(
  pool: Pool,
  uid: string,
  generation: number,
  fence: Fence,
  action: PlannedAction,
  deleting: boolean,
): Promise<PermitVerdict> {
  const { rows } = await pool.query(
    `with facts as (
       select r.uid, r.kind, r.namespace, r.name, r.generation,
         case
           when r.generation <> $2 then 'StaleGeneration'
           when not exists (select from lease l where l.slice = $3 and l.holder = $4 and l.epoch = $5 and l.expires_at > clock_timestamp()) or r.slice <> $3 then 'LeaseLost'
           when pause_in_force(r.control->'paused') or exists (select from kind_control k where k.kind = r.kind and pause_in_force(k.paused)) then 'Paused'
           when r.control->>'mode' <> 'Auto' then 'ModeChanged'
           when not $6 = any(r.finalizers) then 'NoFinalizer'
         end as refusal
       from resource r where r.uid = $1
     ), granted as (
       insert into audit (actor, verb, kind, namespace, name, uid, generation, detail, outcome)
       select 'controller/' || kind, 'act', kind, namespace, name, uid, generation, $7, 'pending' from facts where refusal is null
       returning id
     )
     select (select id from granted) as id, (select refusal from facts) as refusal, exists (select from facts) as found`,
    [uid, generation, fence.slice, fence.holder, fence.epoch, FINALIZER, { ...action, deleting }],
  );
  const answer = rows[0];
  if (answer?.id) return { granted: true, id: answer.id };
  return { granted: false, reason: answer?.found ? answer.refusal : "Gone" };
}

/** Retention. The newest entry of the feed stays: it is the store's current revision. */
async function prune(pool: Pool): Promise<void> {
  await pool.query(
    `delete from change where at < clock_timestamp() - interval '1 hour' and resource_version < (select max(resource_version) from change)`,
  );
  await pool.query("delete from pass where started_at < clock_timestamp() - interval '30 days'");
  await pool.query("delete from event where last_at < clock_timestamp() - interval '30 days'");
  await pool.query("delete from worker where expires_at < clock_timestamp() - interval '1 day'");
}
