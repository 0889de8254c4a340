/** GET /api/console/resources: one page over all kinds, with facets. */
import { toIso } from "@/lib/clock";
import { SetpointError } from "@/lib/errors";
import { type Mode, parseLabelSelector, STATES, type State } from "@/lib/resource";
import { type PageFilter, SORTS, type Sort } from "@/lib/store/console";
import type { AnyKind, Call } from "../call";
import type { ResourcePage } from "../contract";
import { staleAfterByKind } from "../freshness";
import { flag, many, one, wholeNumber } from "../query";
import { json } from "../respond";
import { rowOf } from "./rows";

const MODES: readonly Mode[] = ["Auto", "DryRun", "Observe"];
const DEFAULT_LIMIT = 50;
const MOST = 200;
const LAST_PAGE = 1_000_000;

const bad = (message: string) => new SetpointError("BadRequest", message);

function among<T extends string>(query: URLSearchParams, name: string, known: readonly T[]): T[] {
  return many(query, name).map((value) => {
    const found = known.find((candidate) => candidate === value);
    if (found === undefined) throw bad(`the parameter ${name} must be one of ${known.join(", ")}`);
    return found;
  });
}

/** The filter part of a list's query string. A kind may be given by name or by plural. */
export function filterOf(query: URLSearchParams, kinds: readonly AnyKind[]): PageFilter {
  return {
    text: one(query, "q"),
    kinds: many(query, "kind").map((word) => kinds.find((kind) => kind.plural === word)?.name ?? word),
    namespaces: many(query, "namespace"),
    states: among<State>(query, "state", STATES),
    modes: among(query, "mode", MODES),
    labels: many(query, "label").flatMap(parseLabelSelector),
    ...(query.has("drifted") ? { drifted: flag(query, "drifted") } : {}),
  };
}

function sortOf(query: URLSearchParams): { sort: Sort; descending: boolean } {
  const text = one(query, "sort") ?? "name";
  const descending = text.startsWith("-");
  const sort = SORTS.find((candidate) => candidate === text.slice(descending ? 1 : 0));
  if (!sort) throw bad(`the parameter sort must be one of ${SORTS.join(", ")}, with - in front for descending`);
  return { sort, descending };
}

export async function resources(call: Call): Promise<Response> {
  const { engine, console: store } = call.dependencies;
  const limit = wholeNumber(call.query, "limit", 1, MOST) ?? DEFAULT_LIMIT;
  const page = wholeNumber(call.query, "page", 1, LAST_PAGE) ?? 1;
  const found = await store.page({
    ...filterOf(call.query, engine.kinds),
    ...sortOf(call.query),
    staleAfterMs: staleAfterByKind(engine.kinds),
    visible: call.visible(),
    offset: (page - 1) * limit,
    limit,
  });
  const kinds = new Map(engine.kinds.map((kind) => [kind.name, kind]));
  const answer: ResourcePage = {
    rows: found.items.map(({ resource, state }) => rowOf(resource, state, kinds, found)),
    total: found.total,
    page,
    limit,
    facets: found.facets,
    serverTime: toIso(call.now),
  };
  return json(call, answer);
}
