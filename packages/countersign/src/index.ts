export type { AgentLike, NetworkLike } from "./agent-hook/guarding/agent-kit-shapes.js";
export type { ContextInput, RunContext } from "./agent-hook/run/run-context.js";
export type { Publish } from "./agent-hook/streaming/stream-events.js";
export type { Streaming } from "./agent-hook/streaming/streaming.js";
export { type ApprovedCall, approvalOf, durable, idempotent } from "./agent-hook/tool/handler-kind.js";
export { withChecks } from "./agent-hook/tool/with-checks.js";
export type {
  Approval,
  ApprovalTerms,
  Approvers,
  Decision,
  PolicyContext,
  Resolution,
  Viewer,
  Vote,
} from "./approval/approval.js";
export type { Person as BackingPerson, Voice } from "./approval/backing.js";
export type { Grant, GrantStatus, NewGrant } from "./approval/grant.js";
export type { HandlerKind } from "./approval/handler-kind.js";
export type { PendingApproval } from "./approval/pending-approval.js";
export type { Refusal } from "./approval/refusal.js";
export type { ApprovalStatus } from "./approval/status.js";
export type { AuditEntry, AuditVerification } from "./audit/audit-entry.js";
export type { AuditHead } from "./audit/audit-head.js";
export type { AuditSegment } from "./audit/audit-segment.js";
export type { Meter } from "./bounded/work-limit.js";
export {
  type Card,
  type CardCheck,
  type CardField,
  type CardOutcome,
  type CardVote,
  type Channel,
  type ChannelDecision,
  type ChannelGate,
  type ChannelIdentity,
  type ChannelReference,
  type Delivery,
  type DeliveryEvent,
  deliveryEvents,
  type Identify,
  type Recipient,
  type Sent,
} from "./channels/channel.js";
export type { ReportedType } from "./channels/reported-types.js";
export type { Roundup, RoundupDelivery, RoundupSent, RoundupTerms } from "./channels/roundup.js";
export type { People } from "./decision/approval-actions.js";
export type { PersonsDecision } from "./decision/decide.js";
export type { Limits } from "./decision/limits.js";
export type { ApprovalHistory } from "./delivery/host-history/approval-history.js";
export type { WithdrawalCause } from "./display/withdrawal-text.js";
export type { EvidenceSigner } from "./evidence/evidence-signer.js";
export type { NamedSecret, SigningKey } from "./evidence/signing-key.js";
export type { PublicSigningKey, SigningService } from "./evidence/signing-service.js";
export type {
  ExternalCall,
  ExternalCallOutcome,
  ExternalCallPermit,
  ExternalCallReference,
  ExternalCallRequest,
  ExternalCalls,
  ExternalCallUse,
} from "./external-calls/external-call.js";
export type { GrantRequest } from "./grants/grant-request.js";
export type { HistoryOptions } from "./history/history-window.js";
export type { InTenant, PendingApprovals } from "./history/pending-approvals.js";
export type { ThreadMessage } from "./history/read-messages.js";
export type { LastTurn, Turn } from "./history/read-turns.js";
export type {
  ThreadEntryView,
  ThreadPage,
  ThreadReading,
  ThreadSummary,
  Threads,
  ThreadView,
} from "./history/threads.js";
export type { Countersign, CountersignOptions, EditToCheck, ProfileBinding } from "./instance/countersign.js";
export { createCountersign } from "./instance/create-countersign.js";
export type { CountersignHistory, HistoryContext, NewUserMessage } from "./instance/network-history.js";
export { approvalEvents } from "./orchestrator/public-events.js";
export type { GatedFunctions, PlainFunctions } from "./plain-functions/apply-profile.js";
export type { ApplyProfileOptions } from "./plain-functions/profile-options.js";
export { ToolCallDeniedError } from "./plain-functions/tool-call-denied-error.js";
export {
  definePolicy,
  type InputOf,
  type NameOf,
  type PolicyDefinition,
  type RuleFor,
  type ToolRules,
  type TypedCall,
} from "./policy/define-policy.js";
export type { NamedChannel } from "./policy/named-channels.js";
export type { Evaluation, Explanation, MatchedRule, Policy } from "./policy/policy.js";
export type { Layer, McpFacts, PolicyCall, ThreadRule, ToolFacts } from "./policy/policy-call.js";
export type { CompiledRule } from "./policy/rules/compiled-rule.js";
export type { Condition } from "./policy/rules/condition.js";
export type { DecisionType, GrantScope, Risk, Rule, Terms, VerdictKind } from "./policy/rules/rule.js";
export type { AddedTerms, RuleReason } from "./policy/rules/rule-reasons.js";
export type { ResolvedTerms } from "./policy/rules/terms.js";
export type { CodeRule } from "./policy/rules/verdict.js";
export { allow, ask, deny, manual, notify, type Verdict } from "./policy/rules/verdict.js";
export type { ApprovalRequest } from "./require-approval/approval-request.js";
export type { ApprovalAnswer, ApprovalSteps } from "./require-approval/require-approval.js";
export type { RetainedKind, RetentionAges } from "./retention/ages.js";
export type { ForgetOptions, ForgetReport } from "./retention/forget.js";
export type { AuditArchive, PruneOptions, PruneReport, SealedPart } from "./retention/prune.js";
export type { CheckAnswer, CheckContext, CheckResult, SafetyCheck } from "./safety-checks/safety-check.js";
export { CountersignError, type CountersignErrorCode } from "./shared/errors.js";
export type { LogFields, Logger } from "./shared/logger.js";
export { type Principal, principalSchema } from "./shared/principal.js";
export type { SpanAttributes, Tracer, TracerSpan } from "./shared/span.js";
export type { Stop, StopActor } from "./stops/stop.js";
export type { Store } from "./store/opaque-store.js";
export type {
  AssignInput,
  DecideInput,
  ExtendInput,
  ResolveInput,
  ViewingInput,
} from "./store/ports/approval-port.js";
export type { MigrateOptions } from "./store/ports/database-port.js";
export type {
  HeldEntry,
  KeptData,
  PrunedKind,
  RemovedRows,
  SealablePart,
} from "./store/ports/retention-port.js";
