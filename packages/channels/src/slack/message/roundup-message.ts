import type { RoundupDelivery } from "countersign/types";
import { roundupTitle, toolWords } from "../../roundup-words.js";
import { actionIds, actions, linkButton } from "./action-blocks.js";
import { context, header, mentionBlocks, section } from "./blocks.js";
import type { CardMessage } from "./card-message.js";
import { dateText } from "./date-text.js";
import { escapeMarkup, plainText, shownText } from "./plain-text.js";

const maxName = 80;

/** Renders a roundup. It has no button but the link to the inbox. */
export function roundupMessage(delivery: RoundupDelivery, mentions = ""): CardMessage {
  const { roundup } = delivery;
  const { highRisk, oldest, url } = roundup;
  const title = roundupTitle(delivery);
  const tools = toolWords(roundup, nameOf);
  const since = oldest === null ? null : dateText("Oldest since", oldest);
  const facts = [
    ...(highRisk > 0 ? [plainText(`${highRisk} of high or critical risk`)] : []),
    ...(since === null ? [] : [since]),
  ];
  return {
    text: escapeMarkup(`${title}: ${tools}`),
    blocks: [
      header(title),
      ...mentionBlocks(mentions),
      section(tools),
      ...(facts.length === 0 ? [] : [context(...facts)]),
      context(plainText("Nobody can decide in this message. Open the inbox to read and decide.")),
      ...actions(linkButton(actionIds.open, "Open inbox", url)),
    ],
  };
}

const nameOf = (name: string): string => shownText(name, maxName).text;
