import type { McpFacts } from "../policy/policy.js";
import type { DecisionType, GrantScope, Risk, VerdictKind } from "../policy/rule.js";
import type { HandlerKind } from "./handler-kind.js";
import type { ApprovalStatus } from "./status.js";

/** Who may decide: any of these roles or these principals. Both empty means every principal of the tenant. */
export interface Approvers {
  roles: string[];
  ids: string[];
}

/** What was decided, by whom and when. `decidedBy` is `null` where the policy refused by itself. */
export interface Decision {
  type: DecisionType;
  decidedBy: string | null;
  reason: string | null;
  decidedAt: Date;
}

/** What the policy's rules say about a call beside who decides; fixed when it was proposed. */
export interface ApprovalTerms {
  decisions: DecisionType[];
  /** How many different people must approve. */
  quorum: number;
  /** The approvals must come from as many different roles of the approvers. */
  distinctRoles: boolean;
  /** How many different people must deny. */
  denials: number;
  /** Fields that an edit may change. */
  editable: string[];
  /** Fields that are hidden where people read. */
  redact: string[];
  /** What is hidden wherever it stands: names of patterns, or regular expressions. */
  redactPatterns: string[];
  requesterMayNotApprove: boolean;
  /** What happens while nobody decides, in the order of time since the announcement. */
  ladder: { afterMs: number; escalateTo: string[] }[];
  /** How often an approver may lengthen the time. */
  extensions: number;
  /** Who may decide may let somebody else decide. */
  delegable: boolean;
  /** For what an approver may allow such calls from now on. */
  grantable: GrantScope[];
  idempotent: boolean;
  /** Likely calls in code that the arguments carry; context for people, never enforcement. */
  codePreview: { toolName: string; line: number; column: number }[] | null;
}

/** One person's decision where several are asked. */
export interface Vote {
  principalId: string;
  type: "approve" | "deny";
  /** The roles that the person had when they voted. */
  roles: string[];
  /** Who let this person decide, where the rule itself does not name them; both together are one voice. */
  onBehalfOf: string | null;
  reason: string | null;
  votedAt: Date;
}

/** Somebody who has the call open and says so; it binds nobody. */
export interface Viewer {
  principalId: string;
  displayName: string | null;
  until: Date;
}

/** What a person found out about a call that was cut off. */
export interface Resolution {
  /** `rerun`: the same call may be made once more without being asked about. */
  outcome: "done" | "failed" | "rerun";
  resolvedBy: string;
  note: string | null;
  resolvedAt: Date;
}

/** What the policy was told about a call, kept to ask it again about an edit. */
export interface PolicyContext {
  principal: { id: string; roles: readonly string[] } | null;
  profile: string | null;
  mcp: McpFacts | null;
  /** The rules of its thread, as the host gave them; left out where there were none. */
  threadRules?: readonly unknown[];
}

/** Why an approval was withdrawn, or refused at the last moment; words for people are in `refusal.ts`. */
export type WithdrawalCause =
  | "run_cancelled"
  | "run_failed"
  | "policy_changed"
  | "tool_changed"
  | "digest_changed"
  | "superseded"
  | "too_many_pending"
  | "too_many_denials"
  | "duplicate_call"
  | "grant_revoked"
  | "evidence_invalid"
  | "orchestration_failed";

/** One gated tool call waiting for, or having had, its decision. */
export interface Approval {
  id: string;
  tenantId: string;
  requestId: string;
  threadId: string | null;
  runId: string | null;
  agentName: string | null;
  /** Who asked the agent to act; `null` when the host does not say. */
  requesterId: string | null;
  /** Place among the tool calls of the response, from 0. */
  position: number;
  toolCallId: string;
  toolName: string;
  /** SHA-256 (hex) of the tool's name, description and input schema as they were when the call was proposed. */
  toolVersion: string;
  /** The arguments as JSON text, byte for byte what the digest covers and what runs. */
  inputJson: string;
  /** SHA-256 (hex) of tenant, tool name, tool version, arguments and policy version. */
  digest: string;
  /** The arguments that run in their place after an edit, with a digest of their own. */
  edited: { inputJson: string; digest: string } | null;
  /** The tool's input schema (JSON Schema) as JSON text, by which an edit is checked; `null` where it has none. */
  inputSchemaJson: string | null;
  policyContext: PolicyContext;
  votes: Vote[];
  /** Who has it open right now. */
  viewers: Viewer[];
  /** Who should decide it; where the rule lets people pass it on, this person may. */
  assigneeId: string | null;
  /** For whom the assignee may decide: whoever the rule names that passed it on. */
  assignedBy: string | null;
  /** The standing approval by which it was approved without anybody having been asked. */
  grantId: string | null;
  /** The waiting call that this one repeats. */
  duplicateOf: string | null;
  /** How often its time has been lengthened. */
  extensionsUsed: number;
  resolution: Resolution | null;
  status: ApprovalStatus;
  verdict: Exclude<VerdictKind, "allow">;
  /** One sentence about the call, made from its real arguments. */
  summary: string;
  risk: Risk;
  terms: ApprovalTerms;
  /** Why the policy gates this call, for people. */
  reason: string | null;
  approvers: Approvers;
  policyVersion: string;
  timeoutMs: number;
  createdAt: Date;
  /** Since when it can be decided. */
  announcedAt: Date | null;
  /** Until when it can be decided. */
  expiresAt: Date | null;
  /** How many rungs of the ladder have been taken. */
  rungsDone: number;
  decision: Decision | null;
  withdrawalCause: WithdrawalCause | null;
  startedAt: Date | null;
  /** As what kind of handler it was started. */
  handlerKind: HandlerKind | null;
  finishedAt: Date | null;
  /** The result that a person supplied, as JSON text, for `responded`. */
  responseJson: string | null;
  /** What the handler gave back, as JSON text, for `executed` and `failed`. */
  outcomeJson: string | null;
}
