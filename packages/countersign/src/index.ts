export type {
  DecisionType,
  GrantScope,
  Policy,
  PolicyCall,
  PolicyDefinition,
  Terms,
  Verdict,
  VerdictKind,
} from "@countersign/policy";
export type { Effect } from "@countersign/policy/display";
export { definePolicy } from "@countersign/policy/internal/policy/define-policy";
export { allow, ask, deny, manual, notify } from "@countersign/policy/internal/policy/rules/verdict";
export type {
  CheckAnswer,
  CheckContext,
  SafetyCheck,
} from "@countersign/policy/internal/safety-checks/safety-check";
export { CountersignError, type CountersignErrorCode } from "@countersign/policy/internal/shared/errors";
export type { Logger } from "@countersign/policy/internal/shared/logger";
export { type Principal, principalSchema } from "@countersign/policy/internal/shared/principal";
export type { RunContext } from "./agent-hook/run/run-context.js";
export { type ApprovedCall, approvalOf, durable, idempotent } from "./agent-hook/tool/handler-kind.js";
export { withChecks } from "./agent-hook/tool/with-checks.js";
export { withPreview } from "./agent-hook/tool/with-preview.js";
export { withUndo } from "./agent-hook/tool/with-undo.js";
export type { Approval } from "./approval/approval.js";
export type { PendingApproval } from "./approval/pending-approval.js";
export type { Refusal } from "./approval/refusal-text.js";
export type { ApprovalStatus } from "./approval/status.js";
export type { AuditEntry } from "./audit/audit-entry.js";
export {
  type Card,
  type Channel,
  type ChannelGate,
  type Delivery,
  deliveryEvents,
  type Identify,
  type Recipient,
  type Sent,
} from "./channel/channel.js";
export type { Limits } from "./decision/limits.js";
export type { ApprovalHistory } from "./delivery/host-history/approval-history.js";
export type { SigningKey } from "./evidence/signing-key.js";
export type { SigningService } from "./evidence/signing-service.js";
export type { GrantRequest } from "./grants/grant-request.js";
export type { ThreadMessage } from "./history/read-messages.js";
export type { Countersign, CountersignOptions } from "./instance/countersign.js";
export { createCountersign } from "./instance/create-countersign.js";
export { approvalEvents } from "./orchestrator/public-events.js";
export { ToolCallDeniedError } from "./plain-functions/tool-call-denied-error.js";
export type { Preview, PreviewContext, PreviewResult } from "./previews/preview.js";
export type { ApprovalRequest } from "./require-approval/approval-request.js";
export type { ApprovalAnswer, ApprovalSteps } from "./require-approval/require-approval.js";
export type { PruneOptions, PruneReport } from "./retention/prune.js";
export type { GateResult } from "./run-gate/call-end.js";
export type { ConversationMessage, ConversationResult } from "./run-gate/conversation.js";
export { type GateTool, gateTool } from "./run-gate/gate-tool.js";
export { jsonSchemaOf } from "./run-gate/json-schema-of.js";
export { anthropicMessages, openAiMessages } from "./run-gate/provider-messages.js";
export type { RunGate } from "./run-gate/run-gate.js";
export type { Stop } from "./stops/stop.js";
export type { Store } from "./store/opaque-store.js";
