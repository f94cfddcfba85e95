import { numberText } from "./number-text.js";
import { quotedValue } from "./summary-part.js";
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
}

const maxName = 120;

/**
 * A count as a line of plain text, such as "3 of 10 calls of issue_refund within 1h, by this requester". Names that could be
 * mistaken for a part of the line are quoted.
 */
export function countText(count: CountLike): string {
  const { tool, amount, per, window, limit, total, hidden } = count;
  const ofWhat = `of ${nameText(tool)} within ${nameText(window)}, ${perText(per)}`;
  if (total === null && !hidden)
    return `${amount === null ? "calls" : nameText(amount)} ${ofWhat}: not known`;
  const number = (value: number) => numberText(amount ?? "", value);
  const counted = total === null || hidden ? "hidden" : number(total);
  const most = limit === null ? "" : ` of ${number(limit)}`;
  const unit = total === 1 && limit === null ? "call" : "calls";
  const over = exceedsLimit(count) ? " (over the limit)" : "";
  return `${counted}${most} ${amount === null ? unit : `in ${nameText(amount)}`} ${ofWhat}${over}`;
}

/** Whether the reader may see that more was counted than the limit. */
export function exceedsLimit({
  limit,
  total,
  hidden,
}: Pick<CountLike, "limit" | "total" | "hidden">): boolean {
  return !hidden && total !== null && limit !== null && total > limit;
}

function perText(per: string): string {
  switch (per) {
    case "requester":
      return "by this requester";
    case "thread":
      return "in this conversation";
    case "tenant":
      return "by everyone";
    default:
      return `with the same ${nameText(per.replace(/^input\./, ""))}`;
  }
}

function nameText(name: string): string {
  return quotedValue(visibleText(name, maxName));
}
