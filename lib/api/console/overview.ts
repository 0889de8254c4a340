/** GET /api/console/overview: the numbers of the first page. */
import { toIso } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { type Json, STATES, type State } from "@/lib/resource";
import type { StateCount } from "@/lib/store/console";
import type { AnyKind, Call } from "../call";
import type { Overview } from "../contract";
import { staleAfterByKind } from "../freshness";
import { one } from "../query";
import { json } from "../respond";
import { rowOf } from "./rows";

const HOUR_MS = 3_600_000;
const RANGES: Record<string, { ms: number; buckets: number }> = {
  "1h": { ms: HOUR_MS, buckets: 60 },
  "24h": { ms: 24 * HOUR_MS, buckets: 48 },
  "7d": { ms: 168 * HOUR_MS, buckets: 56 },
  "30d": { ms: 720 * HOUR_MS, buckets: 60 },
};

export async function overview(call: Call): Promise<Response> {
  const { engine, console: store } = call.dependencies;
  const word = one(call.query, "range") ?? "24h";
  const range = Object.hasOwn(RANGES, word) ? RANGES[word] : undefined;
  if (!range) throw new SetpointError("BadRequest", `the parameter range must be one of ${Object.keys(RANGES).join(", ")}`);
  const facts = await store.overview(range, staleAfterByKind(engine.kinds), {
    kinds: engine.kinds.map(({ name }) => name),
    visible: call.visible(),
  });
  const kinds = new Map(engine.kinds.map((kind) => [kind.name, kind]));
  const pluralOf = (kind: string) => kinds.get(kind)?.plural ?? kind.toLowerCase();
  const answer: Overview = {
    serverTime: toIso(call.now),
    total: facts.counts.reduce((sum, { count }) => sum + count, 0),
    states: statesOf(facts.counts),
    passes: facts.passes,
    timeToConverge: facts.timeToConverge,
    attention: facts.attention.map(({ resource, state }) => rowOf(resource, state, kinds, facts)),
    trend: facts.trend.map(({ at, ...counts }) => ({ at: toIso(at), ...counts })),
    byKind: byKind(engine.kinds, facts.counts),
    pausesEnding: facts.pausesEnding.map((pause) => ({ ...pause, plural: pluralOf(pause.kind) })),
    recent: facts.recent.map(({ at, actor, verb, kind, namespace, name, detail, outcome, error }) => ({
      at: toIso(at),
      actor,
      verb,
      kind,
      plural: pluralOf(kind),
      namespace,
      name,
      message: error ?? messageOf(detail),
      outcome,
    })),
  };
  return json(call, answer);
}

function statesOf(counts: readonly StateCount[]): Overview["states"] {
  const states = Object.fromEntries(STATES.map((state) => [state, 0])) as Record<State, number>;
  for (const { state, count } of counts) states[state] += count;
  return states;
}

/** Kinds without objects are listed too: an empty product shows what it can do. */
function byKind(kinds: readonly AnyKind[], counts: readonly StateCount[]): Overview["byKind"] {
  return kinds.map(({ name, plural }) => {
    const own = counts.filter((entry) => entry.kind === name);
    return {
      kind: name,
      plural,
      total: own.reduce((sum, { count }) => sum + count, 0),
      states: Object.fromEntries(own.map(({ state, count }) => [state, count])),
    };
  });
}

/** The sentence of an audit row, if it has one. */
function messageOf(detail: Json): string {
  if (typeof detail !== "object" || detail === null || Array.isArray(detail)) return "";
  if (typeof detail.message === "string") return detail.message;
  if (typeof detail.reason === "string") return detail.reason;
  if (Array.isArray(detail.changed)) return detail.changed.length === 0 ? "nothing changed" : `changed ${detail.changed.join(", ")}`;
  return "";
}
