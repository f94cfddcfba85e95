import type { Approval } from "../api/approval.js";

/** How far the votes are, in words: "1 of 2 approved (you); lead still needed". */
export function quorumWords(approval: Approval, me: string | null | undefined): string {
  const { quorum, denials = 1, stillNeeded, distinctRoles, votes = [] } = approval;
  const names = (type: "approve" | "deny") =>
    votes
      .filter((vote) => (vote.type ?? "approve") === type)
      .map(({ principalId }) => (principalId === me ? "you" : principalId));
  const approved = names("approve");
  const denied = names("deny");
  const parts = [`${approved.length} of ${quorum} approved${inBrackets(approved)}`];
  const missing = stillNeeded?.approvals ?? Math.max(0, quorum - approved.length);
  if (approval.status === "pending" && missing > 0) {
    const roles = stillNeeded?.roles ?? [];
    parts.push(roles.length > 0 ? `${roles.join(" or ")} still needed` : `${missing} more needed`);
    if (distinctRoles && roles.length === 0) parts.push("from different roles");
  }
  if (denied.length > 0 || denials > 1)
    parts.push(`${denied.length} of ${denials} denied${inBrackets(denied)}`);
  return parts.join("; ");
}

/** Whether this person's vote has been counted. */
export function hasVoted(approval: Approval, me: string | null | undefined): "approve" | "deny" | undefined {
  const vote = approval.votes?.find(({ principalId }) => principalId === me);
  return vote && (vote.type ?? "approve");
}

function inBrackets(names: readonly string[]): string {
  return names.length > 0 ? ` (${names.join(", ")})` : "";
}
