import { inboxPlace } from "@countersign/policy/internal/policy/rules/rule";
import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { type Principal, personKey } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "./approval.js";
import type { ListName } from "./list-names.js";
import { snoozedUntil } from "./snooze.js";
import { mayDecide, maySee, mustLeaveToOthers } from "./who-decides.js";

/** The lists of a person that a call is in, apart from its deadline. `inList` of the store says the same in SQL. */
export function listsOf(approval: Approval, person: Principal): ListName[] {
  if (!maySee(approval, person)) return [];
  const { status, held, votes, terms, requesterId, resolution } = approval;
  const isSnoozed = snoozedUntil(approval, person) !== undefined;
  const isPending = status === "pending";
  const hasDecided =
    held?.decidedBy === person.id || votes.some(({ principalId }) => principalId === person.id);
  const isOwn = requesterId !== null && personKey(requesterId) === personKey(person.id);
  const isLeft = mayDecide(approval, person) && !mustLeaveToOthers(approval, person.id);
  const isToDecide = isPending && !held && isLeft && terms.decideIn.includes(inboxPlace) && !hasDecided;
  const isIn: Record<ListName, boolean> = {
    for_you: isToDecide && !isSnoozed,
    snoozed: isToDecide && isSnoozed,
    waiting: isPending && hasDecided,
    asked: isOwn && (isOpen(status) || status === "approved" || status === "executing"),
    uncertain: status === "interrupted" && resolution === null,
  };
  return (Object.keys(isIn) as ListName[]).filter((name) => isIn[name]);
}
