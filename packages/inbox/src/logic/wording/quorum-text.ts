import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";

/** The votes so far: "1 of 2 approved (you). Still needed: lead". */
export function quorumText(approval: Approval, me: string | null | undefined): string {
  const { quorum, denials, stillNeeded, distinctRoles, votes } = approval;
  const texts = words.decided.quorum;
  const names = (type: "approve" | "deny") =>
    votes
      .filter((vote) => vote.type === type)
      .map(({ principalId }) => (principalId === me ? texts.you : principalId));
  const approved = names("approve");
  const denied = names("deny");
  const parts = [texts.approved(approved.length, quorum) + inBrackets(approved)];
  const { approvals: missing, roles } = stillNeeded;
  if (approval.status === "pending" && missing > 0) {
    parts.push(roles.length > 0 ? texts.rolesNeeded(missing, roles) : texts.moreNeeded(missing));
    if (distinctRoles && roles.length === 0) parts.push(texts.differentRoles);
  }
  if (denied.length > 0 || denials > 1) parts.push(texts.denied(denied.length, denials) + inBrackets(denied));
  return parts.join(". ");
}

/** This person's vote, if there is one. */
export function hasVoted(approval: Approval, me: string | null | undefined): "approve" | "deny" | undefined {
  return approval.votes.find(({ principalId }) => principalId === me)?.type;
}

function inBrackets(names: readonly string[]): string {
  return names.length > 0 ? ` (${names.join(", ")})` : "";
}
