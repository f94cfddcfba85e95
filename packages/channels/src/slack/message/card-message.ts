import type { Card } from "countersign/types";
import { riskText } from "../../card-names.js";
import { actions, offerOf } from "./action-blocks.js";
import { type ArgumentBlocks, argumentBlocks } from "./argument-blocks.js";
import { type Block, context, header, limits, line, mentionBlocks, section, sizeOf } from "./blocks.js";
import {
  checks,
  codePreview,
  counts,
  effects,
  endedAt,
  facts,
  hidden,
  reasons,
  terms,
  undoes,
  undoTerms,
  votes,
  warnings,
} from "./card-parts.js";
import { endedLine } from "./ended-line.js";
import { escapeMarkup, fit, pieces, plainText, shownText } from "./plain-text.js";

/** What Slack shows of a card. */
export interface CardMessage {
  /** For notifications and screen readers: markup, escaped. */
  text: string;
  blocks: Block[];
}

/** Blocks of the note and the buttons. */
const offerBlocks = 2;
const maxSummary = 1000;
const maxFallback = 1000;

/**
 * Renders a card. "Approve" and "Undo" are there only if the message shows the whole call. A request that is over is a
 * line, unless people may still undo it here.
 *
 * @param mentions Markup for those whom the message mentions.
 * @param compact Leaves out the arguments, for a card that Slack refused as too long.
 */
export function cardMessage(card: Card, { mentions = "", compact = false } = {}): CardMessage {
  const max = compact ? 200 : maxSummary;
  if (!card.open && card.undo?.offered !== true) return endedMessage(card, max);
  const summary = shownText(card.summary, max);
  const title = fit(summary.text, limits.header);
  const warned = warnings(card);
  const checked = checks(card);
  const changing = effects(card);
  const counted = counts(card);
  const concealed = hidden(card);
  const about = facts(card);
  const before: Block[] = [
    header(title.text),
    ...mentionBlocks(mentions),
    ...(title.cut ? [section(summary.text)] : []),
    terms(card),
    ...undoes(card),
    ...(card.open ? votes(card) : [section(endedLine(card, max)), ...endedAt(card)]),
    ...undoTerms(card),
    ...warned.blocks,
    ...checked.blocks,
    ...changing.blocks,
    ...counted.blocks,
  ];
  const after: Block[] = [...codePreview(card), ...concealed.blocks, ...reasons(card), ...about.blocks];

  const offer = (complete: boolean): Block[] => {
    const { buttons, note } = offerOf(card, complete);
    return [...(note === null ? [] : [context(plainText(note))]), ...actions(buttons)];
  };
  const around = [...before, ...after];
  const offers = Math.max(sizeOf(offer(true)), sizeOf(offer(false)));
  const size = limits.message - sizeOf(around) - offers;
  const args: ArgumentBlocks = compact
    ? { blocks: [], complete: false }
    : argumentBlocks(card.fields, { blocks: limits.blocks - around.length - offerBlocks, size });
  const complete =
    args.complete && ![summary, warned, checked, changing, counted, concealed, about].some(({ cut }) => cut);
  return {
    text: fallback(
      card.open ? `Approval needed · ${riskText(card)}: ${summary.text}` : endedLine(card, maxSummary),
    ),
    blocks: [...before, ...args.blocks, ...after, ...offer(complete)],
  };
}

/** One line with the button "Open", when it ended, and until when people may undo it elsewhere. */
function endedMessage(card: Card, maxSummary: number): CardMessage {
  const { buttons, note } = offerOf(card, false);
  const text = endedLine(card, maxSummary);
  const blocks = [
    ...pieces(text, limits.section).map((piece, at) => line(piece, at === 0 ? buttons : [])),
    ...endedAt(card),
    ...undoTerms(card),
    ...(note === null ? [] : [context(plainText(note))]),
  ];
  return { text: fallback(text), blocks };
}

const fallback = (text: string): string => escapeMarkup(fit(text, maxFallback).text);
