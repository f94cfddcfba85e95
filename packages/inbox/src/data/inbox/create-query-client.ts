import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { ApprovalsApiError } from "countersign/client";
import { keys } from "./query-keys.js";

/** Creates the query cache. A 401 response asks the reader to sign in. */
export function createQueryClient(): QueryClient {
  const onError = (error: unknown) => {
    // Skip this if the reader is already asked or /me is loading.
    if (isSignedOut(error) && client.getQueryState(keys.me)?.status === "success")
      void client.invalidateQueries({ queryKey: keys.me });
  };
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        gcTime: 10 * 60_000,
        // Retrying a refusal does not help.
        retry: (count, error) => !isRefusal(error) && count < 2,
        retryDelay: (attempt) => 500 * 2 ** attempt,
      },
      mutations: { retry: false },
    },
  });
  return client;
}

/** Whether the API refused the request, so that a retry would fail too. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApprovalsApiError && error.status < 500;
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApprovalsApiError && error.status === 401;
}
