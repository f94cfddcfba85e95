import type { Terms } from "@countersign/policy/internal/policy/rules/terms";
import type { Preview } from "../../previews/preview.js";

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
    | "holdFor"
    | "escalation"
  > {
  /** The name of the action, in a few words that stay the same: `"drop table"`. */
  action: string;
  /** The details of the action, which are shown to the person and covered by the digest. */
  details: Record<string, unknown>;
  /**
   * Says what the action would change, before it does. People see it, and an approval is for the state that it found: the
   * function is refused if the preview finds another one once somebody has approved. It runs in a step, so it cannot use step tools.
   * @default none
   */
  preview?: Preview;
  tenantId?: string;
  threadId?: string;
  /** The person on whose behalf the function runs, from a verified session. */
  requester?: { id: string; roles?: readonly string[]; displayName?: string | undefined };
}
