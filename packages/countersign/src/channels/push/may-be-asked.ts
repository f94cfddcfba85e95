import type { Card } from "../channel.js";
import type { PushSubscription } from "./push-subscription.js";

/** Whether a subscription's person may decide the call and has not done so yet, as far as the card says. */
export function mayBeAsked({ principalId, roles }: PushSubscription, card: Card): boolean {
  const { approvers, assignee, outcome } = card;
  if (outcome?.votes.some(({ id }) => id === principalId)) return false;
  if (assignee === principalId || approvers.ids.includes(principalId)) return true;
  if (approvers.roles.length === 0 && approvers.ids.length === 0) return true;
  return roles.some((role) => approvers.roles.includes(role));
}
