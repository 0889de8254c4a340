/** A watch of events. They have no feed: what was seen since is read again, when the feed of changes moves and once in a while. */
import { asSetpointError, SetpointError } from "@/lib/errors";
import type { EventQuery, StoredEventRow } from "@/lib/store/catalogue";
import type { Call } from "../call";
import { statusBody } from "../failures";
import { wholeNumber } from "../query";
import { bad, commonHeaders } from "../respond";
import { Shaper } from "../shapes";
import { streamOf, type Wakeups, wakeups } from "../stream";
import { EVENT_PRINTERS, eventOf, readable, selection } from "./events";

const LOOK_MS = 1_000;
const LONGEST_SECONDS = 3_600;
/** Workers' clocks differ, and reports are written some time after what they tell of: each look goes back this far. */
const OVERLAP_MS = 10_000;

export async function watchEvents(call: Call): Promise<Response> {
  const { clock } = call.dependencies;
  const version = call.query.get("resourceVersion") || "0";
  if (!/^\d{1,15}$/.test(version)) throw bad("the resourceVersion is not one of this server");
  const seconds = wholeNumber(call.query, "timeoutSeconds", 0, 999_999_999) || LONGEST_SECONDS;
  const shaper = new Shaper(call, EVENT_PRINTERS);
  const waker = wakeups(call);
  const end = clock.monotonic() + Math.min(seconds, LONGEST_SECONDS) * 1_000;
  const lines = linesFrom(call, shaper, waker, selection(call), { since: Number(version), end });
  return new Response(streamOf(lines, waker.stop), {
    headers: { ...commonHeaders(call), "content-type": "application/json;stream=watch", "x-accel-buffering": "no" },
  });
}

async function* linesFrom(
  call: Call,
  shaper: Shaper<ReturnType<typeof eventOf>>,
  waker: Wakeups,
  query: EventQuery | undefined,
  { since, end }: { since: number; end: number },
): AsyncGenerator<string> {
  const { clock, catalogue } = call.dependencies;
  const mayRead = readable(call);
  const counts = new Map<string, StoredEventRow>();
  let from = since;
  try {
    for (;;) {
      const items = query ? await catalogue.events({ ...query, seenAfterMs: from }) : [];
      const news = items.filter((row) => counts.get(row.id)?.count !== row.count && mayRead(row));
      for (const row of news) {
        const type = counts.has(row.id) || row.count > 1 ? "MODIFIED" : "ADDED";
        yield `${JSON.stringify({ type, object: shaper.frame(eventOf(row)) })}\n`;
      }
      for (const row of items) counts.set(row.id, row);
      const newest = Math.max(since, ...items.map(({ lastAt }) => Date.parse(lastAt)));
      from = Math.max(from, newest - OVERLAP_MS);
      for (const [id, row] of counts) if (Date.parse(row.lastAt) < from) counts.delete(id);
      const left = end - clock.monotonic();
      if (left <= 0 || !(await waker.next(Math.min(left, LOOK_MS)))) return;
    }
  } catch (error) {
    if (call.closing.aborted || call.request.signal.aborted) return;
    call.dependencies.log("watch ended", { requestId: call.id, error: asSetpointError(error).message });
    const status = new SetpointError("ServiceUnavailable", "The watch cannot go on right now: list and watch again.");
    yield `${JSON.stringify({ type: "ERROR", object: statusBody(call, status, 1) })}\n`;
  } finally {
    waker.stop();
  }
}
