import { useQuery } from "@tanstack/react-query";
import type { Approval } from "../../api/approval.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

const openStatuses: readonly Approval["status"][] = ["proposed", "pending"];

/**
 * The calls for which an approved call waits, as far as the reader may see them: the calls of one reply start together, once all
 * of them are decided.
 */
export function useWaitsFor({ id, requestId, status }: Approval): readonly Approval[] {
  const { api } = useInbox();
  const { data } = useQuery({
    queryKey: keys.request(requestId),
    enabled: status === "approved",
    queryFn: ({ signal }) => api.getRequest({ id: requestId, signal }),
  });
  if (status !== "approved" || !data) return [];
  return data.items.filter((other) => other.id !== id && openStatuses.includes(other.status));
}
