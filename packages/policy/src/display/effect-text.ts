import type { DisplayWords } from "./display-words.js";
import { englishDisplay } from "./english.js";
import { lengthText } from "./length-text.js";
import { numberText } from "./number-text.js";
import type { PreviewFailure } from "./preview-failures.js";
import { hiddenValue, inQuotes, quotedValue } from "./summary-part.js";
import { visibleText } from "./visible-text.js";

/** One thing that a call would change. */
export interface Effect {
  /** What changes, for people: "order A-1001". 1 to 200 characters. */
  target: string;
  /** What it is now: any JSON. Absent or `null`: it does not exist yet. */
  before?: unknown;
  /** What it would be: any JSON. Absent or `null`: it would be gone. With neither, `target` says it all. */
  after?: unknown;
  /** How many such things would change, such as rows or recipients: a whole number from 0. @default not said */
  count?: number | undefined;
}

const maxTarget = 200;
const maxValue = 300;

/**
 * One effect of a call as a line of plain text: what changes, how many, before and after. Characters that cannot be seen
 * are named, and texts that could be mistaken for a part of the line are quoted.
 *
 * @param options `whole`: show all of long texts, which otherwise end in an ellipsis. `words`: the language, by default
 * English.
 *
 * @example
 * ```ts
 * import { effectText } from "@countersign/policy/display";
 *
 * export const line = effectText({ target: "order A-1001", before: "paid", after: "refunded" });
 * // order A-1001: paid → refunded
 * ```
 */
export function effectText(
  { target, before, after, count }: Effect,
  { whole = false, words = englishDisplay } = {},
): string {
  const name = targetText(visibleText(target, whole ? Number.POSITIVE_INFINITY : maxTarget, words), words);
  const many = count === undefined ? "" : ` (${numberText("", count, words.numbers)})`;
  const value = (given: unknown) => effectValue(given, { name: target, whole, words });
  const isThere = (before ?? after ?? null) !== null;
  if (isUnchanged({ before, after })) return `${name}${many}: ${words.effects.unchanged(value(before))}`;
  return isThere ? `${name}${many}: ${value(before)} → ${value(after)}` : `${name}${many}`;
}

/**
 * Whether an effect has the same value before and after. One of which a part is hidden may differ.
 *
 * @example
 * ```ts
 * import { isUnchanged } from "@countersign/policy/display";
 *
 * export const isDoneAlready = isUnchanged({ before: "refunded", after: "refunded" }); // true
 * ```
 */
export function isUnchanged({ before, after }: Pick<Effect, "before" | "after">): boolean {
  const json = JSON.stringify(before ?? null);
  return json !== "null" && json === JSON.stringify(after ?? null) && !json.includes(hiddenValue);
}

/**
 * A value before or after a call as plain text. Numbers are written as in the arguments.
 *
 * @param options `name`: the name of the value, which says whether a number is an amount. `whole`: show all of a long text.
 * `words`: the language, by default English.
 */
export function effectValue(
  value: unknown,
  { name = "", whole = false, words = englishDisplay } = {},
): string {
  const { nothing } = words.effects;
  const max = whole ? Number.POSITIVE_INFINITY : maxValue;
  if (value === undefined || value === null) return nothing;
  if (typeof value === "number") return numberText(name, value, words.numbers);
  if (typeof value === "string") {
    return value.toLowerCase() === nothing.toLowerCase()
      ? inQuotes(value, words)
      : quotedValue(visibleText(value, max, words), words);
  }
  const json = visibleText(JSON.stringify(value), max, words);
  return plainJson.test(json) ? json : inQuotes(json, words);
}

/** JSON that has no arrows and no quotation marks but its own. */
const plainJson = /^(?!.*[-=~]>)[\x20-\x7e\p{L}\p{N}\p{M}\p{Sc}]*$/u;

/** Names of several words need no quotation marks as long as none of their characters can end a part of the line. */
function targetText(name: string, words: DisplayWords): string {
  const plain = name.split(" ").every((word) => quotedValue(word, words) === word);
  return plain && !words.effects.ownBeginnings.test(name) ? name : inQuotes(name, words);
}

/** Whether the call can be undone, as a sentence for people. */
export function reversibleText(reversible: boolean | string | null, words = englishDisplay): string {
  const { unknown, within, yes, no } = words.effects.reversible;
  if (reversible === null) return unknown;
  if (typeof reversible === "string") return within(lengthText(reversible, words));
  return reversible ? yes : no;
}

/** What a preview says, as the API returns it. */
export interface PreviewLike {
  failed: PreviewFailure | null;
  effects: readonly Effect[];
  reversible: boolean | string | null;
}

/**
 * A preview as lines of plain text: each effect and whether the call can be undone, or why there is no preview.
 *
 * @param options `max`: the number of effects after which the others are only counted, by default all.
 * `whole`: show all of long texts. `words`: the language, by default English.
 */
export function previewLines(
  { failed, effects, reversible }: PreviewLike,
  { max = effects.length, whole = false, words = englishDisplay } = {},
): string[] {
  if (failed !== null) return [words.effects.failures[failed]];
  return [...effectLines(effects, { max, whole, words }), reversibleText(reversible, words)];
}

/** The effects of a call as lines. Those after the first `max` are only counted. */
export function effectLines(
  effects: readonly Effect[],
  { max, whole = false, words = englishDisplay }: { max: number; whole?: boolean; words?: DisplayWords },
): string[] {
  if (effects.length === 0) return [words.effects.nothingWouldChange];
  const lines = effects.slice(0, max).map((effect) => effectText(effect, { whole, words }));
  const left = effects.length - lines.length;
  return left > 0 ? [...lines, words.effects.more(left)] : lines;
}
