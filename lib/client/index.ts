export { ApiError, asApiError, isConflict } from "./error";
export { type ObjectPart, queryKeys } from "./keys";
export type { LiveState, LiveStatus } from "./live";
export { LiveProvider, useLive, useServerNow } from "./live-context";
export * from "./mutations";
export {
  collectionPath,
  type ListFilter,
  listQuery,
  type ObjectRef,
  objectPath,
  resourceHref,
  resourcesHref,
  type Subresource,
} from "./paths";
export { queries, RANGES, type Range } from "./queries";
export { makeQueryClient } from "./query-client";
export { request } from "./request";
