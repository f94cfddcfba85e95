import { personKey } from "@countersign/policy/internal/shared/principal";
import type { Approval, ApprovalTerms, Vote } from "./approval.js";

/** What is missing until a call is approved. `roles`: the roles from which another approval would count. */
export interface StillNeeded {
  approvals: number;
  roles: string[];
}

type Voted = Pick<Approval, "terms" | "approvers" | "votes">;

/** The terms that determine how approvals are counted. */
type Quorum = Pick<ApprovalTerms, "quorum" | "distinctRoles">;

/** A person who approves or denies. `onBehalfOf`: the approver who delegated to them. */
export interface Counted {
  principalId: string;
  roles: readonly string[];
  onBehalfOf: string | null;
}

/** Whether several people must approve or deny, so that each decision is a vote. */
export function severalDecide({ quorum, denials }: Pick<ApprovalTerms, "quorum" | "denials">): boolean {
  return quorum > 1 || denials > 1;
}

/** Counts approvals: distinct people, or distinct approver roles if the terms require them. */
export function countApprovals(
  terms: Quorum,
  approverRoles: readonly string[],
  people: readonly Counted[],
): number {
  return needsRoles(terms) ? maxCovered(rolesCovered(approverRoles, people)) : countPeople(people);
}

/** Counts distinct people. A delegate and their delegator count as one, and so do ids that differ in case. */
export function countPeople(people: readonly Counted[]): number {
  return new Set(people.map(({ principalId, onBehalfOf }) => personKey(onBehalfOf ?? principalId))).size;
}

/** What is missing until an open call is approved; nothing if it is not open. */
export function stillNeeded(approval: Voted & Pick<Approval, "status">): StillNeeded {
  if (approval.status !== "proposed" && approval.status !== "pending") return { approvals: 0, roles: [] };
  const { terms, approvers } = approval;
  const cast = votesTo("approve", approval.votes);
  const counted = countApprovals(terms, approvers.roles, cast);
  const approvals = Math.max(0, terms.quorum - counted);
  if (approvals === 0 || !needsRoles(terms)) return { approvals, roles: [] };
  const voters = rolesCovered(approvers.roles, cast);
  const roles = approvers.roles.filter((role) => maxCovered([...voters, [role]]) > counted);
  return { approvals, roles };
}

export function votesTo<V extends Pick<Vote, "type">>(type: Vote["type"], votes: readonly V[]): V[] {
  return votes.filter((vote) => vote.type === type);
}

function needsRoles({ distinctRoles, quorum }: Quorum): boolean {
  return distinctRoles && quorum > 1;
}

/** The approver roles that each person covers. Delegates cover none. */
function rolesCovered(approverRoles: readonly string[], people: readonly Counted[]): string[][] {
  const rolesOf = new Map<string, readonly string[]>();
  for (const { principalId, roles, onBehalfOf } of people) {
    const person = personKey(principalId);
    if (onBehalfOf === null) rolesOf.set(person, [...(rolesOf.get(person) ?? []), ...roles]);
  }
  return [...rolesOf.values()].map((roles) => approverRoles.filter((role) => roles.includes(role)));
}

/** The maximum number of roles covered if each person covers one (maximum bipartite matching by augmenting paths). */
function maxCovered(voters: readonly (readonly string[])[]): number {
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
