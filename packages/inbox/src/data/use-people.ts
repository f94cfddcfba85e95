import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Person } from "../api/approval.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";

/** Whom the host names to the reader; nobody where it keeps no directory. */
export function usePeople({ enabled = true } = {}): UseQueryResult<readonly Person[]> {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.people,
    enabled,
    queryFn: async ({ signal }) => (await api.get<{ items: Person[] }>("/people", {}, signal)).items,
    staleTime: 5 * 60_000,
    // Somebody waits for it to type an id instead.
    retry: false,
  });
}
