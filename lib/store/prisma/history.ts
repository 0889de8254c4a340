import { toIso } from "@/lib/clock";
import type { AuditEntry, HistoryStore } from "..";
import { type Client, type Pool, storeError } from "./pool";

const iso = (value: Date) => toIso(value.getTime());

/** Writes one audit row through the connection whose transaction it belongs to. */
export async function insertAudit(client: Pick<Client, "query">, entry: AuditEntry): Promise<void> {
  await client.query(
    `insert into audit (actor, verb, kind, namespace, name, uid, generation, detail, outcome, error, finished_at)
     values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10, case when $9 = 'pending' then null else clock_timestamp() end)`,
    [
      entry.actor,
      entry.verb,
      entry.kind,
      entry.namespace,
      entry.name,
      entry.uid ?? null,
      entry.generation ?? null,
      entry.detail ?? {},
      entry.outcome,
      entry.error ?? null,
    ],
  );
}

export function historyStore(pool: Pool): HistoryStore {
  const query = (sql: string, parameters: unknown[]) => pool.query(sql, parameters).catch(storeError);
  return {
    async revisions(uid, limit) {
      const { rows } = await query("select * from revision where uid=$1 order by generation desc limit $2", [uid, limit]);
      return rows.map((r) => ({
        generation: Number(r.generation),
        spec: r.spec,
        message: r.message,
        author: r.author,
        at: iso(r.at),
        ...(r.converged_at === null ? {} : { convergedAt: iso(r.converged_at) }),
      }));
    },
    async events(uid, limit) {
      const { rows } = await query("select * from event where uid=$1 order by last_at desc limit $2", [uid, limit]);
      return rows.map((r) => ({
        type: r.type,
        reason: r.reason,
        message: r.message,
        count: r.count,
        generation: Number(r.generation),
        firstAt: iso(r.first_at),
        lastAt: iso(r.last_at),
      }));
    },
    async passes(uid, limit) {
      const { rows } = await query("select * from pass where uid=$1 order by id desc limit $2", [uid, limit]);
      return rows.map((r) => ({
        id: r.id,
        generation: Number(r.generation),
        startedAt: iso(r.started_at),
        durationMs: r.duration_ms,
        trigger: r.trigger,
        outcome: r.outcome,
        reason: r.reason,
        message: r.message,
        attempt: r.attempt,
        actions: r.actions,
      }));
    },
    audit: async (entry) => insertAudit(pool, entry).catch(storeError),
  };
}
