import { isNamed } from "countersign/internal";
import type { Card } from "countersign/types";

/** The person of a subscription, with the roles that they had when it was confirmed. */
interface Subscriber {
  principalId: string;
  roles: readonly string[];
}

/** Whether a subscription's person may decide the call and has not done so yet, as far as the card says. */
export function mayBeAsked({ principalId, roles }: Subscriber, card: Card): boolean {
  const { assignee, assigneeIsDelegate, outcome } = card;
  if (outcome?.votes.some(({ id }) => id === principalId)) return false;
  // Without delegation, an assignee decides only as one of the approvers.
  if (assigneeIsDelegate && assignee === principalId) return true;
  return isNamed(card, { id: principalId, roles });
}
