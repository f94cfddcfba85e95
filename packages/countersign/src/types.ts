/**
 * The types that signatures of `countersign` mention and that few apps write: for channels of your own, and for functions
 * of yours that pass them on.
 */

export type {
  AddedTerms,
  CodeRule,
  CompiledRule,
  Condition,
  Count,
  Counted,
  Evaluation,
  Explanation,
  InputOf,
  Layer,
  MatchedRule,
  McpFacts,
  NamedChannel,
  NameOf,
  PolicyText,
  RecordedCount,
  ResolvedTerms,
  Risk,
  Rule,
  RuleFor,
  RuleReason,
  Series,
  StoredTerms,
  ThreadRule,
  ToolFacts,
  ToolLike,
  ToolRules,
  TypedCall,
} from "@countersign/policy";
export type { WithdrawalCause } from "@countersign/policy/display";
export type { Meter } from "@countersign/policy/internal/bounded/work-limit";
export type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
export type { Reversible } from "@countersign/policy/internal/previews/reversible";
export type { CheckContext, CheckResult } from "@countersign/policy/internal/safety-checks/safety-check";
export type { LogFields } from "@countersign/policy/internal/shared/logger";
export type {
  SpanAttributes,
  SpanContext,
  Tracer,
  TracerSpan,
} from "@countersign/policy/internal/shared/span";
export type {
  ApprovalTerms,
  Approvers,
  Decision,
  HeldDecision,
  PolicyContext,
  Resolution,
  Snooze,
  Undoes,
  Viewer,
  Vote,
} from "./approval/approval.js";
export type { Approver, Person as BasisPerson } from "./approval/approval-basis.js";
export type { GrantBudget, OverBudget } from "./approval/budget.js";
export type { Grant, GrantStatus, NewGrant } from "./approval/grant.js";
export type { HandlerKind } from "./approval/handler-kind.js";
export type { PendingApproval } from "./approval/pending-approval.js";
export type { Undo, UndoContext } from "./approval/tool-undo.js";
export type { AuditVerification } from "./audit/audit-entry.js";
export type { AuditHead } from "./audit/audit-head.js";
export type { AuditSegment } from "./audit/audit-segment.js";
export type { ArgumentsOf } from "./call/tool/with-preview.js";
export type { AsJson, OutcomeOf } from "./call/tool/with-undo.js";
export type { HandlerOptions, HandlerState, Tool } from "./call/tool.js";
export type {
  Card,
  CardCheck,
  CardField,
  CardOutcome,
  CardUndo,
  CardUndoes,
  CardVote,
  ChannelDecision,
  ChannelGate,
  ChannelIdentity,
  ChannelReference,
  ChannelUndo,
  Delivery,
  DeliveryEvent,
  Identify,
  Recipient,
  Sent,
} from "./channel/channel.js";
export type { ReportedType } from "./channel/reported-types.js";
export type { Roundup, RoundupDelivery, RoundupTerms } from "./channel/roundup.js";
export type { ApprovalActions } from "./decision/approval-actions.js";
export type { PersonsDecision } from "./decision/decide.js";
export type { ApprovalHistory } from "./delivery/host-history/approval-history.js";
export type { EvidenceSigner } from "./evidence/evidence-signer.js";
export type { NamedSecret } from "./evidence/signing-key.js";
export type { PublicSigningKey, SigningService } from "./evidence/signing-service.js";
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
export type { EditToCheck } from "./instance/countersign.js";
export type { PreviewContext } from "./previews/preview.js";
export type { HumanInputTool } from "./questions/request-human-input.js";
export type { StopActor } from "./stops/stop.js";
export type {
  AssignInput,
  DecideInput,
  ExtendInput,
  ResolveInput,
  SnoozeInput,
  TakeBackInput,
  ViewingInput,
} from "./store/ports/approval-port.js";
export type { MigrateOptions } from "./store/ports/database-port.js";
export type { UndoManyRequest, UndoneCall, UndoRequest, UndoResult } from "./undo/request-undo.js";
export type { UndoableTools } from "./undo/undoable-tools.js";
export type { GatedFunctions, PlainFunctions } from "./ways/functions/apply-profile.js";
export type { ApplyProfileOptions } from "./ways/functions/profile-options.js";
export type { CallEnd } from "./ways/loop/call-end.js";
export type { ConversationMessage, ConversationResult } from "./ways/loop/conversation.js";
export type { AnyGateTool, ExecuteOptions } from "./ways/loop/gate-tool.js";
export type { GateInput, GateInputSchema, StandardResult, StandardSchema } from "./ways/loop/input-schema.js";
export type {
  AnthropicMessage,
  AnthropicText,
  AnthropicToolResult,
  AnthropicToolUse,
  OpenAiMessage,
  OpenAiToolCall,
} from "./ways/loop/provider-messages.js";
export type { GateCall } from "./ways/loop/read-calls.js";
export type { GateQuestion, RunGateOptions } from "./ways/loop/run-gate.js";
export type {
  ExternalCall,
  ExternalCallOutcome,
  ExternalCallPermit,
  ExternalCallReference,
  ExternalCallRequest,
  ExternalCalls,
  ExternalCallUse,
} from "./ways/programs/external-call.js";
