import { FINALIZER, type PlannedAction } from "@/lib/resource";
import type { EngineStore, Fence, PermitVerdict } from "..";
import { refuseTooOld } from "../feed";
import { contests } from "./claims";
import { leases } from "./leases";
import { type Pool, storeError } from "./pool";
import { writeReports } from "./reports";
import { COLUMNS, CURRENT_REVISION, changeOf, OLDEST_REVISION } from "./resources";
import { fromRow, type StoredResource } from "./rows";
import { WAKE_CHANNEL } from "./signal";
import { Words } from "./words";

/** Which manager owns which field is of no interest to a worker, and often longer than all the rest. */
const OF_INTEREST = COLUMNS.replace("managed_fields", "'[]'::jsonb as managed_fields");

/** So few rows at a time that what is made of them in between is gone before the next. */
const LOADED_AT_ONCE = 1_000;

export function engineStore(pool: Pool): EngineStore {
  const words = new Words();
  return {
    feed: (revision, limit) => feed(pool, words, revision, limit).catch(storeError),
    load: (slices) => load(pool, words, slices).catch(storeError),
    ...leases(pool),
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
    report: (reports, batch) => writeReports(pool, reports, batch).catch(storeError),
    contests: () => contests(pool).catch(storeError),
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

/** One statement, so that what is read and how far it goes are of one snapshot. */
async function feed(pool: Pool, words: Words, revision: string, limit: number) {
  const { rows } = await pool.query(
    `select c.*, n.value as newest, o.value as oldest from (${CURRENT_REVISION}) n, (${OLDEST_REVISION}) o left join lateral (
       select type, intent, old_labels, ${OF_INTEREST} from change where resource_version > $1 and wakes order by resource_version limit $2) c on true
     order by c.resource_version`,
    [revision, limit],
  );
  refuseTooOld(revision, String(rows[0]?.oldest ?? 0));
  const changes = rows.filter(({ type }) => type !== null).map(changeOf);
  for (const { resource } of changes) words.share(resource);
  const last = changes.length < limit ? rows[0]?.newest : changes.at(-1)?.resourceVersion;
  return { changes, revision: String(last ?? revision) };
}

async function load(pool: Pool, words: Words, slices: string[]) {
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query("begin transaction isolation level repeatable read read only");
    const { rows: revision } = await client.query("select coalesce(max(resource_version), 0) as value from change");
    await client.query(`declare loaded no scroll cursor for select ${OF_INTEREST} from resource where slice = any($1::text[])`, [slices]);
    const resources: StoredResource[] = [];
    const fetch = () => client.query(`fetch ${LOADED_AT_ONCE} from loaded`);
    for (let next = fetch(); ; ) {
      const { rows } = await next;
      if (rows.length === 0) break;
      // On its way while these are taken in; should that fail, nobody waits for it.
      next = fetch();
      next.catch(() => undefined);
      for (const row of rows) {
        const stored = fromRow(row);
        words.share(stored.resource);
        resources.push(stored);
      }
    }
    await client.query("commit");
    broken = false;
    return { resources, revision: String(revision[0]?.value ?? 0) };
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
           when r.slice <> $3 or not exists (select from lease_valid($4, array[$3], array[$5::bigint])) then 'LeaseLost'
           when pause_in_force(r.control->'paused') or exists (select from kind_control k where k.kind = r.kind and pause_in_force(k.paused)) then 'Paused'
           when r.control->>'mode' <> 'Auto' then 'ModeChanged'
           when not $6 = any(r.finalizers) then 'NoFinalizer'
           when r.deletion_at is null and exists (select from claim c where c.uid = r.uid and c.held is null) then 'Contested'
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

/** Retention. The newest entry of the feed stays: it is the store's current revision. What goes is older than all that stays, also by a clock that jumped. */
async function prune(pool: Pool): Promise<void> {
  await pool.query(
    `delete from change where resource_version < least((${CURRENT_REVISION}), (select resource_version from change
       where at >= clock_timestamp() - interval '1 hour' order by resource_version limit 1))`,
  );
  await pool.query("delete from pass where started_at < clock_timestamp() - interval '30 days'");
  await pool.query("delete from event where last_at < clock_timestamp() - interval '30 days'");
  await pool.query("delete from report_batch b where not exists (select from worker w where w.id = b.worker)");
  // Of a worker that still has slices nobody took, what it last knew is needed.
  await pool.query(
    "delete from worker w where expires_at < clock_timestamp() - interval '1 day' and not exists (select from lease l where l.holder = w.id)",
  );
}
