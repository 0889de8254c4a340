import { toIso } from "@/lib/clock";
import type { Fence, Report } from "..";
import { shorten } from "../limits";
import type { Pool } from "./pool";

/**
 * Writes what passes leave behind, all or nothing per call, by the function `report` of the store. A report whose lease has another
 * holder or epoch, or whose row has a newer generation, is dropped whole. Returns the uids of those.
 */
export async function writeReports(pool: Pool, reports: Report[], batch?: string): Promise<{ dropped: string[] }> {
  const [first] = reports;
  if (!first) return { dropped: [] };
  const fences = new Map(reports.map(({ fence }) => [textOf(fence), fence]));
  const places = new Map([...fences.keys()].map((text, index) => [text, index + 1]));
  const values = reports.map((report, n) => valuesOf(report, n, places.get(textOf(report.fence))));
  const { rows } = await pool.query("select report($1, $2, $3, $4, $5::bigint[], $6) as dropped", [
    first.fence.holder,
    batch ?? null,
    [...fences.values()].map(({ slice }) => slice),
    [...fences.values()].map(({ holder }) => holder),
    [...fences.values()].map(({ epoch }) => epoch),
    JSON.stringify(values),
  ]);
  return { dropped: (rows[0].dropped as number[]).flatMap((n) => reports[n]?.uid ?? []) };
}

const textOf = ({ slice, holder, epoch }: Fence) => `${slice}/${holder}/${epoch}`;

/** What is in the status already, or in the row, is not sent a second time. */
function valuesOf({ uid, generation, status, pass, events, convergedAt, released }: Report, n: number, fence: number | undefined) {
  const unlessIn = (known: string | undefined, text: string) => (known === text ? undefined : shorten(text));
  return {
    n,
    fence,
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
    released,
  };
}
