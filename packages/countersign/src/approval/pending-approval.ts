import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { Approval } from "./approval.js";
import { shown } from "./visible-arguments.js";

export const pendingApprovalStatuses = ["pending", "approved", "denied"] as const;

/** An approval in the extended HistoryConfig. */
export interface PendingApproval {
  approvalId: string;
  threadId: string;
  /**
   * The `data.eventId` of the event `hitl.approval.resolved` that the host waits for; for an agent's own call, the id of
   * its request. Not a secret.
   */
  eventIdToWaitFor: string;
  toolName: string;
  toolInput: Record<string, unknown>;
  toolCallId: string;
  status: (typeof pendingApprovalStatuses)[number];
  createdAt: Date;
  expiresAt?: Date;
}

/** An approval in that form, with the arguments that other systems may see. */
export function pendingApprovalOf(approval: Approval, status: PendingApproval["status"]): PendingApproval {
  const { input } = shown(approval, { sink: "channel" });
  return {
    approvalId: approval.id,
    threadId: approval.threadId ?? "",
    eventIdToWaitFor: approval.awaitedEventId ?? approval.requestId,
    toolName: approval.toolName,
    toolInput: isPlainObject(input) ? input : {},
    toolCallId: approval.toolCallId,
    status,
    createdAt: approval.createdAt,
    ...(approval.expiresAt ? { expiresAt: approval.expiresAt } : {}),
  };
}
