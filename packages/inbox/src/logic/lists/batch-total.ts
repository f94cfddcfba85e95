import { isAmount, numberText, quotedValue, visibleText } from "countersign/display";
import { numbers } from "../../words/locale.js";
import { words } from "../../words/words.js";
import { hiddenValue } from "../arguments/argument-fields.js";
import type { Batch, BatchColumn } from "./batch.js";

/**
 * The sum of a numeric column over some calls, as text with its currency; `undefined` if adding the values makes no sense, as
 * for numbers of orders, if their currencies differ or are hidden, or if no number is exactly the sum.
 */
export function totalOf(batch: Batch, column: BatchColumn, ids: ReadonlySet<string>): string | undefined {
  const name = column.keys.at(-1) ?? "";
  if (!column.isNumeric || !isAmount(name)) return undefined;
  const summed = batch.approvals.filter(({ id }) => ids.has(id) && batch.finalCellOf(id, column));
  const currencies = new Set(summed.map(({ id }) => currencyOf(batch, id, column)));
  const [currency] = currencies;
  if (currencies.size > 1 || currency === hiddenValue) return undefined;
  const sum = exactSum(summed.map(({ id }) => Number(batch.finalCellOf(id, column)?.value)));
  if (sum === undefined) return undefined;
  const text = numberText(name, sum, numbers);
  return currency === undefined
    ? text
    : `${text} ${quotedValue(visibleText(currency, maxCurrency, words.display), words.display)}`;
}

const maxCurrency = 20;

/** The currency beside an amount in its call. */
function currencyOf(batch: Batch, id: string, { keys }: BatchColumn): string | undefined {
  const wanted = JSON.stringify([...keys.slice(0, -1), "currency"]);
  const column = batch.columns.find((each) => each.id === wanted);
  const value = column && batch.finalCellOf(id, column)?.value;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What some calls of a batch come to, such as "225.00 EUR"; `undefined` without exactly one kind of amount. */
export function totalText(batch: Batch, ids: ReadonlySet<string>): string | undefined {
  const totals = batch.columns.flatMap((column) => totalOf(batch, column, ids) ?? []);
  return totals.length === 1 ? totals[0] : undefined;
}

interface Decimal {
  digits: bigint;
  /** The number of digits behind the point. */
  places: number;
}

/** The sum of numbers as they are written, without the errors of binary fractions; `undefined` if no number is exactly it. */
function exactSum(numbers: readonly number[]): number | undefined {
  const decimals = numbers.map(decimalOf);
  const places = Math.max(0, ...decimals.map((decimal) => decimal.places));
  const digits = decimals.reduce((sum, decimal) => sum + scaled(decimal, places), 0n);
  const sum = Number(`${digits}e-${places}`);
  if (!Number.isFinite(sum)) return undefined;
  const written = decimalOf(sum);
  const most = Math.max(places, written.places);
  return scaled({ digits, places }, most) === scaled(written, most) ? sum : undefined;
}

function decimalOf(number: number): Decimal {
  const [, whole = "", decimals = "", power = "0"] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? [];
  return { digits: BigInt(whole + decimals), places: decimals.length - Number(power) };
}

function scaled({ digits, places }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(to - places);
}
