import { countNumber } from "../../words/locale.js";
import { words } from "../../words/words.js";
import { amountText } from "./value-kind.js";

/** What a reader should know about a number that they typed. */
export interface NumberNotes {
  /** The number as it will be sent, in the reader's format. */
  sent: string;
  /** A warning that it is ten times as much as before or a tenth of it, as if a sign was read in another way. */
  warning: string | undefined;
}

/** The notes about a number in place of another value of the same argument. */
export function numberNotes(name: string, before: unknown, after: number, currency: unknown): NumberNotes {
  return { sent: amountText(name, after, currency), warning: warningOf(name, before, after, currency) };
}

function warningOf(name: string, before: unknown, after: number, currency: unknown): string | undefined {
  if (typeof before !== "number" || before === 0 || after === 0) return undefined;
  const { timesMore, timesLess } = words.values.editing;
  const was = amountText(name, before, currency);
  const growth = quotient(after, before);
  if (growth >= 10) return timesMore(countNumber(Math.round(growth)), was);
  const decline = quotient(before, after);
  return decline >= 10 ? timesLess(countNumber(Math.round(decline)), was) : undefined;
}

/** Without the error of the division: 0.7 is ten times 0.07. */
function quotient(one: number, other: number): number {
  return Number(Math.abs(one / other).toPrecision(12));
}
