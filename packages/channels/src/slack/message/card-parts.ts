import type { Card } from "countersign/types";
import { hiddenNames, isRisky, riskText, toolText } from "../../card-names.js";
import { type Block, context, section } from "./blocks.js";
import { dateText } from "./date-text.js";
import { fit, plainText, shownText } from "./plain-text.js";

/** Blocks of one subject, and whether a text was shortened. */
export interface Part {
  blocks: Block[];
  cut: boolean;
}

const maxTool = 150;

/** Warnings about the texts. A reader must see all of them before approving. */
export function warnings(card: Card): Part {
  return listed("Warning: ", card.warnings, "; ", 1200, (text) => section(text));
}

/** The safety checks, one line each. A reader must see all of them before approving. */
export function checks(card: Card): Part {
  const lines = card.checks.map(({ ok, text }) => `Check ${ok ? "passed" : "failed"}: ${text}`);
  return listed("", lines, "\n", 2400, (text) => section(text));
}

/**
 * What the call would change, one line each, and whether it can be taken back, or why that is unknown. A reader must see
 * all of it before approving.
 */
export function effects({ effects: lines, reversible, noPreview }: Card): Part {
  if (noPreview !== null) return listed("Warning: ", [noPreview], "", 400, (text) => section(text));
  const all = [...lines, ...(reversible === null ? [] : [reversible])];
  return listed("Effect:\n", all, "\n", 2400, (text) => section(text));
}

/** What limits over time counted, one line each. A reader must see all of it before approving. */
export function counts(card: Card): Part {
  return listed("Limit:\n", card.counts, "\n", 1200, (text) => section(text));
}

/** Values that are not shown. */
export function hidden(card: Card): Part {
  const names = hiddenNames(card).map(({ path, label }) => label ?? path);
  return listed("Hidden here: ", names, ", ", 600, (text) => context(plainText(text)));
}

/** The tools that a script appears to call. */
export function codePreview({ codePreview: text }: Card): Block[] {
  return text === null ? [] : [context(plainText(short(text, 1200)))];
}

export function reasons(card: Card): Block[] {
  return listed("Why: ", card.reasons, "; ", 1000, (text) => context(plainText(text))).blocks;
}

function listed(
  lead: string,
  texts: readonly string[],
  separator: string,
  max: number,
  block: (text: string) => Block,
): Part {
  if (texts.length === 0) return { blocks: [], cut: false };
  const all = texts.map((text) => shownText(text, max));
  const { text, cut } = fit(`${lead}${all.map(({ text }) => text).join(separator)}`, max);
  return { blocks: [block(text)], cut: cut || all.some(({ cut }) => cut) };
}

/** Which call this one undoes. */
export function undoes({ undoes }: Card): Block[] {
  return undoes === null ? [] : [section(short(undoes.text, 1000))];
}

/** For how long people may undo the call, or until when. */
export function undoTerms({ undo }: Card): Block[] {
  if (undo === null || undo.undoneAt !== null) return [];
  if (!undo.possible) return undo.until === null ? [context(plainText(short(undo.text, 300)))] : [];
  const until = undo.until && dateText("May be undone until", undo.until);
  return [context(until ?? plainText("May be undone at any time"))];
}

/** Who decided so far. */
export function votes({ outcome }: Card): Block[] {
  if (outcome === null) return [];
  return [
    section(short(outcome.text, 500)),
    ...(outcome.reason === null ? [] : [context(plainText(`Reason: ${short(outcome.reason, 1000)}`))]),
  ];
}

/** When the request ended, in the reader's zone. */
export function endedAt({ outcome, undo }: Card): Block[] {
  const at = outcome && dateText(undo?.undoneAt ? "Undone" : "Closed", outcome.at);
  return at ? [context(at)] : [];
}

/** "⚠️ High risk · Ada Martin via support", and until when people can decide. */
export function terms(card: Card): Block {
  const { open, expiresAt } = card;
  const risk = `${isRisky(card) ? "⚠️ " : ""}${riskText(card)}`;
  const until = open && expiresAt !== null ? dateText("until", expiresAt) : null;
  return context(plainText(`${risk} · ${askedBy(card)}`), ...(until === null ? [] : [until]));
}

/** The tool, which a reader must see in full, and facts: the people and the votes. */
export function facts(card: Card): Part {
  const { open, assigneeName, whoDecides, outcome } = card;
  const { required, approved } = card.quorum;
  const tool = shownText(toolText(card), maxTool);
  const texts = [
    ...(open ? [`Who decides: ${short(whoDecides, 500)}`] : []),
    ...(open && assigneeName !== null ? [`Assigned to ${short(assigneeName, 150)}`] : []),
    ...(required > 1 && outcome === null ? [`${approved} of ${required} approvals`] : []),
    `Tool: ${tool.text}`,
  ];
  return { blocks: [context(...texts.map(plainText))], cut: tool.cut };
}

/** Requests of programs outside of AgentKit have no agent, and those that a host made may have no requester. */
function askedBy({ requesterName, agentName }: Card): string {
  const agent = short(agentName, 150);
  if (requesterName === null) return agentName === "" ? "your application" : agent;
  const asked = short(requesterName, 150);
  return agentName === "" ? asked : `${asked} via ${agent}`;
}

const short = (text: string, max: number): string => shownText(text, max).text;
