import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type {
  ApiObject,
  BindingEntry,
  ControllersAnswer,
  EntryList,
  EventEntry,
  KindInfo,
  Me,
  Overview,
  PassEntry,
  PlanAnswer,
  ResourcePage,
  RevisionEntry,
  RoleEntry,
  ServiceAccountEntry,
  TokenEntry,
  UserEntry,
} from "@/lib/api/contract";
import { queryKeys } from "./keys";
import { type ListFilter, listQuery, type ObjectRef, objectPath } from "./paths";
import { request } from "./request";

export const RANGES = ["1h", "24h", "7d", "30d"] as const;
export type Range = (typeof RANGES)[number];

/** What rarely changes while a page is open. */
const SETTLED_MS = 5 * 60_000;

/** react-query options for every answer the pages read: `useQuery(queries.object(ref))`. */
export const queries = {
  object: (ref: ObjectRef) =>
    queryOptions({ queryKey: queryKeys.object(ref, "object"), queryFn: ({ signal }) => request<ApiObject>(objectPath(ref), { signal }) }),

  plan: (ref: ObjectRef) =>
    queryOptions({
      queryKey: queryKeys.object(ref, "plan"),
      queryFn: ({ signal }) => request<PlanAnswer>(objectPath(ref, "plan"), { signal }),
    }),

  revisions: (ref: ObjectRef) =>
    queryOptions({
      queryKey: queryKeys.object(ref, "revisions"),
      queryFn: ({ signal }) => request<EntryList<RevisionEntry>>(objectPath(ref, "revisions"), { signal }),
    }),

  events: (ref: ObjectRef) =>
    queryOptions({
      queryKey: queryKeys.object(ref, "events"),
      queryFn: ({ signal }) => request<EntryList<EventEntry>>(objectPath(ref, "events"), { signal }),
    }),

  passes: (ref: ObjectRef) =>
    queryOptions({
      queryKey: queryKeys.object(ref, "passes"),
      queryFn: ({ signal }) => request<EntryList<PassEntry>>(objectPath(ref, "passes"), { signal }),
    }),

  resources: (filter: ListFilter) => {
    const query = listQuery(filter);
    return queryOptions({
      queryKey: queryKeys.resources(query),
      queryFn: ({ signal }) => request<ResourcePage>(`/api/console/resources${query === "" ? "" : `?${query}`}`, { signal }),
      placeholderData: keepPreviousData,
    });
  },

  overview: (range: Range) =>
    queryOptions({
      queryKey: queryKeys.overview(range),
      queryFn: ({ signal }) => request<Overview>(`/api/console/overview?range=${range}`, { signal }),
      placeholderData: keepPreviousData,
    }),

  controllers: () =>
    queryOptions({
      queryKey: queryKeys.controllers(),
      queryFn: ({ signal }) => request<ControllersAnswer>("/api/console/controllers", { signal }),
      // Queues move without any resource changing, so notices alone would leave the numbers standing.
      refetchInterval: 5000,
    }),

  kinds: () =>
    queryOptions({
      queryKey: queryKeys.kinds(),
      queryFn: async ({ signal }) => entries<KindInfo>(await request<KindInfo[] | EntryList<KindInfo>>("/api/console/kinds", { signal })),
      staleTime: SETTLED_MS,
    }),

  me: () =>
    queryOptions({ queryKey: queryKeys.me(), queryFn: ({ signal }) => request<Me>("/api/console/me", { signal }), staleTime: SETTLED_MS }),

  users: () =>
    queryOptions({
      queryKey: queryKeys.users(),
      queryFn: async ({ signal }) =>
        entries<UserEntry>(await request<UserEntry[] | EntryList<UserEntry>>("/api/console/users", { signal })),
    }),

  /** One's own. */
  tokens: () =>
    queryOptions({
      queryKey: queryKeys.tokens(),
      queryFn: async ({ signal }) => (await request<EntryList<TokenEntry>>("/api/console/tokens", { signal })).items,
    }),

  serviceAccounts: () =>
    queryOptions({
      queryKey: queryKeys.serviceAccounts(),
      queryFn: async ({ signal }) => (await request<EntryList<ServiceAccountEntry>>("/api/console/serviceaccounts", { signal })).items,
    }),

  roles: () =>
    queryOptions({
      queryKey: queryKeys.roles(),
      queryFn: async ({ signal }) => (await request<EntryList<RoleEntry>>("/api/console/roles", { signal })).items,
    }),

  bindings: () =>
    queryOptions({
      queryKey: queryKeys.bindings(),
      queryFn: async ({ signal }) => (await request<EntryList<BindingEntry>>("/api/console/bindings", { signal })).items,
    }),
};

function entries<T>(answer: T[] | EntryList<T>): T[] {
  return Array.isArray(answer) ? answer : answer.items;
}
