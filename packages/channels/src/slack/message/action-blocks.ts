import type { Card } from "countersign/types";
import { type Block, type Button, type Confirmation, limits } from "./blocks.js";
import { buttonValue } from "./button-value.js";
import { plainText, shownText, slackLength } from "./plain-text.js";

/** Names of the channel's buttons in Slack's requests. */
export const actionIds = {
  approve: "countersign_approve",
  deny: "countersign_deny",
  undo: "countersign_undo",
  open: "countersign_open",
  link: "countersign_link",
} as const;

/** What a card's message offers. */
export interface Offer {
  buttons: Button[];
  /** Where to decide or undo instead; null if both decisions or the undo are offered, or if nothing is possible. */
  note: string | null;
}

const maxWhy = 300;

interface Shown {
  approve: boolean;
  deny: boolean;
  complete: boolean;
}

/** @param complete Whether the message shows the whole call. Without it there is no Approve and no Undo. */
export function offerOf(card: Card, complete: boolean): Offer {
  const value = buttonValue(card);
  const offered = card.open && value !== null ? card.decisions : [];
  const approve = offered.includes("approve") && complete;
  const deny = offered.includes("deny");
  const undo = card.undo?.offered === true && complete;
  const buttons = [
    ...(approve && value !== null ? [approveButton(card, value)] : []),
    ...(deny && value !== null ? [denyButton(value)] : []),
    ...(undo && value !== null ? [undoButton(card, value)] : []),
    ...linkButton(actionIds.open, "Open", card.url),
  ];
  if (!card.open) return { buttons, note: card.undo?.possible && !undo ? noUndo(card) : null };
  return { buttons, note: noteOf({ approve, deny, complete }, card) };
}

const approveButton = (card: Card, value: string): Button => ({
  type: "button",
  action_id: actionIds.approve,
  text: plainText("Approve"),
  value,
  style: "primary",
  confirm: confirmation("Approve", card),
});

const undoButton = (card: Card, value: string): Button => ({
  type: "button",
  action_id: actionIds.undo,
  text: plainText("Undo"),
  value,
  confirm: confirmation("Undo", card),
});

/** Slack's question before it reports a press, with the sentence of the request. */
function confirmation(verb: "Approve" | "Undo", { summary }: Card): Confirmation {
  return {
    title: plainText(`${verb} this request?`),
    text: plainText(shownText(summary, limits.confirmText).text),
    confirm: plainText(verb),
    deny: plainText("Cancel"),
  };
}

const noUndo = ({ url }: Card): string =>
  `You cannot undo this request here. ${url === null ? "Use the inbox" : "Open it"} to undo it.`;

const denyButton = (value: string): Button => ({
  type: "button",
  action_id: actionIds.deny,
  text: plainText("Deny"),
  value,
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
    return `This message does not show the whole request, so you cannot approve it here. ${where} to see all of it.`;
  if (notWhole !== null) {
    const why = shownText(notWhole, maxWhy).text;
    return `You cannot approve this request here, because ${why}. ${where} to see all of it.`;
  }
  return deny
    ? `You cannot approve this request here. ${where} to approve it.`
    : `You cannot decide this request here. ${where} to decide.`;
}
