import {
  listPendingApprovals,
  type PendingApprovals,
  type PendingApprovalsRuntime,
  savePendingApproval,
} from "./pending-approvals.js";
import { resolvePendingApproval } from "./resolve-pending-approval.js";

/** The approvals that a host's own code waits for. */
export function savedApprovals(runtime: PendingApprovalsRuntime): PendingApprovals {
  return {
    savePendingApproval: (details) => savePendingApproval(runtime, details),
    resolvePendingApproval: (details) => resolvePendingApproval(runtime, details),
    listPendingApprovals: (filters) => listPendingApprovals(runtime, filters),
  };
}
