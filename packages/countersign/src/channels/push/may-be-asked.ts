import { isNamed } from "../../approval/who-decides.js";
import type { Card } from "../../channel/channel.js";
import type { PushSubscription } from "../../store/ports/push-subscription.js";

/** Whether a subscription's person may decide the call and has not done so yet, as far as the card says. */
export function mayBeAsked({ principalId, roles }: PushSubscription, card: Card): boolean {
  const { assignee, assigneeIsDelegate, outcome } = card;
  if (outcome?.votes.some(({ id }) => id === principalId)) return false;
  // Without delegation, an assignee decides only as one of the approvers.
  if (assigneeIsDelegate && assignee === principalId) return true;
  return isNamed(card, { id: principalId, roles });
}
