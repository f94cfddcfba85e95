import type { Card } from "countersign";
import type { Roundup } from "countersign/types";
import type { RoundupNews } from "../../roundup-news.js";
import { actionIds, actions, linkButton } from "./action-blocks.js";
import { type Block, context, header, section } from "./blocks.js";
import type { CardMessage } from "./card-message.js";
import { dateText } from "./date-text.js";
import { riskWords } from "./headline.js";
import { escapeMarkup, fit, plainText, shownText, withVisibleEnds } from "./plain-text.js";

const maxTools = 5;
const maxName = 80;
const maxSummary = 300;

/** "12 calls wait for a decision". */
function roundupTitle({ open, closed }: Roundup): string {
  if (open > 0) return `${calls(open)} ${open === 1 ? "waits" : "wait"} for a decision`;
  return closed === 1 ? "The call is over" : `All ${closed} calls are over`;
}

/**
 * Renders a roundup. It has no button but the link to the inbox.
 *
 * @param compact Leaves out the calls, for a roundup that Slack refused as too long.
 */
export function roundupMessage(roundup: Roundup, { compact = false } = {}): CardMessage {
  const title = roundupTitle(roundup);
  const tools = toolWords(roundup);
  const more = roundup.open - roundup.calls.length;
  const shown = roundup.calls.flatMap(callBlocks);
  return {
    text: escapeMarkup(tools === "" ? title : `${title}: ${tools}`),
    blocks: [
      header(title),
      ...(tools === "" ? [] : [section(tools)]),
      ...facts(roundup),
      ...(compact ? [] : shown),
      ...(more > 0 && !compact && shown.length > 0 ? [context(plainText(`And ${more} more`))] : []),
      ...(roundup.open > 0
        ? [context(plainText("Nobody can decide in this message. Open the inbox to read and decide."))]
        : []),
      ...actions(linkButton(actionIds.open, "Open inbox", roundup.url)),
    ],
  };
}

/** The reply that notifies people of a roundup: first the calls of which they do not know yet. */
export function roundupNews(
  roundup: Roundup,
  { occasion, further }: RoundupNews,
): { text: string; blocks: Block[] } {
  const [first] = further;
  const joined = first
    ? [further.length === 1 ? `Further call: ${sentenceOf(first.card)}` : `${calls(further.length)} joined.`]
    : [];
  const word = { further: "", reminded: "Reminder: ", escalated: "Escalated: " }[occasion];
  return {
    text: [...joined, `${word}${roundupTitle(roundup)}.`].join(" "),
    blocks: further.flatMap(({ card }) => callBlocks(card)),
  };
}

function callBlocks(card: Card): Block[] {
  return [section(sentenceOf(card)), context(plainText(`${riskWords[card.risk]}: ${nameOf(card.toolName)}`))];
}

const sentenceOf = ({ summary }: Card): string => fit(withVisibleEnds(shownText(summary)), maxSummary).text;

function facts({ open, closed, highRisk, oldest }: Roundup): Block[] {
  const since = oldest === null ? null : dateText("Oldest since", oldest);
  const texts = [
    ...(highRisk > 0 ? [`${highRisk} of high or critical risk`] : []),
    ...(open > 0 && closed > 0 ? [`${closed} ${closed === 1 ? "is" : "are"} over`] : []),
  ];
  const elements = [...texts.map(plainText), ...(since === null ? [] : [since])];
  return elements.length === 0 ? [] : [context(...elements)];
}

function toolWords({ tools }: Roundup): string {
  const named = tools.slice(0, maxTools).map(({ name, calls }) => `${calls} × ${nameOf(name)}`);
  const others = tools.slice(maxTools).reduce((total, { calls }) => total + calls, 0);
  return [...named, ...(others > 0 ? [`${others} of other tools`] : [])].join(", ");
}

const nameOf = (name: string): string => fit(withVisibleEnds(shownText(name)), maxName).text;
const calls = (count: number): string => `${count} ${count === 1 ? "call" : "calls"}`;
