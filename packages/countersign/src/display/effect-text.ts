import { numberText } from "./number-text.js";
import { inQuotes, quotedValue } from "./summary-part.js";
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
 * @param options `whole`: show all of long texts, which otherwise end in an ellipsis.
 *
 * @example
 * ```ts
 * import { effectText } from "countersign/display";
 *
 * export const line = effectText({ target: "order A-1001", before: "paid", after: "refunded" });
 * // order A-1001: paid → refunded
 * ```
 */
export function effectText({ target, before, after, count }: Effect, { whole = false } = {}): string {
  const name = targetText(visibleText(target, whole ? Number.POSITIVE_INFINITY : maxTarget));
  const many = count === undefined ? "" : ` (${numberText("", count)})`;
  const value = (given: unknown) => effectValue(given, { name: target, whole });
  const isThere = (before ?? after ?? null) !== null;
  return isThere ? `${name}${many}: ${value(before)} → ${value(after)}` : `${name}${many}`;
}

/**
 * A value before or after a call as plain text. Numbers are written as in the arguments.
 *
 * @param options `name`: the name of the value, which says whether a number is an amount. `whole`: show all of a long text.
 */
export function effectValue(value: unknown, { name = "", whole = false } = {}): string {
  const max = whole ? Number.POSITIVE_INFINITY : maxValue;
  if (value === undefined || value === null) return "nothing";
  if (typeof value === "number") return numberText(name, value);
  if (typeof value === "string") {
    return value.toLowerCase() === "nothing" ? inQuotes(value) : quotedValue(visibleText(value, max));
  }
  const json = visibleText(JSON.stringify(value), max);
  return plainJson.test(json) ? json : inQuotes(json);
}

/** JSON that has no arrows and no quotation marks but its own. */
const plainJson = /^(?!.*[-=~]>)[\x20-\x7e\p{L}\p{N}\p{M}\p{Sc}]*$/u;
/** The beginnings of lines that are not about a target. */
const ownWords = /^(?:nothing|no|it|whether|more|\d[\d,]* more)\b/i;

/** Names of several words need no quotation marks as long as none of their characters can end a part of the line. */
function targetText(name: string): string {
  const plain = name.split(" ").every((word) => quotedValue(word) === word);
  return plain && !ownWords.test(name) ? name : inQuotes(name);
}

/** Whether the call can be taken back, as a sentence for people. */
export function reversibleText(reversible: boolean | string | null): string {
  if (reversible === null) return "It is not known whether this can be taken back.";
  if (typeof reversible === "string") {
    return `It can be taken back within ${quotedValue(visibleText(reversible, 40))}.`;
  }
  return reversible ? "It can be taken back." : "It cannot be taken back.";
}

/** What a preview says, as the API returns it. */
export interface PreviewLike {
  failed: PreviewFailure | null;
  effects: readonly Effect[];
  reversible: boolean | string | null;
}

/**
 * A preview as lines of plain text: each effect and whether the call can be taken back, or why there is no preview.
 *
 * @param options `max`: the number of effects after which the others are only counted, by default all.
 * `whole`: show all of long texts.
 */
export function previewLines(
  { failed, effects, reversible }: PreviewLike,
  { max = effects.length, whole = false } = {},
): string[] {
  if (failed !== null) return [previewFailureText[failed]];
  return [...effectLines(effects, { max, whole }), reversibleText(reversible)];
}

/** The effects of a call as lines. Those after the first `max` are only counted. */
export function effectLines(
  effects: readonly Effect[],
  { max, whole = false }: { max: number; whole?: boolean },
): string[] {
  if (effects.length === 0) return ["Nothing would change."];
  const lines = effects.slice(0, max).map((effect) => effectText(effect, { whole }));
  const left = effects.length - lines.length;
  return left > 0 ? [...lines, `${left} more`] : lines;
}

/** Why there are no effects of a call whose tool has a preview, as a sentence for people. */
export const previewFailureText = {
  threw: "No preview: what this call would change could not be found out.",
  late: "No preview: finding out what this call would change took too long.",
  invalid: "No preview: the tool's preview returned something that cannot be shown.",
} as const;

/** Why there are no effects: the preview threw, took too long, or returned something of another shape. */
export type PreviewFailure = keyof typeof previewFailureText;

export const previewFailures = Object.keys(previewFailureText) as PreviewFailure[];
