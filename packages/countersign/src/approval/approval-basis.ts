import type { GrantScope } from "@countersign/policy/internal/policy/rules/rule";
import type { ApprovalTerms, Approvers } from "./approval.js";
import { withEscalation } from "./escalation.js";
import { mayStandFor } from "./grant.js";
import { countApprovals } from "./quorum.js";
import { isNamed, mustLeaveToOthers } from "./who-decides.js";

/** A person with their roles at the time they acted. */
export interface Person {
  id: string;
  roles: readonly string[];
}

/** A person who approved. */
export interface Approver extends Person {
  /** The approver who delegated to them, if the rule itself does not name them. */
  onBehalfOf: Person | null;
  /** Time of the approval, in Unix milliseconds of the database clock. */
  at: number;
}

/** The people or the grant that an approval is based on. */
export type ApprovalBasis =
  | { by: "people"; approvers: readonly Approver[] }
  | { by: "grant"; scope: GrantScope; rerun: boolean; grantor: Person; condition: GrantCondition | null };

/** A condition that the calls of a grant must meet, and whether its author may see all values. */
export interface GrantCondition {
  text: string;
  authorSeesAll: boolean;
}

/** The policy's terms about approvers, as of the proposal or as of now. */
export type ApprovingTerms = Pick<
  ApprovalTerms,
  "quorum" | "distinctRoles" | "requesterMayNotApprove" | "delegable" | "escalation" | "grantable"
> & { approvers: Approvers };

/** Facts that the run, not the row, provides: the requester, and the time from which escalation counts. */
export interface CallFacts {
  requesterId: string | null;
  proposedAt: number;
}

/** Whether the basis of an approval satisfies these terms. */
export function satisfies(terms: ApprovingTerms, basis: ApprovalBasis, call: CallFacts): boolean {
  if (basis.by === "grant") return grantSatisfies(terms, basis, call);
  const counting = basis.approvers.filter((approver) => mayApprove(terms, approver, call));
  const decidedAt = Math.max(...counting.map(({ at }) => at));
  const { roles } = approversAt(terms, decidedAt, call);
  const people = counting.map(({ id, roles, onBehalfOf }) => ({
    principalId: id,
    roles,
    onBehalfOf: onBehalfOf?.id ?? null,
  }));
  return countApprovals(terms, roles, people) >= terms.quorum;
}

function grantSatisfies(
  terms: ApprovingTerms,
  { scope, rerun, grantor }: Extract<ApprovalBasis, { by: "grant" }>,
  { requesterId }: CallFacts,
): boolean {
  // An interrupted call had been approved already, so a re-run does not need `grantable`.
  const granted = rerun || terms.grantable.includes(scope);
  return (
    granted && terms.quorum === 1 && mayStandFor({ approvers: terms.approvers, terms, requesterId }, grantor)
  );
}

function mayApprove(terms: ApprovingTerms, person: Approver, call: CallFacts): boolean {
  const { onBehalfOf, at } = person;
  if (onBehalfOf && !terms.delegable) return false;
  const approver = onBehalfOf ?? person;
  const { requesterId } = call;
  if ([person.id, approver.id].some((id) => mustLeaveToOthers({ terms, requesterId }, id))) return false;
  return isNamed({ approvers: approversAt(terms, at, call) }, approver);
}

/** The approvers at a point in time. Escalation counts from the time the run proposed the call, never earlier. */
function approversAt(
  { approvers, escalation }: ApprovingTerms,
  at: number,
  { proposedAt }: CallFacts,
): Approvers {
  return withEscalation(
    approvers,
    escalation.filter(({ afterMs }) => afterMs <= at - proposedAt),
  );
}
