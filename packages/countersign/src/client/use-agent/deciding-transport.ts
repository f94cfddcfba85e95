import type { ThreadApprovals } from "./thread-approvals.js";

/** What the hook asks of its transport for a decision. */
interface DecisionRequest {
  toolCallId: string;
  action: "approve" | "deny";
  reason?: string | undefined;
}

/**
 * The hook's transport with decisions that carry the digest of the call that was shown, so that its `approveToolCall`
 * and `denyToolCall` need no `approveWithoutDigest`. All else goes to the given transport.
 */
export function decidingTransport<Transport extends object>(
  transport: Transport,
  approvals: Pick<ThreadApprovals, "decide">,
): Transport {
  return Object.create(transport, {
    approveToolCall: {
      value: ({ toolCallId, action, reason }: DecisionRequest) =>
        approvals.decide(toolCallId, { type: action, reason }),
    },
  }) as Transport;
}
