import { type ArgumentNames, argumentName, keyWords } from "./argument-name.js";
import type { DisplayWords } from "./display-words.js";
import { englishDisplay } from "./english.js";
import { exactSum } from "./exact-sum.js";
import { lengthText } from "./length-text.js";
import { numberText } from "./number-text.js";
import { quotedValue } from "./summary-part.js";
import { withUnit } from "./unit-text.js";
import { visibleText } from "./visible-text.js";

/** What a limit over time counted for a call. */
export interface CountLike {
  /** The calls that are counted: a tool's name or glob. */
  tool: string;
  /** Path of the argument that is added up; `null` counts the calls themselves. */
  amount: string | null;
  /** Whose calls are counted: `requester`, `thread`, `tenant`, or `input.` and the path of an argument that is equal. */
  per: string;
  /** The time up to the call, such as "24h". */
  window: string;
  /** The number with which the rule compares it; `null` if it does something else. */
  limit: number | null;
  /** What it came to, with the call itself; `null` if that is not known. */
  total: number | null;
  /** Whether the total is hidden from the reader. */
  hidden: boolean;
  /** The unit of what is added up, such as `EUR`. @default none */
  unit?: string | null | undefined;
}

/** A call, and what its rules call it and its arguments. */
export interface CallWords {
  toolName: string;
  /** `null` without one. */
  label: string | null;
  names: ArgumentNames;
}

const maxName = 120;

/**
 * A count as a line of plain text, such as "3 of 10 refunds in 1 hour for this requester, this one included". Names that could
 * be mistaken for a part of the line are quoted.
 *
 * @param call The call for which it was counted: its label and its arguments' names are used. @default their names in code
 *
 * @example
 * ```ts
 * import { countText } from "@countersign/policy/display";
 *
 * const count = { tool: "issue_refund", amount: null, per: "requester", window: "1h", limit: 10 };
 * const refund = { toolName: "issue_refund", label: "Refund", names: {} };
 * export const line = countText({ ...count, total: 3, hidden: false }, undefined, refund);
 * // 3 of 10 refunds in 1 hour for this requester, this one included
 * ```
 */
export function countText(count: CountLike, words = englishDisplay, call?: CallWords): string {
  const { tool, amount, per, window, limit, total, hidden, unit = null } = count;
  const isSum = amount !== null;
  const number = (value: number) => numberText(amount ?? "", value, words.numbers);
  const known = total === null ? undefined : withUnit(number(total), limit === null ? unit : null, words);
  const shown = hidden ? words.counts.hiddenTotal : known;
  const excess = excessOf(count);
  // What other tools' arguments are called is not known.
  const own = call?.toolName === tool ? call : undefined;
  return words.counts.line({
    total: shown,
    limit: limit === null ? undefined : withUnit(number(limit), unit, words),
    excess: excess === undefined ? undefined : withUnit(number(excess), unit, words),
    isSum,
    amount: isSum && (unit === null || shown === undefined) ? pathText(amount, words, own) : undefined,
    tool: own ? undefined : nameText(tool, words),
    label: own?.label ?? null,
    window: lengthText(window, words),
    per: perText(per, words, call),
    isOne: total === 1 && limit === null,
  });
}

/** Whether the reader may see that more was counted than the limit. */
export function exceedsLimit({
  limit,
  total,
  hidden,
}: Pick<CountLike, "limit" | "total" | "hidden">): boolean {
  return !hidden && total !== null && limit !== null && total > limit;
}

function excessOf(count: CountLike): number | undefined {
  const { total, limit } = count;
  if (total === null || limit === null || !exceedsLimit(count)) return undefined;
  return exactSum([total, -limit]) ?? total - limit;
}

function perText(per: string, words: DisplayWords, call: CallWords | undefined): string {
  switch (per) {
    case "requester":
    case "thread":
    case "tenant":
      return words.counts.per[per];
    default:
      return words.counts.per.same(pathText(per.replace(/^input\./, ""), words, call));
  }
}

function pathText(path: string, words: DisplayWords, call: CallWords | undefined): string {
  const keys = path.split(".");
  const name = argumentName(keys, call?.names ?? {});
  // A key in code cannot be mistaken for a part of the line.
  if (name === undefined && /^[\w.]+$/.test(path)) return keys.map(keyWords).join(" › ");
  return nameText(name ?? path, words);
}

function nameText(name: string, words: DisplayWords): string {
  return quotedValue(visibleText(name, maxName, words), words);
}
