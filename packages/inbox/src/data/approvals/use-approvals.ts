import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Approval } from "../../api/approval.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";
import type { DecisionBody } from "./use-decide.js";
import { useLiveUpdates } from "./use-live-updates.js";

/** Maximum number of approvals that the hook returns. */
const maxApprovals = 200;

/** The approvals of a conversation, and functions that decide them. */
export interface ThreadApprovals {
  /** Oldest first, at most the latest 200; empty while they are loaded. */
  approvals: readonly Approval[];
  isLoading: boolean;
  /** Why they could not be loaded; `null` if they could. */
  error: Error | null;
  reload: () => Promise<void>;
  /** @throws ApprovalsApiError if the API refuses the decision, and ApprovalsConnectionError without a response. */
  approve: (approval: Approval) => Promise<Approval>;
  /** Denies the call. The agent reads the reason. @throws as `approve` */
  deny: (approval: Approval, reason?: string) => Promise<Approval>;
  /** Answers a question, or gives the result of a call that a person does. @throws as `approve` */
  respond: (approval: Approval, response: unknown) => Promise<Approval>;
}

/**
 * A conversation's approvals that the reader may see, kept current by the API's events. Each decision carries the digest
 * of the approval that it is given, so it counts only for the arguments that were shown. After a lost response, the same
 * decision can be sent again and counts once. Call it below a `CountersignInboxProvider`.
 *
 * @example
 * ```ts
 * import { useApprovals } from "@countersign/inbox";
 *
 * export function useDenyAll(threadId: string): () => Promise<unknown> {
 *   const { approvals, deny } = useApprovals(threadId);
 *   const pending = approvals.filter(({ status, mayDecide }) => status === "pending" && mayDecide);
 *   return () => Promise.all(pending.map((approval) => deny(approval, "Not today")));
 * }
 * ```
 */
export function useApprovals(threadId: string): ThreadApprovals {
  const { api, link } = useInbox();
  const client = useQueryClient();
  useLiveUpdates();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keys.thread(threadId),
    queryFn: ({ signal }) =>
      api.listApprovals({ query: { threadId, sort: "-created", limit: maxApprovals }, signal }),
    refetchInterval: () => (link.get() === "live" ? 60_000 : 10_000),
  });
  const approvals = useMemo(() => (data?.items ?? []).toSorted(byCreation), [data]);
  const decisions = useMemo(() => {
    const decide = async ({ id, digest }: Approval, body: Omit<DecisionBody, "digest">) => {
      const decided = await api.decide({ id, body: { ...body, digest } });
      putApproval(client, decided);
      return decided;
    };
    return {
      approve: (approval: Approval) => decide(approval, { type: "approve" }),
      deny: (approval: Approval, reason?: string) =>
        decide(approval, { type: "deny", ...(reason?.trim() && { reason: reason.trim() }) }),
      respond: (approval: Approval, response: unknown) => decide(approval, { type: "respond", response }),
    };
  }, [api, client]);
  return {
    approvals,
    isLoading: isPending,
    error,
    reload: async () => void (await refetch()),
    ...decisions,
  };
}

function byCreation(a: Approval, b: Approval): number {
  return a.createdAt.localeCompare(b.createdAt);
}
