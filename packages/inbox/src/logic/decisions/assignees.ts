import type { Approval } from "../../api/approval.js";
import type { Person } from "../../api/records.js";
import { hasWords } from "../lists/search.js";
import { isApprover } from "./is-approver.js";

/**
 * The people to whom an approval can usefully be assigned: not the reader, not the assignee, only those who could decide. A rule may
 * say that whoever asked could not.
 */
export function assignablePeople(
  people: readonly Person[],
  approval: Approval,
  me: string | undefined,
): readonly Person[] {
  const excluded = approval.reasons.some(({ adds }) => adds.requesterMayNotApprove)
    ? approval.requesterId
    : null;
  return people.filter(
    ({ id, roles }) =>
      id !== me &&
      id !== excluded &&
      id !== approval.assigneeId &&
      (approval.delegable === true || roles === undefined || isApprover(approval, { id, roles })),
  );
}

/** The people whose name, id or roles contain all words. */
export function peopleMatching(people: readonly Person[], text: string): readonly Person[] {
  return people.filter((person) =>
    hasWords([person.displayName, person.id, ...(person.roles ?? [])].join(" "), text),
  );
}

/** Details that distinguish people with the same name. */
export function personDetails({ id, displayName, roles = [] }: Person): string {
  return [...(displayName === undefined ? [] : [id]), ...roles.filter((role) => role !== id)].join(" · ");
}
