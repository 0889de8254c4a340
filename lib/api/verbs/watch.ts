/** A watch: one JSON object a line, from a resourceVersion on, in commit order and without gaps. */
import { SetpointError } from "@/lib/errors";
import { API_VERSION, type FieldRequirement, type LabelRequirement, matchesLabels, type Resource } from "@/lib/resource";
import type { Change } from "@/lib/store";
import { tooOld } from "@/lib/store/feed";
import type { Call } from "../call";
import type { ApiObject } from "../contract";
import { statusBody } from "../failures";
import { present } from "../present";
import { fieldsOf, flag, labelsOf, one, optionsFault, versionOf, wholeNumber } from "../query";
import { commonHeaders } from "../respond";
import { type Shaper, shaperOf } from "../shapes";
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

interface Asked {
  version?: string;
  bookmarks: boolean;
  /** How long it may go on, in milliseconds. */
  ms: number;
  initial?: boolean;
  shaper: Shaper<ApiObject>;
  /** The newest revision when it began. */
  current: string;
}

type Frame = { type: "ADDED" | "MODIFIED" | "DELETED"; resource: Resource };

export async function watch(call: Call): Promise<Response> {
  const { resources, clock } = call.dependencies;
  const shaper = shaperOf(call);
  const selection = { labels: labelsOf(call.query), fields: fieldsOf(call.query, WATCH_FIELDS) };
  const version = versionOf(call.query);
  const bookmarks = flag(call.query, "allowWatchBookmarks");
  const seconds =
    wholeNumber(call.query, "timeoutSeconds", 0, 999_999_999) || SHORTEST_DEFAULT_SECONDS + clock.random() * SHORTEST_DEFAULT_SECONDS;
  const initial = initialEvents(call);
  const current = await resources.currentRevision();
  const waker = wakeups(call);
  const ms = Math.min(seconds, LONGEST_SECONDS) * 1_000;
  const frames = framesFrom(call, selection, waker, { version, bookmarks, ms, initial, shaper, current });
  return new Response(streamOf(frames, waker.stop), {
    headers: { ...commonHeaders(call), "content-type": "application/json;stream=watch", "x-accel-buffering": "no" },
  });
}

/** `sendInitialEvents=true`: what is there comes first, and a bookmark says when that is all. Undefined: as `resourceVersion` says. */
function initialEvents(call: Call): boolean | undefined {
  const asked = one(call.query, "sendInitialEvents");
  const match = one(call.query, "resourceVersionMatch");
  if (asked === undefined) {
    if (match === undefined) return undefined;
    const why = "Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    throw optionsFault("ListOptions", "resourceVersionMatch", "FieldValueForbidden", why);
  }
  if (match !== "NotOlderThan") {
    const why = "Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    throw optionsFault("ListOptions", "resourceVersionMatch", "FieldValueForbidden", why);
  }
  return flag(call.query, "sendInitialEvents");
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;

async function* framesFrom(
  call: Call,
  selection: Selection,
  waker: Wakeups,
  { version, bookmarks, ms, initial, shaper, current }: Asked,
): AsyncGenerator<string> {
  const { resources, clock } = call.dependencies;
  const kind = { apiVersion: API_VERSION, kind: call.kind.name };
  const end = clock.monotonic() + ms;
  try {
    // A version that was never given out here: the store is older than what the client knows, as after a restore.
    if (version !== undefined && BigInt(version) > BigInt(current)) throw tooOld(version, current);
    let cursor = version ?? "0";
    if (initial ?? cursor === "0") {
      const { items, resourceVersion } = await resources.list({ kind: call.kind.name, namespace: call.address.namespace, ...selection });
      yield await linesOf(
        call,
        shaper,
        items.map((resource) => ({ type: "ADDED", resource })),
      );
      cursor = resourceVersion;
      if (initial && bookmarks)
        yield line({ type: "BOOKMARK", object: shaper.bookmark(kind, cursor, { "k8s.io/initial-events-end": "true" }) });
    } else if (cursor === "0") cursor = current;
    let announced = clock.monotonic();
    for (;;) {
      const changes = await resources.changesAfter(cursor, BATCH);
      const frames = changes.flatMap((change) => frameOf(call, selection, change) ?? []);
      if (frames.length > 0) yield await linesOf(call, shaper, frames);
      cursor = changes.at(-1)?.resourceVersion ?? cursor;
      if (changes.length === BATCH) continue;
      if (bookmarks && clock.monotonic() - announced >= BOOKMARK_MS) {
        announced = clock.monotonic();
        yield line({ type: "BOOKMARK", object: shaper.bookmark(kind, cursor) });
      }
      const left = end - clock.monotonic();
      if (left <= 0 || !(await waker.next(Math.min(left, BOOKMARK_MS)))) return;
    }
  } catch (error) {
    // The answer has begun: the client learns by an ERROR event, and comes back.
    if (error instanceof SetpointError && error.reason === "Expired") return yield line({ type: "ERROR", object: statusBody(call, error) });
    if (call.closing.aborted || call.request.signal.aborted) return;
    call.dependencies.log("watch ended", { requestId: call.id, error: error instanceof Error ? error.message : String(error) });
    const status = new SetpointError("ServiceUnavailable", "The watch cannot go on right now: list and watch again.");
    yield line({ type: "ERROR", object: statusBody(call, status, 1) });
  } finally {
    waker.stop();
  }
}

async function linesOf(call: Call, shaper: Asked["shaper"], frames: Frame[]): Promise<string> {
  const objects = await present(
    call.dependencies,
    frames.map((frame) => frame.resource),
  );
  return frames
    .map(({ type }, index) => {
      const object = objects[index];
      return object ? line({ type, object: shaper.frame(object) }) : "";
    })
    .join("");
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
