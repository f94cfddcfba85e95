import type { Approval, Person } from "../api/approval.js";
import { isApprover } from "./is-approver.js";
import { hasWords } from "./search.js";

/** To whom it is of use to pass an approval on: not the reader, not who has it, and nobody who could not decide it. */
export function peopleToChoose(
  people: readonly Person[],
  approval: Approval,
  me: string | undefined,
): readonly Person[] {
  return people.filter(
    ({ id, roles }) =>
      id !== me &&
      id !== approval.assigneeId &&
      (approval.delegable === true || roles === undefined || isApprover(approval, { id, roles })),
  );
}

/** Those whose name, id or roles have all of some words. */
export function peopleWithWords(people: readonly Person[], words: string): readonly Person[] {
  return people.filter((person) =>
    hasWords([person.displayName, person.id, ...(person.roles ?? [])].join(" "), words),
  );
}

/** What tells two people of one name apart. */
export function aboutPerson({ id, displayName, roles = [] }: Person): string {
  return [...(displayName === undefined ? [] : [id]), ...roles.filter((role) => role !== id)].join(" · ");
}
