import { toIso } from "@/lib/clock";
import { FINALIZER } from "@/lib/resource";
import type { Fence, Report } from "..";
import { shorten } from "../limits";
import { type Client, inTransaction, type Pool } from "./pool";

/**
 * Writes what passes leave behind, all or nothing per call. A report whose lease has another holder or epoch, or whose row has
 * a newer generation, is dropped whole. Returns the uids of those.
 */
export async function writeReports(pool: Pool, reports: Report[]): Promise<{ dropped: string[] }> {
  return inTransaction(pool, async (client) => {
    const valid = await withLease(client, reports);
    const kept = await write(client, valid);
    await release(client, kept);
    return { dropped: reports.filter((report) => !kept.includes(report)).map((report) => report.uid) };
  });
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
    select * from jsonb_to_recordset($1::jsonb) as v(uid uuid, kind text, namespace text, name text, generation bigint,
      status jsonb, observed bigint, state text, reason text, message text, drift int, attempts int, next_at timestamptz, converged_at timestamptz,
      pass_started_at timestamptz, pass_duration_ms int, pass_trigger text, pass_outcome text, pass_reason text, pass_message text, pass_attempt int,
      pass_actions jsonb, events jsonb, first_converged_at timestamptz)
  ), written as (
    update resource r set status = v.status, observed_generation = v.observed, state = v.state, reason = v.reason, message = v.message,
      drift_count = v.drift, attempts = v.attempts, next_attempt_at = v.next_at, last_converged_at = v.converged_at
    from v where r.uid = v.uid and r.generation = v.generation and v.status is not null
    returning r.uid, r.generation
  ), current as (
    select uid, generation from written union
    select r.uid, r.generation from v join resource r on r.uid = v.uid and r.generation = v.generation
    where not exists (select from written w where w.uid = v.uid and w.generation = v.generation)
  ), kept as (
    select v.* from v join current using (uid, generation)
  ), passed as (
    insert into pass (uid, kind, namespace, name, generation, started_at, duration_ms, trigger, outcome, reason, message, attempt, actions)
    select uid, kind, namespace, name, generation, pass_started_at, pass_duration_ms, pass_trigger, pass_outcome, pass_reason, pass_message,
      pass_attempt, pass_actions
    from kept where pass_started_at is not null
  ), told as (
    insert into event (uid, kind, namespace, name, generation, type, reason, message, count, first_at, last_at)
    select k.uid, min(k.kind), min(k.namespace), min(k.name), max(k.generation), e.type, e.reason, e.message, count(*), min(e.at), max(e.at)
    from kept k, jsonb_to_recordset(k.events) as e(type text, reason text, message text, at timestamptz)
    where k.events is not null
    group by k.uid, e.type, e.reason, e.message
    on conflict (uid, type, reason, message) do update
      set count = event.count + excluded.count, last_at = excluded.last_at, generation = excluded.generation
  ), converged as (
    update revision r set converged_at = k.first_converged_at from kept k
    where k.first_converged_at is not null and r.uid = k.uid and r.generation = k.generation and r.converged_at is null
  )
  select uid, generation from current`;

function valuesOf({ uid, key, generation, status, pass, events, convergedAt }: Report) {
  return {
    uid,
    ...key,
    generation,
    ...(status && {
      status,
      observed: status.observedGeneration,
      state: status.state,
      reason: status.reason,
      message: shorten(status.message),
      drift: status.drift?.count ?? 0,
      attempts: status.attempts,
      next_at: status.nextAttempt?.at,
      converged_at: status.lastConvergedAt,
    }),
    ...(pass && {
      pass_started_at: toIso(pass.startedAt),
      pass_duration_ms: Math.round(pass.durationMs),
      pass_trigger: pass.trigger,
      pass_outcome: pass.outcome,
      pass_reason: pass.reason,
      pass_message: shorten(pass.message),
      pass_attempt: pass.attempt,
      pass_actions: pass.actions,
    }),
    ...(events.length > 0 && {
      events: events.map(({ type, reason, message, at }) => ({ type, reason, message: shorten(message), at: toIso(at) })),
    }),
    ...(convergedAt !== undefined && { first_converged_at: toIso(convergedAt) }),
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
