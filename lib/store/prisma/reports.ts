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
    const kept = await writeStatuses(client, valid);
    await insertPasses(client, kept);
    await upsertEvents(client, kept);
    await markConverged(client, kept);
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

/** Writes the statuses of reports whose row is as they say; returns all of those reports, also where the status was stored already. */
async function writeStatuses(client: Client, reports: Report[]): Promise<Report[]> {
  if (reports.length === 0) return [];
  const values = reports.map(({ uid, generation, status }) => ({
    uid,
    generation,
    ...(status && {
      status,
      observed: status.observedGeneration,
      state: status.state,
      reason: status.reason,
      message: shorten(status.message),
      drift: status.drift?.count ?? 0,
      attempts: status.attempts,
      next_at: status.nextAttempt?.at ?? null,
      converged_at: status.lastConvergedAt ?? null,
    }),
  }));
  const { rows } = await client.query(
    `with v as materialized (
       select * from jsonb_to_recordset($1::jsonb) as v(uid uuid, generation bigint, status jsonb, observed bigint, state text, reason text,
         message text, drift int, attempts int, next_at timestamptz, converged_at timestamptz)
     ), written as (
       update resource r set status = v.status, observed_generation = v.observed, state = v.state, reason = v.reason, message = v.message,
         drift_count = v.drift, attempts = v.attempts, next_attempt_at = v.next_at, last_converged_at = v.converged_at
       from v where r.uid = v.uid and r.generation = v.generation and v.status is not null
     )
     select r.uid, r.generation from resource r join v on r.uid = v.uid and r.generation = v.generation`,
    [JSON.stringify(values)],
  );
  const current = new Set(rows.map(({ uid, generation }) => `${uid}/${generation}`));
  return reports.filter(({ uid, generation }) => current.has(`${uid}/${generation}`));
}

async function insertPasses(client: Client, reports: Report[]): Promise<void> {
  const values = reports.flatMap(({ uid, key, pass }) =>
    pass
      ? [
          {
            uid,
            ...key,
            ...pass,
            message: shorten(pass.message),
            startedAt: toIso(pass.startedAt),
            durationMs: Math.round(pass.durationMs),
          },
        ]
      : [],
  );
  if (values.length === 0) return;
  await client.query(
    `insert into pass (uid, kind, namespace, name, generation, started_at, duration_ms, trigger, outcome, reason, message, attempt, actions)
     select uid, kind, namespace, name, generation, "startedAt", "durationMs", trigger, outcome, reason, message, attempt, actions
     from jsonb_to_recordset($1::jsonb) as v(uid uuid, kind text, namespace text, name text, generation bigint, "startedAt" timestamptz,
       "durationMs" int, trigger text, outcome text, reason text, message text, attempt int, actions jsonb)`,
    [JSON.stringify(values)],
  );
}

async function upsertEvents(client: Client, reports: Report[]): Promise<void> {
  const merged = new Map<
    string,
    {
      uid: string;
      kind: string;
      namespace: string;
      name: string;
      count: number;
      first: string;
      last: string;
      type: string;
      reason: string;
      message: string;
      generation: number;
    }
  >();
  for (const { uid, key, events } of reports) {
    for (const event of events) {
      const message = shorten(event.message);
      const id = JSON.stringify([uid, event.type, event.reason, message]);
      const at = toIso(event.at);
      const known = merged.get(id);
      merged.set(id, {
        uid,
        ...key,
        type: event.type,
        reason: event.reason,
        message,
        generation: event.generation,
        count: (known?.count ?? 0) + 1,
        first: known?.first ?? at,
        last: at,
      });
    }
  }
  if (merged.size === 0) return;
  await client.query(
    `insert into event (uid, kind, namespace, name, generation, type, reason, message, count, first_at, last_at)
     select uid, kind, namespace, name, generation, type, reason, message, count, first, last
     from jsonb_to_recordset($1::jsonb) as v(uid uuid, kind text, namespace text, name text, generation bigint, type text, reason text,
       message text, count int, first timestamptz, last timestamptz)
     on conflict (uid, type, reason, message) do update
       set count = event.count + excluded.count, last_at = excluded.last_at, generation = excluded.generation`,
    [JSON.stringify([...merged.values()])],
  );
}

async function markConverged(client: Client, reports: Report[]): Promise<void> {
  const values = reports.flatMap(({ uid, generation, convergedAt }) =>
    convergedAt === undefined ? [] : [{ uid, generation, at: toIso(convergedAt) }],
  );
  if (values.length === 0) return;
  await client.query(
    `update revision r set converged_at = v.at from jsonb_to_recordset($1::jsonb) as v(uid uuid, generation bigint, at timestamptz)
     where r.uid = v.uid and r.generation = v.generation and r.converged_at is null`,
    [JSON.stringify(values)],
  );
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
