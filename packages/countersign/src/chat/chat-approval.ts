import type { ApprovalView } from "../api/contract/approval-schemas.js";
import { requestHumanInputName } from "../policy/rules/question-rule.js";
import type { ChatCall } from "./chat-turn.js";

/**
 * The content of an approval card in the chat. The client returns `digest` with the decision, which shows what the
 * person saw.
 */
export interface ApprovalDescriptor {
  digest: string;
  summary: string;
  risk: ApprovalView["risk"];
  reasons: string[];
  /** What people cannot see in the arguments or could misread. `flagText` of `countersign/display` has words for it. */
  flags: ApprovalView["flags"];
  /** There are more flags than these. */
  flagsTruncated: boolean;
  expiresAt: string | null;
  /** The approval in the inbox, where it can also be edited; `null` without `inboxUrl`. */
  url: string | null;
}

/** The data part `data-countersign`: the current state of a gated call. */
export interface ChatApproval {
  approvalId: string;
  toolCallId: string;
  toolName: string;
  summary: string;
  /** What people cannot see in the arguments or could misread, as in the descriptor. */
  flags: ApprovalView["flags"];
  flagsTruncated: boolean;
  status: ApprovalView["status"];
  /** Whether this reader can decide it in the chat. */
  decidableHere: boolean;
  /** Whether this reader may decide it in the inbox. */
  mayDecide: boolean;
  /** Who may decide: roles and people. Empty: anybody who is signed in. */
  approvers: { roles: string[]; ids: string[] };
  approvalsNeeded: number;
  decidedBy: string | null;
  reason: string | null;
  /** The arguments that run instead of those in the summary, as this reader may see them; `null` without an edit. */
  editedInput: unknown;
  expiresAt: string | null;
  url: string | null;
  /** Why this person's last decision was not recorded. */
  refused: string | null;
}

/** Whether this reader can answer the call in the chat: they may decide it, and nothing of it is hidden from them. */
export function asksReader(call: ChatCall): boolean {
  const { approval } = call;
  if (approval?.status !== "pending") return false;
  if (call.voted) return false;
  if (isQuestion(call)) return approval.yourDecisions.includes("respond");
  return (
    approval.yourDecisions.includes("approve") &&
    approval.redacted.length === 0 &&
    approval.redactedPatterns.length === 0 &&
    !approval.stop
  );
}

/**
 * Whether a call is shown only as a card until it ends. As a tool part it would block the client, which sends answers
 * only when every call of their step has a result or an answer.
 */
export function isCardOnly(call: ChatCall): boolean {
  return call.approval !== null && call.result === null && !asksReader(call);
}

export function isQuestion({ toolName }: ChatCall): boolean {
  return toolName === requestHumanInputName;
}

export function descriptorOf(approval: ApprovalView, url: string | null): ApprovalDescriptor {
  const { digest, summary, risk, reasons, flags, flagsTruncated, expiresAt } = approval;
  return {
    digest,
    summary,
    flags,
    flagsTruncated,
    risk,
    reasons: reasons.map(({ reason }) => reason).filter((text) => text !== null),
    expiresAt,
    url,
  };
}

export function cardOf(
  approval: ApprovalView,
  { url, refused, voted }: { url: string | null; refused: string | null; voted: boolean },
): ChatApproval {
  const { id, toolCallId, toolName, summary, status, approvers, quorum, votes, decision, expiresAt } =
    approval;
  const { flags, flagsTruncated, editedInput } = approval;
  const approved = votes.filter(({ type }) => type === "approve").length;
  return {
    approvalId: id,
    toolCallId,
    toolName,
    summary,
    flags,
    flagsTruncated,
    status,
    decidableHere: asksReader({ toolCallId, toolName, input: null, approval, result: null, voted }),
    mayDecide: approval.mayDecide,
    approvers,
    approvalsNeeded: status === "pending" ? Math.max(0, quorum - approved) : 0,
    decidedBy: decision?.decidedBy ?? null,
    reason: decision?.reason ?? null,
    editedInput,
    expiresAt,
    url,
    refused,
  };
}
