import {
  createParser,
  createSerializer,
  type inferParserType,
  parseAsBoolean,
  parseAsInteger,
  parseAsNativeArrayOf,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import { STATES } from "@/lib/resource";

export const SORT_FIELDS = ["name", "kind", "state", "driftCount", "attempts", "nextAttemptAt", "lastConvergedAt", "createdAt"] as const;
export type SortField = (typeof SORT_FIELDS)[number];
export interface Sort {
  field: SortField;
  descending: boolean;
}

const parseAsSort = createParser<Sort>({
  parse(text) {
    const descending = text.startsWith("-");
    const field = SORT_FIELDS.find((known) => known === text.slice(descending ? 1 : 0));
    return field ? { field, descending } : null;
  },
  serialize: ({ field, descending }) => `${descending ? "-" : ""}${field}`,
  eq: (a, b) => a.field === b.field && a.descending === b.descending,
});

export const MODES = ["Auto", "DryRun", "Observe"] as const;
export const PAGE_SIZE = 100;
export const DEFAULT_SORT: Sort = { field: "name", descending: false };

/** The page's whole state, as it stands in the URL. Its names are those of `GET /api/console/resources`. */
export const filterParsers = {
  q: parseAsString.withDefault(""),
  kind: parseAsNativeArrayOf(parseAsString),
  namespace: parseAsNativeArrayOf(parseAsString),
  state: parseAsNativeArrayOf(parseAsStringLiteral(STATES)),
  mode: parseAsNativeArrayOf(parseAsStringLiteral(MODES)),
  label: parseAsString.withDefault(""),
  drifted: parseAsBoolean.withDefault(false),
  sort: parseAsSort.withDefault(DEFAULT_SORT),
  page: parseAsInteger.withDefault(1),
};
export type Filter = inferParserType<typeof filterParsers>;
export type FacetName = "kind" | "namespace" | "state" | "mode";

export const CLEARED = { q: null, kind: null, namespace: null, state: null, mode: null, label: null, drifted: null, page: null } as const;

const serialize = createSerializer(filterParsers);
const { sort: _sort, page: _page, ...matchParsers } = filterParsers;
const serializeMatch = createSerializer(matchParsers);

/** The query string of the list, for the API and for links. Equal filters give equal strings. */
export function listQuery(filter: Filter): string {
  return serialize(filter).replace(/^\?/, "");
}

/** Only what decides which objects match: what a bulk action over "all matching" is bound to. */
export function matchQuery(filter: Filter): string {
  const { sort: _ignored, page: _unused, ...match } = filter;
  return serializeMatch(match).replace(/^\?/, "");
}

/** What is asked for, in words, one part per condition; empty when everything matches. */
export function describeFilter(filter: Filter): string[] {
  const oneOf = (label: string, values: readonly string[]) => (values.length > 0 ? [`${label} ${values.join(" or ")}`] : []);
  return [
    ...(filter.q ? [`text “${filter.q}”`] : []),
    ...oneOf("kind", filter.kind),
    ...oneOf("namespace", filter.namespace),
    ...oneOf("state", filter.state),
    ...oneOf("mode", filter.mode),
    ...(filter.label ? [`labels ${filter.label}`] : []),
    ...(filter.drifted ? ["with drift"] : []),
  ];
}

/** The values of a facet after one was clicked. */
export function toggleValue<T extends string>(values: readonly T[], value: T): T[] {
  return values.includes(value) ? values.filter((other) => other !== value) : [...values, value];
}

/** Sorting by a column again turns it round; a new column begins the way that shows the most telling first. */
export function nextSort(current: Sort, field: SortField): Sort {
  if (current.field === field) return { field, descending: !current.descending };
  return { field, descending: field === "driftCount" || field === "attempts" || field === "lastConvergedAt" || field === "createdAt" };
}

export function pageCount(total: number, limit: number): number {
  return Math.max(1, Math.ceil(total / limit));
}

/** Kinds by name, whichever of name and plural a link used. */
export function kindNames(words: readonly string[], kinds: readonly { name: string; plural: string }[]): string[] {
  return words.map((word) => kinds.find((kind) => kind.plural === word)?.name ?? word);
}
