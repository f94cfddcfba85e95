import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Me } from "../../api/records.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

/** The signed-in principal. Fails with 401 if nobody is signed in. */
export function useMe(): UseQueryResult<Me> {
  const { api } = useInbox();
  return useQuery({ queryKey: keys.me, queryFn: ({ signal }) => api.me({ signal }), staleTime: 5 * 60_000 });
}
