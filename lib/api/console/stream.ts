/** GET /api/console/stream: what changed, for pages that then refetch it. At most four batches a second, whatever happens. */
import { toIso } from "@/lib/clock";
import { asSetpointError } from "@/lib/errors";
import { isVisible, type Notice } from "@/lib/store/console";
import type { Call } from "../call";
import { commonHeaders } from "../respond";
import { streamOf, type Wakeups, wakeups } from "../stream";

const BATCH = 1_000;
const INTERVAL_MS = 250;
const HEARTBEAT_MS = 15_000;
/** More than this at once is cheaper to refetch than to list. */
const MOST_NOTICES = 5_000;

export async function stream(call: Call): Promise<Response> {
  const waker = wakeups(call);
  return new Response(streamOf(events(call, waker), waker.stop), {
    headers: { ...commonHeaders(call), "content-type": "text/event-stream; charset=utf-8", "x-accel-buffering": "no" },
  });
}

function event(name: string, data: unknown, id?: string): string {
  return `event: ${name}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

async function* events(call: Call, waker: Wakeups): AsyncGenerator<string> {
  const { resources, clock } = call.dependencies;
  try {
    const start = await startOf(call);
    let cursor = start.cursor;
    yield `retry: 2000\n\n${event("hello", { serverTime: toIso(clock.now()) }, cursor)}`;
    if (start.gap) yield event("gap", {}, cursor);
    let spokeAt = clock.monotonic();
    for (;;) {
      const { notices, behind } = await read(call, cursor);
      if (behind) cursor = await resources.currentRevision();
      else cursor = notices.at(-1)?.resourceVersion ?? cursor;
      if (behind) yield event("gap", {}, cursor);
      const seen = seenOf(call, notices);
      if (!behind && seen.length > 0) yield event("change", newestOfEach(seen), cursor);
      if (behind || seen.length > 0) {
        spokeAt = clock.monotonic();
        await clock.sleep(INTERVAL_MS);
      }
      if (!(await waker.next(Math.max(0, spokeAt + HEARTBEAT_MS - clock.monotonic())))) return;
      if (clock.monotonic() - spokeAt >= HEARTBEAT_MS) {
        spokeAt = clock.monotonic();
        yield ": still here\n\n";
      }
    }
  } catch (error) {
    // The browser comes back with the last id it has seen.
    call.dependencies.log("event stream ended", { requestId: call.id, error: asSetpointError(error).message });
  } finally {
    waker.stop();
  }
}

/** Where to go on: after the last event that the browser has seen, if the feed still reaches back that far. */
async function startOf(call: Call): Promise<{ cursor: string; gap: boolean }> {
  const { resources } = call.dependencies;
  const current = await resources.currentRevision();
  const last = call.request.headers.get("last-event-id");
  if (last === null || last === "") return { cursor: current, gap: false };
  const known = /^\d{1,18}$/.test(last) && BigInt(last) <= BigInt(current) && BigInt(last) >= BigInt(await resources.oldestRevision()) - 1n;
  return known ? { cursor: last, gap: false } : { cursor: current, gap: true };
}

/** Everything after the cursor; `behind` when that is too much, or no longer in the feed. */
async function read(call: Call, cursor: string): Promise<{ notices: Notice[]; behind: boolean }> {
  const { resources, console: store } = call.dependencies;
  const notices: Notice[] = [];
  for (;;) {
    const batch = await store.noticesAfter(notices.at(-1)?.resourceVersion ?? cursor, BATCH);
    notices.push(...batch);
    // Asked after reading: what is compacted between the two is noticed here, and never skipped.
    if (batch.length < BATCH) return { notices, behind: BigInt(cursor) < BigInt(await resources.oldestRevision()) - 1n };
    if (notices.length >= MOST_NOTICES) return { notices: [], behind: true };
  }
}

/** Those of objects that may be watched. */
function seenOf(call: Call, notices: readonly Notice[]): readonly Notice[] {
  const visible = call.visible("watch");
  return visible ? notices.filter(({ kind, namespace }) => isVisible(visible, kind, namespace)) : notices;
}

/** Of several changes to one object the newest tells all; one that came and changed is still new. */
function newestOfEach(notices: readonly Notice[]): Notice[] {
  const newest = new Map<string, Notice>();
  for (const notice of notices) {
    const before = newest.get(notice.uid);
    newest.delete(notice.uid);
    newest.set(notice.uid, before?.type === "ADDED" && notice.type === "MODIFIED" ? { ...notice, type: "ADDED" } : notice);
  }
  return [...newest.values()];
}
