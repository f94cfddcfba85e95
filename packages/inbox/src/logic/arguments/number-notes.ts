import { countNumber } from "../../words/locale.js";
import { words } from "../../words/words.js";
import { numberInput, parseNumber } from "./parse-number.js";
import { amountText } from "./value-kind.js";

/** What a reader should know about a number that they typed. */
export interface NumberNotes {
  /** The number as it will be sent, in the reader's format. */
  sent: string;
  /** A warning that it is ten times as much as before or a tenth of it, as if a sign was read in another way. */
  warning: string | undefined;
}

interface Typed {
  text: string;
  /** The argument's name. */
  name: string;
  /** The value that the number takes the place of, if there is one. */
  before?: unknown;
  unit?: string | undefined;
}

/** The notes about a number that somebody typed; `undefined` if it is none. */
export function numberNotes({ text, name, before, unit }: Typed): NumberNotes | undefined {
  const { value } = parseNumber(text);
  if (value === undefined) return undefined;
  const sent = amountText(name, value, unit);
  const plain = numberInput(value);
  // Elsewhere, the sign before three digits is the other one. Without it, the number can be read in one way only.
  const isAmbiguous = /^\D*\d{1,3}\D\d{3}$/.test(text.trim()) && /^-?\d+$/.test(plain);
  return {
    sent: isAmbiguous ? `${sent} = ${plain}` : sent,
    warning: warningOf(name, before, value, unit),
  };
}

function warningOf(
  name: string,
  before: unknown,
  after: number,
  unit: string | undefined,
): string | undefined {
  if (typeof before !== "number" || before === 0 || after === 0) return undefined;
  const { timesMore, timesLess } = words.values.editing;
  const was = amountText(name, before, unit);
  const growth = quotient(after, before);
  if (growth >= 10) return timesMore(countNumber(Math.round(growth)), was);
  const decline = quotient(before, after);
  return decline >= 10 ? timesLess(countNumber(Math.round(decline)), was) : undefined;
}

/** Without the error of the division: 0.7 is ten times 0.07. */
function quotient(one: number, other: number): number {
  return Number(Math.abs(one / other).toPrecision(12));
}
