import type { SummaryPart } from "@countersign/policy/internal/display/summary-part";
import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import type { RecordedCount, Series } from "@countersign/policy/internal/policy/counts";
import type { McpFacts } from "@countersign/policy/internal/policy/policy-call";
import type { DecisionType, Risk, VerdictKind } from "@countersign/policy/internal/policy/rules/rule";
import type { StoredTerms } from "@countersign/policy/internal/policy/rules/term-table";
import type { Terms } from "@countersign/policy/internal/policy/rules/terms";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import type { CheckResult } from "@countersign/policy/internal/safety-checks/safety-check";
import type { ApprovalStatus } from "@countersign/policy/internal/shared/approval-status";
import type { OverBudget } from "./budget.js";
import type { HandlerKind } from "./handler-kind.js";

/**
 * People who may decide: principals with one of these roles or ids. If both are empty, every principal of the tenant
 * may.
 */
export interface Approvers {
  roles: string[];
  ids: string[];
}

/** A decision. `decidedBy` is `null` if the policy denied the call. */
export interface Decision {
  type: DecisionType;
  decidedBy: string | null;
  /** The decider's roles at the time; `null` for decisions of the policy. */
  roles: string[] | null;
  reason: string | null;
  decidedAt: Date;
}

/** A decision that its person may still take back. It takes effect at the end of that time. */
export interface HeldDecision extends Decision {
  decidedBy: string;
  /** The edited arguments with their digest, of an edit. */
  edited: { inputJson: string; digest: string } | null;
  /** The result as JSON text, of a response. */
  responseJson: string | null;
  /** The run's round of waiting that had begun last. */
  round: number;
  until: Date;
}

/** The policy's terms for a call, besides its approvers, and what was found out about it. Fixed when the call is proposed. */
export interface ApprovalTerms extends StoredTerms {
  /** Tool calls found in code arguments. Information for people, not enforced. */
  codePreview: { toolName: string; line: number; column: number }[] | null;
  /** The results of the safety checks when the call was proposed, for the arguments as proposed. */
  checks: CheckResult[];
  /** What the tool's preview said when the call was proposed; `null` if the tool has none. */
  preview: RecordedPreview | null;
  /** What its rules counted over time when the call was proposed, with the call itself. */
  counts: RecordedCount[];
  /** The series in which the call is counted. */
  countedIn: Series[];
  /** The summary split into the rule's text and argument values. */
  summaryParts: SummaryPart[];
  /** Whether the call's tool can undo it. */
  undoable: boolean;
  /** What the call undoes; `null` for all other calls. */
  undoes: Undoes | null;
}

/** The call that another one undoes. */
export interface Undoes {
  approvalId: string;
  /** SHA-256 (hex) of how that call ended: the undo is for this outcome. */
  outcomeHash: string;
  /** The person who asked for it, and why. */
  askedBy: string;
  reason: string | null;
  /** The undo that must be over before this one runs; `null` if none must. */
  after: string | null;
}

/** One person's decision where a quorum is required. */
export interface Vote {
  principalId: string;
  type: "approve" | "deny";
  /** The roles that the person had when they voted. */
  roles: string[];
  /** The approver who delegated to this person, if the rule itself does not name them. Both count as one voter. */
  onBehalfOf: string | null;
  reason: string | null;
  votedAt: Date;
}

/** A person who has the approval open. For information only. */
export interface Viewer {
  principalId: string;
  displayName: string | null;
  until: Date;
}

/** A person who has put a call aside. */
export interface Snooze {
  principalId: string;
  until: Date;
}

/** The outcome that a person recorded for an interrupted call. */
export interface Resolution {
  /** `rerun`: the same call may run once more without a new approval. */
  outcome: "done" | "failed" | "rerun";
  resolvedBy: string;
  note: string | null;
  resolvedAt: Date;
}

/** The policy's input for a call, stored so that edits can be evaluated again. */
export interface PolicyContext {
  principal: { id: string; roles: readonly string[] } | null;
  profile: string | null;
  mcp: McpFacts | null;
  /** What the tool's own mark asked for. Absent without one. */
  marked?: Terms;
  /** The thread's rules as the host provided them. Absent if there were none. */
  threadRules?: readonly unknown[];
}

/** One gated tool call that waits for a decision or has been decided. */
export interface Approval {
  id: string;
  tenantId: string;
  requestId: string;
  threadId: string | null;
  runId: string | null;
  agentName: string | null;
  /** The person on whose behalf the agent acts; `null` if the host does not provide it. */
  requesterId: string | null;
  /** Index among the tool calls of the response. */
  position: number;
  toolCallId: string;
  toolName: string;
  /** SHA-256 (hex) of the tool's name, description and input schema as they were when the call was proposed. */
  toolVersion: string;
  /** The arguments as JSON text: exactly the bytes that the digest covers and that run. */
  inputJson: string;
  /** SHA-256 (hex) of all fields fixed at proposal, with the nonce. See docs/operating/evidence.md. */
  digest: string;
  /** Random part of the digest, shown only to readers who may see everything. */
  nonce: string;
  /** The edited arguments that run instead, with their own digest. */
  edited: { inputJson: string; digest: string } | null;
  /** The tool's input schema (JSON Schema) as JSON text, used to validate edits; `null` if the tool has none. */
  inputSchemaJson: string | null;
  policyContext: PolicyContext;
  votes: Vote[];
  /** People who have it open now. */
  viewers: Viewer[];
  /** People who have put it aside, each until a time to come. */
  snoozes: Snooze[];
  /** The assigned person. If the rule allows delegation, they may decide. */
  assigneeId: string | null;
  /** The approver who delegated to the assignee. */
  assignedBy: string | null;
  /** The roles of `assignedBy` at the time. */
  assignedRoles: string[] | null;
  /** Signature over the assignment, if a `signingKey` is set. */
  assignmentToken: string | null;
  /** The event that the host waits for, if it saved the call with `savePendingApproval`. */
  awaitedEventId: string | null;
  /** The channels that are notified, some with a target: `slack:#finance`. */
  notify: string[];
  /** The grant that approved the call without asking anyone. */
  grantId: string | null;
  /** The budget of a grant that covers the call, into which it did not fit; `null` without one. */
  overBudget: OverBudget | null;
  /** The pending call that this one duplicates. */
  duplicateOf: string | null;
  /** Number of extensions used. */
  extensionsUsed: number;
  resolution: Resolution | null;
  status: ApprovalStatus;
  verdict: Exclude<VerdictKind, "allow">;
  /** One sentence about the call, made from its real arguments. */
  summary: string;
  risk: Risk;
  terms: ApprovalTerms;
  /** Why the policy requires approval: the reasons of all matching rules. */
  reason: string | null;
  /** Current approvers: those named by the rule, and the roles added by escalations so far. */
  approvers: Approvers;
  /** The roles that the rule names, without escalation roles. */
  proposedRoles: string[];
  policyVersion: string;
  timeoutMs: number;
  createdAt: Date;
  /** When the approval became decidable. */
  announcedAt: Date | null;
  /** When the approval expires. */
  expiresAt: Date | null;
  /** Number of escalation steps taken. */
  escalationSteps: number;
  decision: Decision | null;
  /** Of a pending call: the decision that its person may still take back. */
  held: HeldDecision | null;
  withdrawalCause: WithdrawalCause | null;
  startedAt: Date | null;
  /** The run in which the call was started; `null` if it was no run, or has not started. */
  startedBy: string | null;
  /** The kind of handler that was started. */
  handlerKind: HandlerKind | null;
  finishedAt: Date | null;
  /** The result that a person supplied, as JSON text, for `responded`. */
  responseJson: string | null;
  /** The handler's result as JSON text, for `executed` and `failed`. */
  outcomeJson: string | null;
  /** Signature over the outcome, if a `signingKey` is set. */
  outcomeToken: string | null;
  /** The latest call that undoes this one, whatever became of it; `null` without one. */
  undoId: string | null;
  /** When this call was undone. */
  undoneAt: Date | null;
  /** Of an undo: the signature of whoever asked for it, if a `signingKey` is set. */
  undoToken: string | null;
}
