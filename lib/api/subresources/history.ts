/** …/revisions, …/events, …/passes: newest first. */
import { hideSecretsOf } from "@/lib/policies/admission";
import { diffJson, type Json } from "@/lib/resource";
import type { Revision, StoredEvent, StoredPass } from "@/lib/store";
import type { Call } from "../call";
import type { EntryList, EventEntry, PassEntry, RevisionEntry } from "../contract";
import { wholeNumber } from "../query";
import { json } from "../respond";
import { load } from "../verbs/get";

const DEFAULT_LIMIT = 100;
const MOST = 500;

const limitOf = (call: Call) => wholeNumber(call.query, "limit", 1, MOST) ?? DEFAULT_LIMIT;

export async function revisions(call: Call): Promise<Response> {
  const limit = limitOf(call);
  const { uid } = (await load(call)).metadata;
  // One more than shown, so that the oldest shown has something to be compared with.
  const stored = await call.dependencies.history.revisions(uid, limit + 1);
  const items = stored.slice(0, limit).map((revision, index) => revisionEntry(revision, stored[index + 1]));
  return json(call, { items } satisfies EntryList<RevisionEntry>);
}

function revisionEntry(revision: Revision, before: Revision | undefined): RevisionEntry {
  const { generation, at, author, message, convergedAt } = revision;
  const spec = hideSecretsOf(revision.spec);
  return {
    generation,
    at,
    author,
    message,
    spec,
    diff: diffJson(before ? hideSecretsOf(before.spec) : {}, spec, "spec"),
    ...(convergedAt === undefined ? {} : { convergedAt, timeToConvergeMs: Math.max(0, Date.parse(convergedAt) - Date.parse(at)) }),
  };
}

export async function events(call: Call): Promise<Response> {
  const limit = limitOf(call);
  const stored = await call.dependencies.history.events((await load(call)).metadata.uid, limit);
  return json(call, { items: stored.map(eventEntry) } satisfies EntryList<EventEntry>);
}

function eventEntry({ firstAt, lastAt, type, reason, message, count, generation }: StoredEvent): EventEntry {
  return { at: lastAt, firstAt, type, reason, message, count, generation };
}

export async function passes(call: Call): Promise<Response> {
  const limit = limitOf(call);
  const stored = await call.dependencies.history.passes((await load(call)).metadata.uid, limit);
  return json(call, { items: stored.map(passEntry) } satisfies EntryList<PassEntry>);
}

function passEntry({ actions, ...pass }: StoredPass): PassEntry {
  return { ...pass, actions: Array.isArray(actions) ? actions.map(actionEntry) : [] };
}

const text = (value: Json | undefined) => (typeof value === "string" ? value : "");

function actionEntry(stored: Json): PassEntry["actions"][number] {
  const action = typeof stored === "object" && stored !== null && !Array.isArray(stored) ? stored : {};
  const outcome = action.outcome === "failed" || action.outcome === "withheld" ? action.outcome : "done";
  const { type, effect, target, message, error } = action;
  return {
    type: text(type),
    effect: text(effect),
    target: text(target),
    message: text(message),
    outcome,
    ...(typeof error === "string" ? { error } : {}),
  };
}
