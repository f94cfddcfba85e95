import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { ApiError } from "../api/api-error.js";
import type { Me } from "../api/approval.js";
import type { InboxApi } from "../api/create-api.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";

/** Who is signed in; fails with 401 where nobody is. */
export function useMe(): UseQueryResult<Me> {
  const { api } = useInbox();
  return useQuery({ queryKey: keys.me, queryFn: ({ signal }) => readMe(api, signal), staleTime: 5 * 60_000 });
}

async function readMe(api: InboxApi, signal: AbortSignal): Promise<Me> {
  try {
    return await api.get<Me>("/me", {}, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    // An API without /me still tells whether somebody is signed in.
    await api.get("/approvals", { limit: 1 }, signal);
    return { principal: null };
  }
}
