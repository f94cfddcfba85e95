import { overBudgetText } from "@countersign/policy/internal/display/budget-text";
import { codePreviewText } from "@countersign/policy/internal/display/code-preview-text";
import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import type { ApprovalView } from "countersign/client";
import type { ChatCall } from "./chat-turn.js";

/**
 * The content of an approval card in the chat. The client returns `digest` with the decision, which shows what the
 * person saw.
 */
export interface ApprovalDescriptor {
  digest: string;
  summary: string;
  /** What people read in place of the tool's name and of the arguments' paths, as the rules say. `label` is `null` without one. */
  label: string | null;
  names: ApprovalView["names"];
  risk: ApprovalView["risk"];
  reasons: string[];
  /** The tools that a script in the arguments appears to call, in one line. Information that nothing enforces. */
  codePreview: string | null;
  /** What people cannot see in the arguments or could misread. `flagText` of `@countersign/policy/display` has words for it. */
  flags: ApprovalView["flags"];
  /** There are more flags than these. */
  flagsTruncated: boolean;
  /** The results of the safety checks when the call was proposed. */
  checks: ApprovalView["checks"];
  /** What the call would change. `previewLines` of `@countersign/policy/display` has words for it; `null` without a preview. */
  preview: ApprovalView["preview"];
  /** What limits over time counted when the call was proposed, each with a line of text. */
  counts: ApprovalView["counts"];
  expiresAt: string | null;
  /** The approval in the inbox, where it can also be edited; `null` without `inboxUrl`. */
  url: string | null;
}

/** The data part `data-countersign`: the current state of a gated call. */
export interface ChatApproval {
  approvalId: string;
  /** The digest of the call as shown here. The wish to undo it must carry it. */
  digest: string;
  toolCallId: string;
  toolName: string;
  summary: string;
  /** What people read in place of the tool's name and of the arguments' paths, as in the descriptor. */
  label: string | null;
  names: ApprovalView["names"];
  /** The tools that the proposed script appears to call, as in the descriptor; `null` after an edit. */
  codePreview: string | null;
  /** What people cannot see in the arguments or could misread, as in the descriptor. */
  flags: ApprovalView["flags"];
  flagsTruncated: boolean;
  /** The results of the safety checks when the call was proposed. */
  checks: ApprovalView["checks"];
  /** What the call would change, as in the descriptor; `null` after an edit. */
  preview: ApprovalView["preview"];
  /** What limits over time counted for the arguments as proposed, as in the descriptor, also after an edit. */
  counts: ApprovalView["counts"];
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
  /** The arguments that run instead of the proposed ones, which the summary says too, as this reader may see them; `null` without an edit. */
  editedInput: unknown;
  expiresAt: string | null;
  /** Whether and until when people may undo the call, as the API returns it; `null` if nobody can. */
  undo: ApprovalView["undo"];
  url: string | null;
  /** Why this person's last decision was not recorded. */
  refused: string | null;
}

/**
 * Whether this reader can answer a call in the chat: they may decide it and have not voted, and nothing of it is hidden
 * from them.
 */
export function asksReader(approval: ApprovalView, readerId: string): boolean {
  if (approval.status !== "pending") return false;
  if (approval.votes.some(({ principalId }) => principalId === readerId)) return false;
  if (isQuestion(approval)) return approval.yourDecisions.includes("respond");
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
  return call.approval !== null && call.result === null && !call.asks;
}

export function isQuestion({ toolName }: Pick<ApprovalView, "toolName">): boolean {
  return toolName === requestHumanInputName;
}

export function descriptorOf(approval: ApprovalView, url: string | null): ApprovalDescriptor {
  const { digest, summary, label, names, risk, reasons, flags, flagsTruncated, checks } = approval;
  const { preview, counts, overBudget } = approval;
  return {
    digest,
    summary,
    label,
    names,
    codePreview: codePreviewText(approval.codePreview),
    flags,
    flagsTruncated,
    checks,
    preview,
    counts,
    risk,
    reasons: [
      ...reasons.map(({ reason }) => reason).filter((text) => text !== null),
      ...(overBudget === null ? [] : [overBudgetText(overBudget)]),
    ],
    expiresAt: approval.expiresAt,
    url,
  };
}

export interface CardOptions {
  /** The address of an approval in the inbox. */
  urlOf(approvalId: string): string | null;
  /** Why decisions in this request were not recorded, by approval id. */
  refusals: ReadonlyMap<string, string>;
}

/** The card of a call; `undefined` if the call needs no approval, or is not announced yet. */
export function cardOf(
  { approval, asks }: Pick<ChatCall, "approval" | "asks">,
  { urlOf, refusals }: CardOptions,
): ChatApproval | undefined {
  if (!approval || approval.status === "proposed") return undefined;
  const { id, toolCallId, toolName, summary, status, approvers, quorum, votes, decision, expiresAt } =
    approval;
  const { digest, label, names, flags, flagsTruncated, checks, preview, counts, editedInput, undo } =
    approval;
  const approved = votes.filter(({ type }) => type === "approve").length;
  return {
    approvalId: id,
    digest,
    toolCallId,
    toolName,
    summary,
    label,
    names,
    codePreview: editedInput === null ? codePreviewText(approval.codePreview) : null,
    flags,
    flagsTruncated,
    checks,
    preview,
    counts,
    status,
    decidableHere: asks,
    mayDecide: approval.mayDecide,
    approvers,
    approvalsNeeded: status === "pending" ? Math.max(0, quorum - approved) : 0,
    decidedBy: decision?.decidedBy ?? null,
    reason: decision?.reason ?? null,
    editedInput,
    expiresAt,
    undo,
    url: urlOf(id),
    refused: refusals.get(id) ?? null,
  };
}
