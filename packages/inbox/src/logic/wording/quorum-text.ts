import type { Approval } from "../../api/approval.js";

/** The votes so far: "1 of 2 approved (you); lead still needed". */
export function quorumText(approval: Approval, me: string | null | undefined): string {
  const { quorum, denials, stillNeeded, distinctRoles, votes } = approval;
  const names = (type: "approve" | "deny") =>
    votes
      .filter((vote) => vote.type === type)
      .map(({ principalId }) => (principalId === me ? "you" : principalId));
  const approved = names("approve");
  const denied = names("deny");
  const parts = [`${approved.length} of ${quorum} approved${inBrackets(approved)}`];
  const { approvals: missing, roles } = stillNeeded;
  if (approval.status === "pending" && missing > 0) {
    parts.push(roles.length > 0 ? `${roles.join(" or ")} still needed` : `${missing} more needed`);
    if (distinctRoles && roles.length === 0) parts.push("from different roles");
  }
  if (denied.length > 0 || denials > 1)
    parts.push(`${denied.length} of ${denials} denied${inBrackets(denied)}`);
  return parts.join("; ");
}

/** This person's vote, if there is one. */
export function hasVoted(approval: Approval, me: string | null | undefined): "approve" | "deny" | undefined {
  return approval.votes.find(({ principalId }) => principalId === me)?.type;
}

function inBrackets(names: readonly string[]): string {
  return names.length > 0 ? ` (${names.join(", ")})` : "";
}
