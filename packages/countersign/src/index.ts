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
export type { CheckAnswer, SafetyCheck } from "@countersign/policy/internal/safety-checks/safety-check";
export type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
export { CountersignError, type CountersignErrorCode } from "@countersign/policy/internal/shared/errors";
export type { Logger } from "@countersign/policy/internal/shared/logger";
export { type Principal, principalSchema } from "@countersign/policy/internal/shared/principal";
export type { Approval } from "./approval/approval.js";
export type { Refusal } from "./approval/refusal-text.js";
export type { AuditEntry } from "./audit/audit-entry.js";
export type { RunContext } from "./call/run/run-context.js";
export { type ApprovedCall, approvalOf, durable, idempotent } from "./call/tool/handler-kind.js";
export { type MarkTerms, needsApproval } from "./call/tool/needs-approval.js";
export { withChecks } from "./call/tool/with-checks.js";
export { withPreview } from "./call/tool/with-preview.js";
export { withUndo } from "./call/tool/with-undo.js";
export { type Channel, deliveryEvents } from "./channel/channel.js";
export type { Limits } from "./decision/limits.js";
export type { SigningKey } from "./evidence/signing-key.js";
export type { CloseOptions } from "./instance/close.js";
export type { Countersign, CountersignOptions } from "./instance/countersign.js";
export { createCountersign } from "./instance/create-countersign.js";
export { approvalEvents } from "./orchestrator/public-events.js";
export type { Preview, PreviewResult } from "./previews/preview.js";
export type { Stop } from "./stops/stop.js";
export type { Store } from "./store/opaque-store.js";
export type { ApprovalRequest } from "./ways/functions/approval-request.js";
export type { ApprovalAnswer, ApprovalSteps } from "./ways/functions/require-approval.js";
export { ToolCallDeniedError } from "./ways/functions/tool-call-denied-error.js";
export type { GateResult } from "./ways/loop/call-end.js";
export { type GateTool, gateTool } from "./ways/loop/gate-tool.js";
export { jsonSchemaOf } from "./ways/loop/json-schema-of.js";
export { anthropicMessages, openAiMessages } from "./ways/loop/provider-messages.js";
export type { RunGate } from "./ways/loop/run-gate.js";
