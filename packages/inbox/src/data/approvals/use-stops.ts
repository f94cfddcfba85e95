import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { useMe } from "../people/use-me.js";

/** The longest reason that the API accepts, in characters. */
export const maxReasonLength = 500;

/** Whether the reader can stop and release calls. */
export function useMayStop(): boolean {
  return useMe().data?.can.stop === true;
}

/** The active stops, for readers who can stop calls. */
export function useStops(enabled: boolean) {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.stops,
    enabled,
    queryFn: ({ signal }) => api.listStops({ query: { engaged: "true", limit: 200 }, signal }),
    select: ({ items }) => items,
  });
}

export function useEngageStop() {
  const { api } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { tool: string; reason: string }) => api.engageStop({ body }),
    // The approvals that it covers are reloaded when the `stops` event arrives.
    onSettled: () => client.invalidateQueries({ queryKey: keys.stops }),
  });
}

export function useReleaseStop() {
  const { api } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, reason }: { id: string; reason: string }) => api.releaseStop({ id, body: { reason } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.stops }),
  });
}
