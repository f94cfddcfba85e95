import {
  defaultDenials,
  defaultExtensions,
  defaultHoldMs,
} from "@countersign/policy/internal/policy/rules/terms";
import type { ApprovalTerms } from "./approval.js";

/** How long people have to decide, unless the host or a rule says otherwise. */
export const defaultTimeout = "30m";

/**
 * The default terms: one person approves or denies the call. Digests omit terms that equal these defaults, so never
 * change a value, nor one of a policy's that stands here: pending calls would no longer match their digests.
 */
export const defaultTerms: ApprovalTerms = {
  decisions: ["approve", "deny"],
  quorum: 1,
  distinctRoles: false,
  denials: defaultDenials,
  editable: [],
  redact: [],
  redactPatterns: [],
  requesterMayNotApprove: false,
  escalation: [],
  extensions: defaultExtensions,
  delegable: false,
  holdMs: defaultHoldMs,
  grantable: [],
  idempotent: false,
  codePreview: null,
  checks: [],
  preview: null,
  counts: [],
  countedIn: [],
  reasons: [],
  decideIn: ["inbox"],
  summaryParts: [],
  resultSummary: null,
  units: {},
  reversible: null,
  undoable: false,
  undoes: null,
};
