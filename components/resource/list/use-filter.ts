"use client";

import { useQuery } from "@tanstack/react-query";
import { throttle, useQueryStates } from "nuqs";
import { queries } from "@/lib/client";
import { STATES } from "@/lib/resource";
import {
  CLEARED,
  DEFAULT_SORT,
  type FacetName,
  type Filter,
  filterParsers,
  kindNames,
  MODES,
  nextSort,
  type Sort,
  type SortField,
  toggleValue,
} from "./filter";

/** Typing replaces the entry of the history, at a pace that browsers accept; every other change can be gone back from. */
const WHILE_TYPING = { history: "replace", limitUrlUpdates: throttle(300) } as const;

export interface FilterControls {
  filter: Filter;
  type(changes: { q?: string; label?: string }): void;
  toggle(facet: FacetName, value: string): void;
  setDrifted(drifted: boolean): void;
  sortBy(field: SortField): void;
  setSort(sort: Sort): void;
  goTo(page: number): void;
  clear(): void;
}

/** The list's whole state, kept in the URL and nowhere else. */
export function useFilter(): FilterControls {
  const [raw, setFilter] = useQueryStates(filterParsers, { history: "push", scroll: false });
  const kinds = useQuery(queries.kinds()).data;
  const filter = { ...raw, kind: kindNames(raw.kind, kinds ?? []), page: Math.max(1, raw.page) };
  const setSort = (sort: Sort) => void setFilter({ sort: filterParsers.sort.eq(sort, DEFAULT_SORT) ? null : sort, page: null });
  return {
    filter,
    type: (changes) => void setFilter({ ...changes, page: null }, WHILE_TYPING),
    toggle(facet, value) {
      const next = toggleValue<string>(filter[facet], value);
      void setFilter({ [facet]: knownValues(facet, next), page: null });
    },
    setDrifted: (drifted) => void setFilter({ drifted: drifted || null, page: null }),
    sortBy: (field) => setSort(nextSort(filter.sort, field)),
    setSort,
    goTo: (page) => void setFilter({ page: page <= 1 ? null : page }),
    clear: () => void setFilter(CLEARED),
  };
}

/** Only values that the facet can have; null takes it out of the URL. */
function knownValues(facet: FacetName, values: readonly string[]): string[] | null {
  const known: readonly string[] | undefined = facet === "state" ? STATES : facet === "mode" ? MODES : undefined;
  const left = values.filter((value) => known === undefined || known.includes(value));
  return left.length > 0 ? left : null;
}
