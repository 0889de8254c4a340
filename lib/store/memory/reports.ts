import { toIso } from "@/lib/clock";
import { FINALIZER } from "@/lib/resource";
import type { BatchName, Report } from "..";
import { shorten } from "../limits";
import { isHeld } from "./leases";
import type { Tables } from "./tables";

/** All or nothing, like a transaction: what could throw is looked up before the first change. */
export function writeReports(tables: Tables, reports: Report[], batch?: BatchName): { dropped: string[] } {
  const sent = isWritten(tables, reports, batch) ? reports.map(withoutHistory) : reports;
  const kept = sent.filter(
    (report) => isHeld(tables, report.fence) && tables.rows.get(report.uid)?.resource.metadata.generation === report.generation,
  );
  for (const report of kept) write(tables, report);
  for (const report of kept) if (report.released) release(tables, report.uid);
  return { dropped: sent.filter((report) => !kept.includes(report)).map(({ uid }) => uid) };
}

function isWritten({ batches }: Tables, [first]: Report[], batch?: BatchName): boolean {
  if (!first || batch === undefined) return false;
  const line = `${first.fence.holder}/${batch.line}`;
  const written = batches.get(line) === batch.name;
  batches.set(line, batch.name);
  return written;
}

function write(tables: Tables, report: Report): void {
  const { uid, generation, status, pass, convergedAt } = report;
  const row = tables.rows.get(uid);
  if (row && status) tables.update(uid, { ...row.resource, status });
  if (pass) {
    const { startedAt, durationMs, message, ...rest } = pass;
    const list = tables.passes.get(uid) ?? [];
    list.push({
      ...rest,
      id: String(tables.nextId()),
      startedAt: toIso(startedAt),
      durationMs: Math.round(durationMs),
      message: shorten(message),
    });
    tables.passes.set(uid, list);
  }
  for (const event of report.events) addEvent(tables, uid, event);
  const revision = convergedAt === undefined ? undefined : tables.revisions.get(uid)?.find((each) => each.generation === generation);
  if (revision && convergedAt !== undefined) revision.convergedAt ??= toIso(convergedAt);
}

function addEvent(tables: Tables, uid: string, { type, reason, message, generation, at }: Report["events"][number]): void {
  const list = tables.events.get(uid) ?? [];
  tables.events.set(uid, list);
  const text = shorten(message);
  const lastAt = toIso(at);
  const known = list.find((each) => each.type === type && each.reason === reason && each.message === text);
  if (known) Object.assign(known, { count: known.count + 1, lastAt, generation });
  else list.push({ type, reason, message: text, generation, count: 1, firstAt: lastAt, lastAt });
}

function release(tables: Tables, uid: string): void {
  const resource = tables.rows.get(uid)?.resource;
  if (!resource?.metadata.deletionTimestamp) return;
  const finalizers = (resource.metadata.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  const after = tables.update(uid, { ...resource, metadata: { ...resource.metadata, finalizers } });
  if (!after.metadata.finalizers) tables.remove(uid);
}

/** What of a report is the same however often it is written. */
function withoutHistory({ pass: _pass, ...report }: Report): Report {
  return { ...report, events: [] };
}
