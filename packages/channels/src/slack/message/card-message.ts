import type { Card } from "countersign/types";
import { actions, offerOf } from "./action-blocks.js";
import { type ArgumentBlocks, argumentBlocks } from "./argument-blocks.js";
import { type Block, context, header, limits, mentionBlocks, section, sizeOf } from "./blocks.js";
import {
  checks,
  codePreview,
  counts,
  effects,
  facts,
  hidden,
  outcomeBlocks,
  reasons,
  undoes,
  undoTerms,
  warnings,
} from "./card-parts.js";
import { headline } from "./headline.js";
import { escapeMarkup, fit, plainText, shownText } from "./plain-text.js";

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
 * Renders a card. "Approve" and "Undo" are there only if the message shows the whole call.
 *
 * @param mentions Markup for those whom the message mentions.
 * @param compact Leaves out the arguments, for a card that Slack refused as too long.
 */
export function cardMessage(card: Card, { mentions = "", compact = false } = {}): CardMessage {
  const title = headline(card);
  const summary = shownText(card.summary, compact ? 200 : maxSummary);
  const warned = warnings(card);
  const checked = checks(card);
  const changing = effects(card);
  const counted = counts(card);
  const concealed = hidden(card);
  const about = facts(card);
  const before: Block[] = [
    header(title),
    ...mentionBlocks(mentions),
    section(summary.text),
    ...undoes(card),
    ...outcomeBlocks(card),
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
    text: escapeMarkup(fit(`${title}: ${summary.text}`, maxFallback).text),
    blocks: [...before, ...args.blocks, ...after, ...offer(complete)],
  };
}
