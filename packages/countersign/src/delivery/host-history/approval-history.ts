import type { PendingApproval } from "../../approval/pending-approval.js";

/**
 * The methods for approvals that a HistoryConfig of your own may have. Countersign calls `savePendingApproval` for each
 * call that waits for a person in a guarded network or agent with this history, and `resolvePendingApproval` once it is
 * decided or over: after the commit, at least once, and in this order. Both must be idempotent by `approvalId`, and a
 * repeated save must not reopen an approval that is resolved.
 *
 * @example
 * ```ts
 * import type { ApprovalHistory } from "countersign/types";
 *
 * const rows = new Map<string, { toolName: string; status: string }>();
 * export const approvalHistory: ApprovalHistory = {
 *   async savePendingApproval({ approvalId, toolName, status }) {
 *     rows.set(approvalId, { toolName, status });
 *   },
 *   async resolvePendingApproval({ approvalId, status }) {
 *     rows.set(approvalId, { toolName: rows.get(approvalId)?.toolName ?? "", status });
 *   },
 * };
 * ```
 */
export interface ApprovalHistory {
  /**
   * Saves a call that waits. Called again if its `expiresAt` changes. `toolInput` is what channels may see of the
   * arguments.
   */
  savePendingApproval?(details: PendingApproval & { status: "pending"; tenantId: string }): Promise<void>;
  /**
   * Records how the call ended. `approved` includes edits and answers of people. Expired and withdrawn calls are `denied`
   * without `resolvedBy`.
   */
  resolvePendingApproval?(details: {
    approvalId: string;
    status: "approved" | "denied";
    resolvedAt: Date;
    /** The id of the person who decided. */
    resolvedBy?: string;
    tenantId: string;
  }): Promise<void>;
  /** For your own pages. Countersign never calls it. */
  listPendingApprovals?(filters: {
    threadId?: string;
    userId?: string;
    status?: PendingApproval["status"];
  }): Promise<Omit<PendingApproval, "toolCallId">[]>;
}
