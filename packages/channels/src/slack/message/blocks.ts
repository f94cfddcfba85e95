import { type PlainText, plainText } from "./plain-text.js";

/**
 * The only markup that the channel sends: Slack's token of a date, built from a number, mentions, built from ids, and bold
 * names of arguments that are words.
 */
export interface MarkupText {
  type: "mrkdwn";
  text: string;
  verbatim: true;
}

export interface Confirmation {
  title: PlainText;
  text: PlainText;
  confirm: PlainText;
  deny: PlainText;
}

export interface Button {
  type: "button";
  action_id: string;
  text: PlainText;
  value?: string;
  url?: string;
  style?: "primary";
  confirm?: Confirmation;
}

export interface Section {
  type: "section";
  text: PlainText;
  /** Shows all of the text at once, instead of a link "See more". */
  expand: true;
  /** A button at the end of the line. */
  accessory?: Button;
}

/** Up to ten texts in two columns, from left to right. */
export interface Fields {
  type: "section";
  fields: (PlainText | MarkupText)[];
}

export type Block =
  | { type: "header"; text: PlainText }
  | Section
  | Fields
  | { type: "section"; text: MarkupText }
  | { type: "context"; elements: (PlainText | MarkupText)[] }
  | { type: "actions"; elements: Button[] }
  | { type: "divider" };

/** Slack's limits, with a safety margin where Slack does not document how it counts. */
export const limits = {
  blocks: 50,
  header: 150,
  section: 2900,
  fields: 10,
  contextElements: 10,
  context: 1900,
  buttonText: 75,
  buttonValue: 500,
  url: 1500,
  confirmText: 300,
  privateMetadata: 3000,
  /**
   * Maximum length of all blocks as JSON. Slack documents no such limit, but refuses messages above about 12,000
   * characters.
   */
  message: 11_000,
} as const;

export const header = (text: string): Block => ({ type: "header", text: plainText(text) });
export const section = (text: string): Section => ({ type: "section", text: plainText(text), expand: true });
export const fields = (texts: (PlainText | MarkupText)[]): Fields => ({ type: "section", fields: texts });
/** A line with its button, if there is one. */
export const line = (text: string, [accessory]: readonly Button[]): Section => ({
  ...section(text),
  ...(accessory && { accessory }),
});
export const context = (...elements: (PlainText | MarkupText)[]): Block => ({ type: "context", elements });

/** Mentions, as `mentionsIn` writes them. */
export const mentionBlocks = (markup: string): Block[] =>
  markup === "" ? [] : [{ type: "section", text: { type: "mrkdwn", text: markup, verbatim: true } }];

/** The length of blocks as JSON, which counts towards the limit of a whole message. */
export function sizeOf(blocks: readonly Block[]): number {
  const json = JSON.stringify(blocks);
  const entities = json.match(/[&<>]/g)?.length ?? 0;
  return json.length + 4 * entities;
}
