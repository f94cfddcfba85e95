import type { Approval, ApprovalTerms, Vote } from "./approval.js";

/** What is missing until a call is approved; `roles`: those of which a further approval would count. */
export interface StillNeeded {
  approvals: number;
  roles: string[];
}

type Voted = Pick<Approval, "terms" | "approvers" | "votes">;

/** True when one approval or one denial is not enough, so that each is a vote. */
export function severalDecide({ quorum, denials }: Pick<ApprovalTerms, "quorum" | "denials">): boolean {
  return quorum > 1 || denials > 1;
}

/** How many of the votes to approve count: different people, or different roles that they cover. */
export function countedApprovals(approval: Voted): number {
  if (!needsRoles(approval)) return voices(approval, "approve");
  return mostCovered(rolesOfVoters(approval));
}

/** How many different people denied. */
export function countedDenials(approval: Voted): number {
  return voices(approval, "deny");
}

/** What is missing until an open call is approved; nothing where it is not open. */
export function stillNeeded(approval: Voted & Pick<Approval, "status">): StillNeeded {
  if (approval.status !== "proposed" && approval.status !== "pending") return { approvals: 0, roles: [] };
  const counted = countedApprovals(approval);
  const approvals = Math.max(0, approval.terms.quorum - counted);
  if (approvals === 0 || !needsRoles(approval)) return { approvals, roles: [] };
  const voters = rolesOfVoters(approval);
  const roles = approval.approvers.roles.filter((role) => mostCovered([...voters, [role]]) > counted);
  return { approvals, roles };
}

function needsRoles({ terms }: Voted): boolean {
  return terms.distinctRoles && terms.quorum > 1;
}

/** Different people; whoever votes in somebody's place is one voice with them. */
function voices({ votes }: Voted, type: Vote["type"]): number {
  const cast = votes.filter((vote) => vote.type === type);
  return new Set(cast.map(({ principalId, onBehalfOf }) => onBehalfOf ?? principalId)).size;
}

/** For each person who approves, the approvers' roles that they had; who votes in somebody's place covers none. */
function rolesOfVoters({ votes, approvers }: Voted): string[][] {
  return votes
    .filter(({ type, onBehalfOf }) => type === "approve" && onBehalfOf === null)
    .map(({ roles }) => approvers.roles.filter((role) => roles.includes(role)));
}

/** The most roles that people can cover when each covers one: a maximum matching, by augmenting paths. */
function mostCovered(voters: readonly (readonly string[])[]): number {
  const holder = new Map<string, number>();
  const place = (voter: number, tried: Set<string>): boolean =>
    (voters[voter] ?? []).some((role) => {
      if (tried.has(role)) return false;
      tried.add(role);
      const present = holder.get(role);
      if (present !== undefined && !place(present, tried)) return false;
      holder.set(role, voter);
      return true;
    });
  return voters.filter((_, voter) => place(voter, new Set())).length;
}
