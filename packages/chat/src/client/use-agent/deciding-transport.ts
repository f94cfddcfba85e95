import type { ThreadApprovals } from "./thread-approvals.js";

/** The hook's request for a decision. */
interface DecisionRequest {
  toolCallId: string;
  action: "approve" | "deny";
  reason?: string | undefined;
}

/**
 * Wraps the hook's transport so that decisions carry the digest of the call that was shown. The hook's
 * `approveToolCall` and `denyToolCall` then work without `approveWithoutDigest`. All other requests go to the given
 * transport.
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
