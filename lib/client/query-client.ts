import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./error";

const RETRIES = 2;

/** The cache of one tab. Refusals are not repeated; only what may pass by itself is. `onSignedOut` runs when a session has ended. */
export function makeQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (error instanceof ApiError && error.status === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        // Notices of the event stream say when an answer is outdated; time alone rarely does.
        staleTime: 30_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => failures < RETRIES && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      },
    },
  });
}
