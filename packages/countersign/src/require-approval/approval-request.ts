import type { Terms } from "../policy/rules/rule.js";

/** What a plain Inngest function asks a person to approve. */
export interface ApprovalRequest
  extends Pick<
    Terms,
    | "reason"
    | "summary"
    | "risk"
    | "approvers"
    | "requesterMayNotApprove"
    | "quorum"
    | "distinctRoles"
    | "denials"
    | "timeout"
    | "redact"
    | "redactPatterns"
    | "extensions"
    | "delegable"
    | "escalation"
  > {
  /** What is to be done, in a few words that stay the same: `"drop table"`. */
  action: string;
  /** What it is to be done with; shown to the person, covered by the digest. */
  details: Record<string, unknown>;
  tenantId?: string;
  threadId?: string;
  /** Who wants it done, from a verified session. */
  requester?: { id: string; roles?: readonly string[] };
}
