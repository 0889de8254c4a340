import { toIso } from "@/lib/clock";
import type { BatchName, EventRecord, Fence, Report } from "..";
import { shorten } from "../limits";
import { arrayOf, BOOL, INT4, INT8, JSONB, TEXT, TIMESTAMPTZ, UUID } from "./arrays";
import type { Pool } from "./pool";

/**
 * Writes what passes leave behind, all or nothing per call, by the function `report` of the store. A report whose lease has another
 * holder or epoch, or whose row has a newer generation, is dropped whole. Returns the uids of those.
 */
export async function writeReports(pool: Pool, reports: Report[], batch?: BatchName): Promise<{ dropped: string[] }> {
  const [first] = reports;
  if (!first) return { dropped: [] };
  const byText = new Map(reports.map(({ fence }) => [textOf(fence), fence]));
  const places = new Map([...byText.keys()].map((text, index) => [text, index + 1]));
  const fences = [...byText.values()];
  const parameters = [
    first.fence.holder,
    batch?.line,
    batch?.name,
    arrayOf(TEXT, fences, ({ slice }) => slice),
    arrayOf(TEXT, fences, ({ holder }) => holder),
    arrayOf(INT8, fences, ({ epoch }) => BigInt(epoch)),
    arrayOf(INT4, reports, ({ fence }) => places.get(textOf(fence))),
    arrayOf(UUID, reports, ({ uid }) => uid),
    arrayOf(INT8, reports, ({ generation }) => BigInt(generation)),
    arrayOf(JSONB, reports, ({ status }) => status && JSON.stringify(status)),
    arrayOf(TEXT, reports, ({ status }) => status && unlessIn(shorten(status.message), status.message)),
    arrayOf(TIMESTAMPTZ, reports, ({ pass }) => pass?.startedAt),
    arrayOf(INT4, reports, ({ pass }) => pass && Math.round(pass.durationMs)),
    arrayOf(TEXT, reports, ({ pass }) => pass?.trigger),
    arrayOf(TEXT, reports, ({ pass }) => pass?.outcome),
    arrayOf(TEXT, reports, ({ pass, status }) => pass && unlessIn(status?.reason, pass.reason)),
    arrayOf(TEXT, reports, ({ pass, status }) => pass && unlessIn(status?.message, pass.message)),
    arrayOf(INT4, reports, ({ pass }) => pass?.attempt),
    arrayOf(JSONB, reports, ({ pass }) => pass && JSON.stringify(pass.actions)),
    arrayOf(JSONB, reports, ({ events }) => (events.length > 0 ? JSON.stringify(events.map(written)) : undefined)),
    arrayOf(TIMESTAMPTZ, reports, ({ convergedAt }) => convergedAt),
    arrayOf(BOOL, reports, ({ released }) => released),
  ];
  const { rows } = await pool.query(`select report(${parameters.map((_, index) => `$${index + 1}`).join(", ")}) as dropped`, parameters);
  return { dropped: (rows[0].dropped as number[]).flatMap((n) => reports[n - 1]?.uid ?? []) };
}

const textOf = ({ slice, holder, epoch }: Fence) => `${slice}/${holder}/${epoch}`;

/** What is in the status already, or in the row, is not sent a second time. */
const unlessIn = (known: string | undefined, text: string) => (known === text ? undefined : shorten(text));

const written = ({ type, reason, message, at }: EventRecord) => ({ type, reason, message: shorten(message), at: toIso(at) });
