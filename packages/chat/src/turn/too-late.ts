import type { DecisionType } from "@countersign/policy/internal/policy/rules/rule";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval, ApprovalStatus } from "countersign";
import { type ChatAnswer, responseJsonOf } from "./chat-answer.js";

const decided: Record<DecisionType, string> = {
  approve: "approved this call",
  edit: "approved this call with changes",
  deny: "denied this call",
  respond: "answered this call",
};

const outcomes: Partial<Record<ApprovalStatus, string>> = {
  executing: "; it runs",
  executed: "; it ran",
  failed: "; it ran and failed",
  interrupted: "; it may or may not have run",
};

/**
 * Why an answer did not count that came after a call was over; `undefined` if it says what was decided anyway. Whether
 * an edit repeats the person's own one is for `decide` to tell.
 */
export function tooLate(answer: ChatAnswer, approval: Approval, { id }: Principal): string | undefined {
  const { status, decision } = approval;
  if (isCounted(answer, approval, id)) return undefined;
  if (status === "expired") return "Nobody had decided in time. This call did not run";
  if (status === "withdrawn") return "This call had already been withdrawn. It did not run";
  if (decision === null) return undefined;
  const { type, decidedBy } = decision;
  const who = decidedBy === null ? "The policy" : decidedBy === id ? "You" : decidedBy;
  return `${who} had already ${decided[type]}${outcomes[status] ?? ""}`;
}

/** Whether an answer was recorded earlier, or agrees with what others decided. */
function isCounted(
  answer: ChatAnswer,
  { status, decision, votes, responseJson }: Approval,
  id: string,
): boolean {
  const isOwn = decision?.type === answer.kind && decision.decidedBy === id;
  if (answer.kind === "edit") return false;
  if (answer.kind === "respond") return isOwn && responseJson === responseJsonOf(answer);
  // A person's own vote counted, whatever the others decided.
  if (isOwn || votes.some(({ principalId, type }) => principalId === id && type === answer.kind)) return true;
  return decision?.type === answer.kind && status !== "expired" && status !== "withdrawn";
}
