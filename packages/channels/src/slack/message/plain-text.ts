import { visibleStart } from "@countersign/policy/internal/display/visible-text";

/** Slack's text without markup. `emoji: false` keeps `:white_check_mark:` as it is written. */
export interface PlainText {
  type: "plain_text";
  text: string;
  emoji: false;
}

/** A text after it was shortened to a limit. */
export interface Fitted {
  text: string;
  cut: boolean;
}

/** Slack may decode a literal `&amp;` of an argument, so its ampersand gets a label. */
const entity = /&(?=(?:amp|lt|gt);)/g;

/**
 * Makes any text safe to show in Slack, on one line and within Slack's limit. Slack refuses empty texts and trims others:
 * empty ones get a label, blanks at an end quotation marks.
 */
export function shownText(text: string, max: number): Fitted {
  const { shown, cut } = visibleStart(text, max);
  const fitted = fit(withVisibleEnds(shown.replace(entity, "⟨&⟩")), max);
  return { text: fitted.text, cut: cut || fitted.cut };
}

function withVisibleEnds(text: string): string {
  if (text === "") return "⟨empty⟩";
  return text === text.trim() ? text : `“${text}”`;
}

/** The length of a text as Slack may count it: Slack stores `&`, `<` and `>` as entities. */
export function slackLength(text: string): number {
  let length = text.length;
  for (const character of text)
    length += character === "&" ? 4 : character === "<" || character === ">" ? 3 : 0;
  return length;
}

/** Shortens a text that is already safe to show to Slack's limit, never within a character. */
export function fit(text: string, max: number): Fitted {
  if (slackLength(text) <= max) return { text, cut: false };
  const [first = ""] = pieces(text, max - 1);
  return { text: `${first}…`, cut: true };
}

/** Splits a text into pieces within Slack's limit, never within a character. */
export function pieces(text: string, max: number): string[] {
  const found: string[] = [];
  let piece = "";
  let length = 0;
  for (const character of text) {
    const more = slackLength(character);
    if (length + more > max) {
      found.push(piece);
      piece = "";
      length = 0;
    }
    piece += character;
    length += more;
  }
  return [...found, piece];
}

export function plainText(text: string): PlainText {
  return { type: "plain_text", text, emoji: false };
}

/** The top-level `text` of a message is markup, which escaping disables. */
export function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
