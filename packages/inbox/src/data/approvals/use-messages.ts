import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { Message } from "../../api/records.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

/** Interval at which a message that is being sent is read again, in milliseconds. No event reports its end. */
const lookMs = 5_000;

/** The messages of channels about one approval, oldest first. */
export function useMessages(approvalId: string) {
  const { api } = useInbox();
  return useQuery<Message[]>({
    queryKey: keys.messages(approvalId),
    retry: false,
    refetchInterval: ({ state }) => (state.data?.some((message) => message.state === "due") ? lookMs : false),
    queryFn: async ({ signal }): Promise<Message[]> =>
      (await api.listDeliveries({ id: approvalId, signal })).items,
  });
}

/** Sends a failed or abandoned message again. */
export function useSendAgain(approvalId: string) {
  const { api } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.replayDelivery({ id }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.messages(approvalId) }),
  });
}
