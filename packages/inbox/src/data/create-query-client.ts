import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "../api/api-error.js";
import { keys } from "./query-keys.js";

/** What is asked of the API, kept in memory; a session that has ended sends everybody to the sign-in page. */
export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        // Unless it is known already, or about to be.
        if (isSignedOut(error) && client.getQueryState(keys.me)?.status === "success")
          void client.invalidateQueries({ queryKey: keys.me });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        gcTime: 10 * 60_000,
        // A refusal stays one however often it is asked; only what was not reached is tried again.
        retry: (count, error) => !isRefusal(error) && count < 2,
        retryDelay: (attempt) => 500 * 2 ** attempt,
      },
      mutations: { retry: false },
    },
  });
  return client;
}

/** Whether the API has answered and would say the same again. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500;
}

export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.status === 401;
}
