import { isAmount, numberText } from "countersign/display";
import type { Approval } from "../../api/approval.js";
import { argumentFields, hiddenValue } from "../arguments/argument-fields.js";
import { type JsonSchema, schemaOf } from "../arguments/json-schema.js";

/** An argument that at least one of several calls has. */
export interface BatchColumn {
  /** The argument's keys as JSON: two arguments may have the same path, as `a.b` and `b` in `a`. */
  id: string;
  keys: string[];
  /** All values are numbers. */
  isNumeric: boolean;
}

/** A value of one call. */
export interface BatchCell {
  value: unknown;
  schema: JsonSchema | undefined;
}

/** Calls of one tool, as a table with a column for each argument. */
export interface Batch {
  toolName: string;
  mcpServer: string | null;
  approvals: Approval[];
  columns: BatchColumn[];
  /** The value of a call in a column; absent if the call has no such argument. */
  cellOf: (id: string, column: BatchColumn) => BatchCell | undefined;
  /** Whether a number differs so much from the others of its column that it should be looked at. */
  isOutlier: (id: string, column: BatchColumn) => boolean;
}

/** From this many times the median on, or below its inverse, a number is an outlier. */
const unusual = 3;
/** Of fewer calls, none is unusual. */
const minCompared = 3;

/** Several calls by their tools, in the order in which the tools first occur. */
export function batchesOf(approvals: readonly Approval[]): Batch[] {
  const byTool = new Map<string, Approval[]>();
  for (const approval of approvals) {
    const tool = JSON.stringify([approval.mcpServer, approval.toolName]);
    byTool.set(tool, [...(byTool.get(tool) ?? []), approval]);
  }
  return [...byTool.values()].map(batchOf);
}

function batchOf(approvals: Approval[]): Batch {
  const cells = new Map<string, Map<string, BatchCell>>();
  const keysOf = new Map<string, string[]>();
  for (const approval of approvals) {
    const fields = argumentFields(approval.input, { schema: schemaOf(approval), editable: [] });
    const named = fields.map(({ keys, ...field }) => ({ id: JSON.stringify(keys), keys, ...field }));
    cells.set(approval.id, new Map(named.map(({ id, value, schema }) => [id, { value, schema }])));
    for (const { id, keys } of named) if (!keysOf.has(id)) keysOf.set(id, keys);
  }
  const valuesIn = (column: string) =>
    approvals.flatMap(({ id }) => {
      const cell = cells.get(id)?.get(column);
      return cell ? [cell.value] : [];
    });
  const columns = [...keysOf].map(([id, keys]) => {
    return { id, keys, isNumeric: valuesIn(id).every((value) => typeof value === "number") };
  });
  const medians = new Map(columns.map(({ id }) => [id, medianOf(valuesIn(id).filter(isNumber))]));
  const [first] = approvals;
  return {
    ...{ toolName: first?.toolName ?? "", mcpServer: first?.mcpServer ?? null, approvals, columns },
    cellOf: (id, column) => cells.get(id)?.get(column.id),
    isOutlier(id, column) {
      const [value, median] = [cells.get(id)?.get(column.id)?.value, medians.get(column.id)];
      if (!column.isNumeric || approvals.length < minCompared || !isNumber(value) || !median) return false;
      return Math.abs(value) >= unusual * Math.abs(median) || Math.abs(value) * unusual <= Math.abs(median);
    },
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function medianOf(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [lower, upper] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}

/**
 * The sum of a numeric column over some calls, as text with its currency; `undefined` if adding the values makes no sense, as
 * for numbers of orders, or if their currencies differ or are hidden.
 */
export function totalOf(batch: Batch, column: BatchColumn, ids: ReadonlySet<string>): string | undefined {
  const name = column.keys.at(-1) ?? "";
  if (!column.isNumeric || !isAmount(name)) return undefined;
  const summed = batch.approvals.filter(({ id }) => ids.has(id) && batch.cellOf(id, column));
  const currencies = new Set(summed.map(({ id }) => currencyOf(batch, id, column)));
  const [currency] = currencies;
  if (currencies.size > 1 || currency === hiddenValue) return undefined;
  const sum = summed.reduce((total, { id }) => total + Number(batch.cellOf(id, column)?.value), 0);
  // Cents are not exact in binary.
  const text = numberText(name, Number(sum.toFixed(6)));
  return currency === undefined ? text : `${text} ${currency}`;
}

/** The currency beside an amount in its call. */
function currencyOf(batch: Batch, id: string, { keys }: BatchColumn): string | undefined {
  const wanted = JSON.stringify([...keys.slice(0, -1), "currency"]);
  const column = batch.columns.find((each) => each.id === wanted);
  const value = column && batch.cellOf(id, column)?.value;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What some calls of a batch come to, such as "225.00 EUR"; `undefined` without exactly one kind of amount. */
export function totalText(batch: Batch, ids: ReadonlySet<string>): string | undefined {
  const totals = batch.columns.flatMap((column) => totalOf(batch, column, ids) ?? []);
  return totals.length === 1 ? totals[0] : undefined;
}
