import type { ApprovalTerms } from "./approval.js";

/** The terms of a call about which no rule says anything more: one person approves or denies it. */
export const plainTerms: ApprovalTerms = {
  decisions: ["approve", "deny"],
  quorum: 1,
  distinctRoles: false,
  denials: 1,
  editable: [],
  redact: [],
  redactPatterns: [],
  requesterMayNotApprove: false,
  ladder: [],
  extensions: 3,
  delegable: false,
  grantable: [],
  idempotent: false,
  codePreview: null,
};
