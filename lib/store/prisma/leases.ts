import { toIso } from "@/lib/clock";
import type { EngineStore, LeaseState, Renewal } from "..";
import { type Pool, storeError } from "./pool";
import { FACTS } from "./view-sql";

/** Workers and what they hold. What decides is in the functions of the shards migration, so that each step is one round trip. */
export function leases(pool: Pool): Pick<EngineStore, "renew" | "handOver" | "leave" | "leases"> {
  return {
    async renew(beat) {
      const { rows } = await pool
        .query(
          `select lease_renew($1) as renewal, (select extract(epoch from min(w.expires_at) - clock_timestamp())::float8 * 1000
             from worker w where w.id <> $2 and w.expires_at > clock_timestamp() and exists (select from lease l where l.holder = w.id)) as lapse`,
          [{ ...beat, startedAt: toIso(beat.startedAt) }, beat.id],
        )
        .catch(storeError);
      const { surplus, leases } = rows[0].renewal as { surplus: number; leases: [string, string][] };
      const lapse = rows[0].lapse as number | null;
      return {
        surplus,
        leases: leases.map(([slice, epoch]) => ({ slice, holder: beat.id, epoch })),
        ...(lapse === null ? {} : { lapseMs: lapse }),
      } satisfies Renewal;
    },
    async handOver(holder, slices) {
      const { rows } = await pool.query("select lease_hand_over($1, $2, false) as slice", [holder, slices]).catch(storeError);
      return rows.map((row) => row.slice);
    },
    async leave(holder) {
      await pool.query("select lease_hand_over($1, '{}', true)", [holder]).catch(storeError);
    },
    async leases() {
      const { rows } = await pool
        .query(`with ${FACTS} select l.slice, l.holder, l.alive, case when l.common then null else l.looks end as looks from leases l`)
        .catch(storeError);
      const { rows: workers } = await pool.query("select id, looks from worker").catch(storeError);
      return joined(rows, new Map(workers.map(({ id, looks }) => [id, looks])));
    },
  };
}

interface LeaseRow {
  slice: string;
  holder: string | null;
  alive: boolean;
  /** Null where they are those of its holder. */
  looks: LeaseState["looks"] | null;
}

/** Most of a thousand leases have the looks of their worker: sent once per worker, not once per lease. */
function joined(rows: LeaseRow[], published: Map<string, LeaseState["looks"]>): LeaseState[] {
  return rows.map(({ slice, holder, alive, looks }) => ({
    slice,
    alive,
    looks: looks ?? (holder === null ? {} : (published.get(holder) ?? {})),
    ...(holder === null ? {} : { holder }),
  }));
}
