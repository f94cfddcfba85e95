import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Person } from "../../api/records.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

/** The people whom the host lists for the reader; empty without a directory. */
export function usePeople({ enabled = true } = {}): UseQueryResult<readonly Person[]> {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.people,
    enabled,
    queryFn: async ({ signal }) => (await api.listPeople({ signal })).items,
    staleTime: 5 * 60_000,
    // No retries: the reader can type an id instead.
    retry: false,
  });
}
