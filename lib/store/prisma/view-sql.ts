/** What a resource is called, in SQL: `lib/resource/view.ts` over the leases and pauses of the same statement. A test compares both. */
import type { Pause } from "@/lib/resource";
import type { LeaseState } from "..";
import type { ViewFacts } from "../console";

/** Leases and pauses beside the rows of the same statement. `common`: the looks are those its holder publishes for all it holds. */
export const FACTS = `
  facts as materialized (select clock_timestamp() as now),
  leases as materialized (
    select l.slice, l.holder, coalesce(w.expires_at > now, false) as alive,
      -- The function's own meaning, without calling it for each of a thousand where nothing is behind.
      case when not l.covered or w.id is null then l.looks when not (w.behind ? l.slice) then w.looks
        else lease_looks(l.slice, l.looks, l.covered, w.looks, w.behind) end as looks,
      l.covered and w.id is not null and not (w.behind ? l.slice) as common,
      coalesce(w.expires_at > now and w.behind ? l.slice and exists (
        select from jsonb_each(w.behind->l.slice) b(kind, seen) where jsonb_typeof(seen) <> 'null' or l.taken_at < now - interval '100 s'), false) as lagging
    from facts cross join lease l left join worker w on w.id = l.holder),
  pauses as materialized (select kind, paused, pause_in_force(paused) as in_force from kind_control where paused is not null)`;

/** `slices`: a query for those whose leases are wanted; there are more than a thousand. */
export const factsJson = (slices: string) => `
  (select extract(epoch from now) * 1000 from facts)::float8 as now,
  (select coalesce(jsonb_agg(jsonb_build_object('slice', slice, 'holder', holder, 'alive', alive, 'looks', looks)), '[]') from leases where slice in (${slices})) as leases,
  (select coalesce(jsonb_object_agg(kind, paused), '{}') from pauses) as pauses`;

export function viewFacts(row: {
  now: number;
  leases: (LeaseState & { holder: string | null })[];
  pauses: Record<string, Pause>;
}): ViewFacts {
  const leases = row.leases.map(({ holder, ...rest }) => ({ ...rest, ...(holder === null ? {} : { holder }) }));
  return { now: Math.round(row.now), leases, kindPauses: row.pauses };
}

/** `lib/resource/view.ts` and `lib/api/freshness.ts` in SQL, over `resource r` left-joined with `leases l` and `pauses k`. */
export function stateSql(staleAfter: string): string {
  const looked = "greatest(nullif(l.looks->>r.kind, '')::timestamptz, r.last_converged_at)";
  const tooOld = `r.state = 'Converged' and (${looked} is null or ${looked} <= (select now from facts) - coalesce((${staleAfter}::jsonb->>r.kind)::float8, 100000) * interval '1 millisecond')`;
  return `case
    when l.alive is not true or (${tooOld}) then 'Stale'
    when k.in_force or (r.control ? 'paused' and pause_in_force(r.control->'paused')) then 'Paused'
    when r.status is null or r.observed_generation < r.generation then case when r.deletion_at is null then 'Progressing' else 'Deleting' end
    else r.state end`;
}

/** Whether a row with a kind and a namespace may be seen, as `isVisible` says. `visible` is a parameter; undefined when everything may. */
export function visibleSql(visible: string | undefined, row = "r"): string {
  return visible === undefined ? "true" : `coalesce((${visible}::jsonb -> ${row}.kind) ?| array['*', ${row}.namespace], false)`;
}

export const JOINS = "left join leases l on l.slice = r.slice left join pauses k on k.kind = r.kind";
