/** A watch: one JSON object a line, from a resourceVersion on, in commit order and without gaps. */
import { SetpointError } from "@/lib/errors";
import { API_VERSION, type FieldRequirement, type LabelRequirement, matchesLabels, type Resource } from "@/lib/resource";
import type { Change } from "@/lib/store";
import type { Call } from "../call";
import { statusBody } from "../failures";
import { present } from "../present";
import { fieldsOf, flag, labelsOf, versionOf, wholeNumber } from "../query";
import { commonHeaders } from "../respond";
import { streamOf, type Wakeups, wakeups } from "../stream";

/** Of an object only these never change; others would need its state before each change. */
const WATCH_FIELDS = ["metadata.name", "metadata.namespace"];
const BATCH = 500;
const BOOKMARK_MS = 60_000;
const LONGEST_SECONDS = 3_600;
const SHORTEST_DEFAULT_SECONDS = 1_800;

interface Selection {
  labels: LabelRequirement[];
  fields: FieldRequirement[];
}

type Frame = { type: "ADDED" | "MODIFIED" | "DELETED"; resource: Resource };

export async function watch(call: Call): Promise<Response> {
  const { resources, clock } = call.dependencies;
  const selection = { labels: labelsOf(call.query), fields: fieldsOf(call.query, WATCH_FIELDS) };
  const version = versionOf(call.query);
  const bookmarks = flag(call.query, "allowWatchBookmarks");
  const seconds =
    wholeNumber(call.query, "timeoutSeconds", 0, 999_999_999) || SHORTEST_DEFAULT_SECONDS + clock.random() * SHORTEST_DEFAULT_SECONDS;
  if (version !== undefined && BigInt(version) > BigInt(await resources.currentRevision()))
    throw new SetpointError("BadRequest", `the resourceVersion ${version} is ahead of this server's newest`);
  const waker = wakeups(call);
  const frames = framesFrom(call, selection, waker, { version, bookmarks, ms: Math.min(seconds, LONGEST_SECONDS) * 1_000 });
  return new Response(streamOf(frames, waker.stop), {
    headers: { ...commonHeaders(call), "content-type": "application/json;stream=watch", "x-accel-buffering": "no" },
  });
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;

async function* framesFrom(
  call: Call,
  selection: Selection,
  waker: Wakeups,
  { version, bookmarks, ms }: { version?: string; bookmarks: boolean; ms: number },
): AsyncGenerator<string> {
  const { resources, clock } = call.dependencies;
  const end = clock.monotonic() + ms;
  try {
    let cursor = version ?? "0";
    if (cursor === "0") {
      const { items, resourceVersion } = await resources.list({ kind: call.kind.name, namespace: call.address.namespace, ...selection });
      yield await linesOf(
        call,
        items.map((resource) => ({ type: "ADDED", resource })),
      );
      cursor = resourceVersion;
    }
    let announced = clock.monotonic();
    for (;;) {
      const oldest = await resources.oldestRevision();
      if (BigInt(cursor) < BigInt(oldest) - 1n) return yield line(tooOld(call, cursor, oldest));
      const changes = await resources.changesAfter(cursor, BATCH);
      const frames = changes.flatMap((change) => frameOf(call, selection, change) ?? []);
      if (frames.length > 0) yield await linesOf(call, frames);
      cursor = changes.at(-1)?.resourceVersion ?? cursor;
      if (changes.length === BATCH) continue;
      if (bookmarks && clock.monotonic() - announced >= BOOKMARK_MS) {
        announced = clock.monotonic();
        yield line({ type: "BOOKMARK", object: { apiVersion: API_VERSION, kind: call.kind.name, metadata: { resourceVersion: cursor } } });
      }
      const left = end - clock.monotonic();
      if (left <= 0 || !(await waker.next(Math.min(left, BOOKMARK_MS)))) return;
    }
  } catch (error) {
    // The answer has begun: the client learns by an ERROR event, and comes back.
    if (call.closing.aborted || call.request.signal.aborted) return;
    call.dependencies.log("watch ended", { requestId: call.id, error: error instanceof Error ? error.message : String(error) });
    const status = new SetpointError("ServiceUnavailable", "The watch cannot go on right now: list and watch again.");
    yield line({ type: "ERROR", object: statusBody(call, status, 1) });
  } finally {
    waker.stop();
  }
}

function tooOld(call: Call, cursor: string, oldest: string) {
  return { type: "ERROR", object: statusBody(call, new SetpointError("Expired", `too old resource version: ${cursor} (${oldest})`)) };
}

async function linesOf(call: Call, frames: Frame[]): Promise<string> {
  const objects = await present(
    call.dependencies,
    frames.map((frame) => frame.resource),
  );
  return frames.map(({ type }, index) => line({ type, object: objects[index] })).join("");
}

/** What a change means to a selection: an object that leaves it is DELETED with the labels it had, one that enters is ADDED. */
export function frameFor(selection: Selection, { type, resource, oldLabels }: Change): Frame | undefined {
  const matches = matchesFields(resource, selection.fields) && matchesLabels(resource.metadata.labels, selection.labels);
  if (type !== "MODIFIED") return matches ? { type, resource } : undefined;
  const before = oldLabels ?? resource.metadata.labels;
  const matched = matchesFields(resource, selection.fields) && matchesLabels(before, selection.labels);
  if (matches) return { type: matched ? "MODIFIED" : "ADDED", resource };
  if (!matched) return undefined;
  return { type: "DELETED", resource: { ...resource, metadata: { ...resource.metadata, labels: before } } };
}

function frameOf(call: Call, selection: Selection, change: Change): Frame | undefined {
  const { resource } = change;
  if (resource.kind !== call.kind.name) return undefined;
  if (call.address.namespace !== undefined && resource.metadata.namespace !== call.address.namespace) return undefined;
  return frameFor(selection, change);
}

function matchesFields({ metadata }: Resource, fields: FieldRequirement[]): boolean {
  return fields.every(({ path, operator, value }) => {
    const actual = path === "metadata.name" ? metadata.name : metadata.namespace;
    return (actual === value) === (operator === "=");
  });
}
