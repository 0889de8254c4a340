import { toIso } from "@/lib/clock";
import { FINALIZER } from "@/lib/resource";
import type { Fence, Report } from "..";
import { shorten } from "../limits";
import { withoutHistory } from "../reports";
import { type Client, inTransaction, type Pool } from "./pool";

/**
 * Writes what passes leave behind, all or nothing per call. A report whose lease has another holder or epoch, or whose row has
 * a newer generation, is dropped whole. Returns the uids of those.
 */
export async function writeReports(pool: Pool, reports: Report[], batch?: string): Promise<{ dropped: string[] }> {
  return inTransaction(pool, async (client) => {
    const sent = (await isWritten(client, reports, batch)) ? reports.map(withoutHistory) : reports;
    const kept = await write(client, await withLease(client, sent));
    await release(client, kept);
    const current = new Set(kept);
    return { dropped: sent.filter((report) => !current.has(report)).map((report) => report.uid) };
  });
}

/** Whether this is the worker's newest batch, sent again; takes note of it otherwise. */
async function isWritten(client: Client, [first]: Report[], batch?: string): Promise<boolean> {
  if (!first || batch === undefined) return false;
  const { rowCount } = await client.query(
    `insert into report_batch as b (worker, batch) values ($1, $2)
     on conflict (worker) do update set batch = excluded.batch where b.batch <> excluded.batch`,
    [first.fence.holder, batch],
  );
  return rowCount === 0;
}

/** Those whose fence holds; keeps take-overs of their holder from committing before this transaction. */
async function withLease(client: Client, reports: Report[]): Promise<Report[]> {
  const valid = new Set<string>();
  for (const [holder, fences] of byHolder(reports)) {
    const { rows } = await client.query("select slice from lease_valid($1, $2, $3::bigint[]) as slice", [
      holder,
      fences.map(({ slice }) => slice),
      fences.map(({ epoch }) => epoch),
    ]);
    const slices = new Set(rows.map((row) => row.slice));
    for (const fence of fences) if (slices.has(fence.slice)) valid.add(textOf(fence));
  }
  return reports.filter(({ fence }) => valid.has(textOf(fence)));
}

const textOf = ({ slice, holder, epoch }: Fence) => `${slice}/${holder}/${epoch}`;

/** Each fence once. Holders in order, so that two calls with several never wait for each other. */
function byHolder(reports: Report[]): [string, Fence[]][] {
  const holders = new Map<string, Map<string, Fence>>();
  for (const { fence } of reports) {
    const fences = holders.get(fence.holder) ?? new Map<string, Fence>();
    holders.set(fence.holder, fences.set(textOf(fence), fence));
  }
  return [...holders].sort(([a], [b]) => (a < b ? -1 : 1)).map(([holder, fences]) => [holder, [...fences.values()]]);
}

/**
 * Writes the reports whose row is as they say, each with its pass, events and convergence; returns those. One whose status is stored
 * already counts as written. One statement: what is sent, parsed and looked up per report is so once.
 */
async function write(client: Client, reports: Report[]): Promise<Report[]> {
  if (reports.length === 0) return [];
  const { rows } = await client.query(WRITE, [JSON.stringify(reports.map(valuesOf))]);
  const current = new Set(rows.map(({ uid, generation }) => `${uid}/${generation}`));
  return reports.filter(({ uid, generation }) => current.has(`${uid}/${generation}`));
}

const WRITE = `
  with v as materialized (
    select * from jsonb_to_recordset($1::jsonb) as v(uid uuid, generation bigint, status jsonb, message text,
      pass_started_at timestamptz, pass_duration_ms int, pass_trigger text, pass_outcome text, pass_reason text, pass_message text, pass_attempt int,
      pass_actions jsonb, events jsonb, first_converged_at timestamptz)
  ), written as (
    update resource r set status = v.status, message = coalesce(v.message, v.status->>'message'), state = v.status->>'state',
      reason = v.status->>'reason', observed_generation = (v.status->'observedGeneration')::bigint, attempts = (v.status->'attempts')::int,
      drift_count = coalesce((v.status->'drift'->'count')::int, 0), next_attempt_at = (v.status->'nextAttempt'->>'at')::timestamptz,
      last_converged_at = (v.status->>'lastConvergedAt')::timestamptz
    from v where r.uid = v.uid and r.generation = v.generation and v.status is not null
    returning r.uid, r.generation, r.kind, r.namespace, r.name
  ), current as (
    select * from written union all
    select distinct r.uid, r.generation, r.kind, r.namespace, r.name from v join resource r on r.uid = v.uid and r.generation = v.generation
    where not exists (select from written w where w.uid = v.uid and w.generation = v.generation)
  ), kept as (
    select * from v join current using (uid, generation)
  ), passed as (
    insert into pass (uid, kind, namespace, name, generation, started_at, duration_ms, trigger, outcome, reason, message, attempt, actions)
    select uid, kind, namespace, name, generation, pass_started_at, pass_duration_ms, pass_trigger, pass_outcome,
      coalesce(pass_reason, status->>'reason'), coalesce(pass_message, message, status->>'message'), pass_attempt, pass_actions
    from kept where pass_started_at is not null
  ), told as (
    insert into event (uid, kind, namespace, name, generation, type, reason, message, count, first_at, last_at)
    select k.uid, k.kind, k.namespace, k.name, max(k.generation), e.type, e.reason, e.message, count(*), min(e.at), max(e.at)
    from kept k, jsonb_to_recordset(k.events) as e(type text, reason text, message text, at timestamptz)
    where k.events is not null
    group by k.uid, k.kind, k.namespace, k.name, e.type, e.reason, e.message
    on conflict (uid, type, reason, message) do update
      set count = event.count + excluded.count, last_at = excluded.last_at, generation = excluded.generation
  ), converged as (
    update revision r set converged_at = k.first_converged_at from kept k
    where k.first_converged_at is not null and r.uid = k.uid and r.generation = k.generation and r.converged_at is null
  )
  select uid, generation from current`;

/** What is in the status already, or in the row, is not sent a second time. */
function valuesOf({ uid, generation, status, pass, events, convergedAt }: Report) {
  const unlessIn = (known: string | undefined, text: string) => (known === text ? undefined : shorten(text));
  return {
    uid,
    generation,
    status,
    message: status && unlessIn(shorten(status.message), status.message),
    ...(pass && {
      pass_started_at: toIso(pass.startedAt),
      pass_duration_ms: Math.round(pass.durationMs),
      pass_trigger: pass.trigger,
      pass_outcome: pass.outcome,
      pass_reason: unlessIn(status?.reason, pass.reason),
      pass_message: unlessIn(status?.message, pass.message),
      pass_attempt: pass.attempt,
      pass_actions: pass.actions,
    }),
    events:
      events.length > 0
        ? events.map(({ type, reason, message, at }) => ({ type, reason, message: shorten(message), at: toIso(at) }))
        : undefined,
    first_converged_at: convergedAt === undefined ? undefined : toIso(convergedAt),
  };
}

async function release(client: Client, reports: Report[]): Promise<void> {
  const uids = reports.filter((report) => report.released).map((report) => report.uid);
  if (uids.length === 0) return;
  await client.query(
    "update resource set finalizers = array_remove(finalizers, $2) where uid = any($1::uuid[]) and deletion_at is not null",
    [uids, FINALIZER],
  );
  await client.query("delete from resource where uid = any($1::uuid[]) and deletion_at is not null and finalizers = '{}'", [uids]);
}
