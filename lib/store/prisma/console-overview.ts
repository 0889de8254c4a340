/** Numbers of the Overview and Controllers pages. */
import type { State } from "@/lib/resource";
import type { ControllerFacts, OverviewFacts, Visible } from "../console";
import type { Pool } from "./pool";
import { fromRow } from "./rows";
import { FACTS, factsJson, JOINS, stateSql, viewFacts, visibleSql } from "./view-sql";

const ATTENTION = 10;
const RECENT = 15;
/** What is not in order, worst first. */
const NOT_IN_ORDER = "('Failed','BackingOff','Blocked','Stale','Drifted')";
const DAY_MS = 86_400_000;

export async function overviewFacts(
  pool: Pool,
  { ms, buckets }: { ms: number; buckets: number },
  staleAfterMs: Record<string, number>,
  { kinds, visible }: { kinds: string[]; visible?: Visible },
): Promise<OverviewFacts> {
  // The last parameter of each statement.
  const seen = visible ? [JSON.stringify(visible)] : [];
  const only = (number: number, row: string) => visibleSql(visible && `$${number}`, row);
  const [objects, passes, converge, trend, pauses, recent] = await Promise.all([
    objectFacts(pool, staleAfterMs, seen),
    pool.query(
      `select count(*)::int as total, (count(*) filter (where outcome = 'failed'))::int as failed
       from pass where started_at > clock_timestamp() - $1 * interval '1 millisecond' and ${only(2, "pass")}`,
      [ms, ...seen],
    ),
    pool.query(
      `select count(*)::int as count, percentile_cont(0.5) within group (order by took) as p50, percentile_cont(0.95) within group (order by took) as p95
       from (select extract(epoch from converged_at - at)::float8 * 1000 as took from revision
             where converged_at > clock_timestamp() - $1 * interval '1 millisecond'
               and ${visible ? `exists (select from resource where resource.uid = revision.uid and ${only(2, "resource")})` : "true"}) r`,
      [ms, ...seen],
    ),
    trendRows(pool, ms, buckets, seen),
    pool.query(
      `select kind, namespace, name, control->'paused'->>'until' as until, control->'paused'->>'by' as by from resource
       where control ? 'paused' and pause_in_force(control->'paused') and (control->'paused'->>'until')::timestamptz < clock_timestamp() + $1 * interval '1 millisecond'
         and ${only(2, "resource")}
       order by (control->'paused'->>'until')::timestamptz limit 50`,
      [DAY_MS, ...seen],
    ),
    pool.query(
      `select at, actor, verb, kind, namespace, name, detail, outcome, error from audit
       where kind = any($2::text[]) and ${only(3, "audit")} order by id desc limit $1`,
      [RECENT, kinds, ...seen],
    ),
  ]);
  const took = converge.rows[0];
  return {
    ...objects,
    passes: passes.rows[0],
    timeToConverge: { count: took.count, p50: rounded(took.p50), p95: rounded(took.p95) },
    trend,
    pausesEnding: pauses.rows,
    recent: recent.rows.map(({ at, error, ...rest }) => ({ ...rest, at: at.getTime(), ...(error === null ? {} : { error }) })),
  };
}

const rounded = (value: number | null) => (value === null ? null : Math.round(value));

async function objectFacts(pool: Pool, staleAfterMs: Record<string, number>, seen: string[]) {
  const { rows } = await pool.query(
    `with ${FACTS},
     base as materialized (select r.id, r.kind, r.attempts, ${stateSql("$1")} as state from resource r ${JOINS} where ${visibleSql(seen[0] && "$2")}),
     attention as materialized (
       select id, state, row_number() over (order by array_position(array['Failed','BackingOff','Blocked','Stale','Drifted'], state), id desc) as position
       from base where state in ${NOT_IN_ORDER} order by position limit ${ATTENTION})
     select
       (select coalesce(jsonb_agg(c), '[]') from (select kind, state, count(*)::int as count from base group by 1, 2) c) as counts,
       (select coalesce(json_agg(json_build_object('state', a.state, 'row', row_to_json(r)) order by a.position), '[]') from attention a join resource r using (id)) as attention,
       ${factsJson("select r.slice from attention join resource r using (id)")}`,
    [JSON.stringify(staleAfterMs), ...seen],
  );
  const [row] = rows;
  return {
    ...viewFacts(row),
    counts: row.counts,
    attention: (row.attention as { state: State; row: unknown }[]).map(({ state, row }) => ({ state, resource: fromRow(row).resource })),
  };
}

/** Passes by bucket, empty buckets included, oldest first. */
async function trendRows(pool: Pool, ms: number, buckets: number, seen: string[]): Promise<OverviewFacts["trend"]> {
  const width = ms / buckets;
  const { rows } = await pool.query(
    `with bounds as (select floor(extract(epoch from clock_timestamp()) * 1000 / $1::float8) as last),
     counted as (
       select floor(extract(epoch from started_at) * 1000 / $1::float8) as bucket,
         (count(*) filter (where outcome = 'corrected'))::int as corrected,
         (count(*) filter (where outcome = 'failed'))::int as failed,
         (count(*) filter (where outcome = 'converged'))::int as converged
       from pass, bounds where started_at >= to_timestamp((last - $2 + 1) * $1::float8 / 1000)
         and ${visibleSql(seen[0] && "$3", "pass")} group by 1)
     select (b * $1::float8)::float8 as at, coalesce(corrected, 0) as corrected, coalesce(failed, 0) as failed, coalesce(converged, 0) as converged
     from bounds, generate_series((last - $2 + 1)::bigint, last::bigint) b left join counted on bucket = b order by b`,
    [width, buckets, ...seen],
  );
  return rows;
}

export async function controllerFacts(pool: Pool): Promise<ControllerFacts> {
  const { rows } = await pool.query(
    `with ${FACTS}
     , held as (select slice, count(*)::int as n from resource group by 1)
     select ${factsJson("select 'host/' || host from worker")},
       (select coalesce(jsonb_object_agg(kind, n), '{}') from (select kind, count(*)::int as n from resource group by 1) c) as resources,
       (select coalesce(jsonb_agg(jsonb_build_object('slice', h.slice, 'resources', h.n)), '[]')
          from held h left join leases l using (slice) where l.alive is not true) as unowned,
       (select jsonb_build_object('owned', count(*) filter (where alive), 'unowned', count(*) filter (where not alive), 'lagging', count(*) filter (where lagging))
          from leases where slice like 'shard/%') as shards,
       (select coalesce(jsonb_agg(slice), '[]') from leases where lagging) as lagging,
       (select coalesce(jsonb_object_agg(kind, oldest), '{}') from (
          select kind, min(seen) as oldest from leases, jsonb_each_text(looks) as t(kind, seen) where alive group by 1) o) as oldest_looks,
       (select coalesce(jsonb_object_agg(holder, n), '{}') from (select holder, count(*)::int as n from leases where alive and slice like 'shard/%' group by 1) c) as shards_of,
       (select coalesce(jsonb_object_agg(kind, jsonb_build_object('passes', passes, 'failed', failed, 'actions', actions)), '{}') from (
          select kind, count(*)::int as passes, (count(*) filter (where outcome = 'failed'))::int as failed, coalesce(sum(jsonb_array_length(actions)), 0)::int as actions
          from pass where started_at > clock_timestamp() - interval '1 hour' group by 1) p) as last_hour,
       (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'host', host, 'pid', pid, 'role', role, 'version', version,
            'startedAt', extract(epoch from started_at)::float8 * 1000, 'alive', expires_at > now, 'stats', stats) order by started_at), '[]')
          from worker, facts) as workers`,
  );
  const [row] = rows;
  const { now, leases, kindPauses } = viewFacts(row);
  return {
    ...{ now, leases, kindPauses, resources: row.resources, lastHour: row.last_hour, workers: row.workers },
    ...{ unowned: row.unowned, shards: row.shards, lagging: row.lagging, oldestLooks: row.oldest_looks, shardsOf: row.shards_of },
  };
}
