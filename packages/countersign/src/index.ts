export { type ApprovedCall, approvalOf, durable, idempotent } from "./agent-hook/handler-kind.js";
export type { Approval, Approvers, Decision, Resolution, Viewer, Vote } from "./approval/approval.js";
export type { Grant, GrantStatus } from "./approval/grant.js";
export type { Refusal, RefusalCode } from "./approval/refusal.js";
export type { ApprovalStatus } from "./approval/status.js";
export type { AuditEntry, AuditHead, AuditVerification } from "./audit/audit-entry.js";
export {
  type Countersign,
  type CountersignOptions,
  createCountersign,
  type RunContext,
} from "./create-countersign.js";
export type { Limits } from "./decision/limits.js";
export type { People } from "./decision/people.js";
export { CountersignError, type CountersignErrorCode } from "./errors.js";
export type { NamedSecret, SigningKey } from "./evidence/signing-key.js";
export type { GrantRequest } from "./grants/grant-request.js";
export type { GrantSuggestion } from "./grants/grant-suggestions.js";
export type { CountersignHistory } from "./history/history.js";
export type { PendingApproval } from "./history/pending-approvals.js";
export type { ThreadMessage, Threads, ThreadView } from "./history/threads.js";
export {
  definePolicy,
  type PolicyDefinition,
  type RuleFor,
  type ToolRules,
  type TypedCall,
} from "./policy/define-policy.js";
export type {
  Evaluation,
  Explanation,
  Layer,
  MatchedRule,
  McpFacts,
  Policy,
  PolicyCall,
} from "./policy/policy.js";
export type { DecisionType, GrantScope, Risk, Rule, Terms, VerdictKind } from "./policy/rule.js";
export type { ResolvedTerms } from "./policy/terms.js";
export { allow, ask, deny, manual, notify, type Verdict } from "./policy/verdict.js";
export { type Principal, principalSchema } from "./principal.js";
export type { ApprovalAnswer, ApprovalRequest } from "./questions/require-approval.js";
export type { Store } from "./store/store.js";
