import type { RoundupDelivery } from "countersign/types";
import { roundupLines, roundupTitle } from "../../roundup-words.js";
import { actionIds, actions, linkButton } from "./action-blocks.js";
import { context, header, line, mentionBlocks } from "./blocks.js";
import type { CardMessage } from "./card-message.js";
import { dateText } from "./date-text.js";
import { escapeMarkup, plainText, shownText } from "./plain-text.js";

const maxName = 120;

/** Renders a roundup. It has no buttons but links to the inbox. */
export function roundupMessage(delivery: RoundupDelivery, mentions = ""): CardMessage {
  const { roundup } = delivery;
  const { highRisk, oldest, url } = roundup;
  const title = roundupTitle(delivery);
  const lines = roundupLines(roundup, nameOf);
  const since = oldest === null ? null : dateText("Oldest since", oldest);
  const facts = [
    ...(highRisk > 0 ? [plainText(`⚠️ ${highRisk} of high or critical risk`)] : []),
    ...(since === null ? [] : [since]),
  ];
  return {
    text: escapeMarkup(`${title}: ${lines.map(({ text }) => text).join(", ")}`),
    blocks: [
      header(title),
      ...mentionBlocks(mentions),
      ...lines.map((one, at) => line(one.text, linkButton(`${actionIds.open}_${at}`, "Open", one.url))),
      ...(facts.length === 0 ? [] : [context(...facts)]),
      context(plainText("Nobody can decide in this message. Open the inbox to read and decide.")),
      ...actions(linkButton(actionIds.open, "Open inbox", url)),
    ],
  };
}

const nameOf = (name: string): string => shownText(name, maxName).text;
