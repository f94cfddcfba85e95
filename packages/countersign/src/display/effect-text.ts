import { inQuotes } from "./summary-part.js";
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
  count?: number;
}

const maxTarget = 200;
const maxValue = 300;

/**
 * One effect of a call as a line of plain text: "order A-1001: “paid 80.00” → “refunded 80.00”". Characters that cannot be
 * seen are named.
 *
 * @example
 * ```ts
 * import { effectText } from "countersign/display";
 *
 * export const line = effectText({ target: "order A-1001", before: "paid", after: "refunded" });
 * // order A-1001: “paid” → “refunded”
 * ```
 */
export function effectText({ target, before, after, count }: Effect): string {
  const name = visibleText(target, maxTarget);
  const many = count === undefined ? "" : ` (${count.toLocaleString("en")})`;
  const isThere = [before, after].some((value) => value !== undefined && value !== null);
  return isThere ? `${name}${many}: ${effectValue(before)} → ${effectValue(after)}` : `${name}${many}`;
}

/** A value before or after a call, as plain text. */
export function effectValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return typeof value === "string" ? inQuotes(visibleText(text, maxValue)) : visibleText(text, maxValue);
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
