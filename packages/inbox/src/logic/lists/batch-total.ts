import { exactSum, isAmount, quotedValue, visibleText } from "@countersign/policy/display";
import { words } from "../../words/words.js";
import { hiddenValue } from "../arguments/argument-fields.js";
import { amountText } from "../arguments/value-kind.js";
import type { Batch, BatchColumn } from "./batch.js";

/**
 * The sum of a numeric column over some calls, as text with its unit; `undefined` if adding the values makes no sense, as
 * for numbers of orders, if their units differ or are hidden, or if no number is exactly the sum.
 */
export function totalOf(batch: Batch, column: BatchColumn, ids: ReadonlySet<string>): string | undefined {
  const name = column.keys.at(-1) ?? "";
  if (!column.isNumeric || !isAmount(name)) return undefined;
  const summed = batch.approvals.filter(({ id }) => ids.has(id) && batch.cellOf(id, column));
  const units = new Set(summed.map(({ id }) => unitIn(batch, id, column)));
  const [unit] = units;
  if (units.size > 1 || unit === null) return undefined;
  const sum = exactSum(summed.map(({ id }) => Number(batch.cellOf(id, column)?.value)));
  if (sum === undefined) return undefined;
  return amountText(name, sum, unit);
}

const maxCurrency = 20;

/** The unit of a number: that of its rules, or else the currency beside an amount; `null` if it is hidden. */
function unitIn(batch: Batch, id: string, column: BatchColumn): string | null | undefined {
  const unit = batch.cellOf(id, column)?.unit;
  if (unit !== undefined) return unit;
  const wanted = JSON.stringify([...column.keys.slice(0, -1), "currency"]);
  const beside = batch.columns.find((each) => each.id === wanted);
  const value = beside && batch.cellOf(id, beside)?.value;
  if (value === hiddenValue) return null;
  return typeof value === "string" && value !== ""
    ? quotedValue(visibleText(value, maxCurrency, words.display), words.display)
    : undefined;
}

/** What some calls of a batch come to, such as "225.00 EUR"; `undefined` without exactly one kind of amount. */
export function totalText(batch: Batch, ids: ReadonlySet<string>): string | undefined {
  const totals = batch.columns.flatMap((column) => totalOf(batch, column, ids) ?? []);
  return totals.length === 1 ? totals[0] : undefined;
}
