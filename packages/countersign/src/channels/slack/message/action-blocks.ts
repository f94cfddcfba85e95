import type { Card } from "../../channel.js";
import { type Block, type Button, limits } from "./blocks.js";
import { buttonValue } from "./button-value.js";
import { fit, plainText, shownText, slackLength, withVisibleEnds } from "./plain-text.js";

/** Names of the channel's buttons in Slack's requests. */
export const actionIds = {
  approve: "countersign_approve",
  deny: "countersign_deny",
  open: "countersign_open",
  link: "countersign_link",
} as const;

/** What a card's message offers. */
export interface Offer {
  buttons: Button[];
  /** Where to decide instead; null if both decisions are offered or the call is closed. */
  note: string | null;
}

const maxWhy = 300;

interface Shown {
  approve: boolean;
  deny: boolean;
  complete: boolean;
}

/** @param complete Whether the message shows the whole call. Without it there is no Approve. */
export function offerOf(card: Card, complete: boolean): Offer {
  const value = buttonValue(card);
  const offered = card.open && value !== null ? card.decisions : [];
  const approve = offered.includes("approve") && complete;
  const deny = offered.includes("deny");
  const buttons = [
    ...(approve && value !== null ? [approveButton(card, value)] : []),
    ...(deny && value !== null ? [denyButton(value)] : []),
    ...linkButton(actionIds.open, "Open", card.url),
  ];
  return { buttons, note: card.open ? noteOf({ approve, deny, complete }, card) : null };
}

function approveButton(card: Card, value: string): Button {
  const sentence = withVisibleEnds(shownText(card.summary));
  return {
    type: "button",
    action_id: actionIds.approve,
    text: plainText("Approve"),
    value,
    style: "primary",
    confirm: {
      title: plainText("Approve this call?"),
      text: plainText(fit(sentence, limits.confirmText).text),
      confirm: plainText("Approve"),
      deny: plainText("Cancel"),
    },
  };
}

const denyButton = (value: string): Button => ({
  type: "button",
  action_id: actionIds.deny,
  text: plainText("Deny"),
  value,
  style: "danger",
});

/** A button that opens an address, if there is one that Slack accepts. */
export function linkButton(actionId: string, text: string, url: string | null | undefined): Button[] {
  if (!url || !/^https?:\/\//.test(url) || slackLength(url) > limits.url || !URL.canParse(url)) return [];
  return [{ type: "button", action_id: actionId, text: plainText(text), url }];
}

export const actions = (buttons: readonly Button[]): Block[] =>
  buttons.length === 0 ? [] : [{ type: "actions", elements: [...buttons] }];

function noteOf({ approve, deny, complete }: Shown, { url, notWhole }: Card): string | null {
  if (approve) return null;
  const where = url === null ? "Use the inbox" : "Open it";
  if (!complete)
    return `This message does not show the whole call, so you cannot approve it here. ${where} to see all of it.`;
  if (notWhole !== null) {
    const why = fit(shownText(notWhole), maxWhy).text;
    return `You cannot approve this call here, because ${why}. ${where} to see all of it.`;
  }
  return deny
    ? `You cannot approve this call here. ${where} to approve it.`
    : `You cannot decide this call here. ${where} to decide.`;
}
