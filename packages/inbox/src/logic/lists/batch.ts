import type { Approval } from "../../api/approval.js";
import { argumentFields, fieldLabels, hiddenValue } from "../arguments/argument-fields.js";
import { type JsonSchema, schemaOf } from "../arguments/json-schema.js";
import { unusual } from "../wording/times-text.js";

/** An argument that at least one of several calls has. */
export interface BatchColumn {
  /** The argument's keys as JSON: two arguments may have the same path, as `a.b` and `b` in `a`. */
  id: string;
  keys: string[];
  /** What people read in place of the path; empty if the path is. */
  name: string;
  /** All values are numbers. */
  isNumeric: boolean;
}

/** A value of one call. */
export interface BatchCell {
  value: unknown;
  schema: JsonSchema | undefined;
  /** The unit that the call's rules give the argument. */
  unit: string | undefined;
}

/** Calls of one tool, as a table with a column for each argument. */
export interface Batch {
  /** What the rules call the calls, if they call all of them the same. */
  label: string | null;
  toolName: string;
  mcpServer: string | null;
  approvals: Approval[];
  columns: BatchColumn[];
  /** The value of a call in a column; absent if the call has no such argument. */
  cellOf: (id: string, column: BatchColumn) => BatchCell | undefined;
  /** How many times the median of its column a number is; `undefined` if it is not unusual. */
  timesMedian: (id: string, column: BatchColumn) => number | undefined;
  /** The row, counted from 1, of the first call before this one with the same arguments. */
  sameAs: (id: string) => number | undefined;
  /** What a reader of the rows from the top reads first in the row of a call: the values that no row above has, as text. */
  newIn: (id: string) => string;
}

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

type Cells = ReadonlyMap<string, BatchCell & { keys: string[] }>;

function batchOf(approvals: Approval[]): Batch {
  const rows = new Map(approvals.map((approval) => [approval.id, cellsOf(approval)]));
  const keysOf = new Map<string, string[]>();
  for (const cells of rows.values()) {
    for (const [column, { keys }] of cells) if (!keysOf.has(column)) keysOf.set(column, keys);
  }
  const valuesIn = (column: string) =>
    [...rows.values()].flatMap((cells) => {
      const cell = cells.get(column);
      return cell ? [cell.value] : [];
    });
  const names = Object.assign({}, ...approvals.map((approval) => approval.names).reverse());
  const labels = fieldLabels([...keysOf.values()], names);
  const columns = [...keysOf].map(([id, keys], at) => ({
    id,
    keys,
    name: labels[at] ?? "",
    isNumeric: valuesIn(id).every(isNumber),
  }));
  const medians = new Map(columns.map(({ id }) => [id, medianOf(valuesIn(id).filter(isNumber))]));
  const rowsOfSame = sameRows(rows);
  const newTexts = newTextsOf(approvals, rows);
  const [first] = approvals;
  return {
    label: approvals.every(({ label }) => label === first?.label) ? (first?.label ?? null) : null,
    toolName: first?.toolName ?? "",
    mcpServer: first?.mcpServer ?? null,
    approvals,
    columns,
    cellOf: (id, column) => rows.get(id)?.get(column.id),
    timesMedian(id, column) {
      const [value, median] = [rows.get(id)?.get(column.id)?.value, medians.get(column.id)];
      if (!column.isNumeric || approvals.length < minCompared || !isNumber(value)) return undefined;
      if (median === undefined || median <= 0 || value < unusual * median) return undefined;
      return value / median;
    },
    sameAs: (id) => rowsOfSame.get(id),
    newIn: (id) => newTexts.get(id) ?? "",
  };
}

/** The row of the first call with the same values, for each call that has them again. What is hidden may differ. */
function sameRows(rows: ReadonlyMap<string, Cells>): Map<string, number> {
  const firsts = new Map<string, number>();
  const same = new Map<string, number>();
  for (const [index, [id, cells]] of [...rows].entries()) {
    const values = JSON.stringify([...cells].map(([column, { value }]) => [column, value]).sort());
    if (values.includes(hiddenValue)) continue;
    const first = firsts.get(values);
    if (first === undefined) firsts.set(values, index + 1);
    else same.set(id, first);
  }
  return same;
}

/** The values and effects of each call that no call before it has in the same place. */
function newTextsOf(approvals: readonly Approval[], rows: ReadonlyMap<string, Cells>): Map<string, string> {
  const read = new Set<string>();
  return new Map(
    approvals.map(({ id, preview }) => {
      const cells = [...(rows.get(id) ?? [])].map(([column, { value }]) => ({ column, value }));
      const effects = (preview?.effects ?? []).map((value) => ({ column: "", value }));
      const fresh = [...cells, ...effects].filter((each) => !read.has(JSON.stringify(each)));
      for (const each of fresh) read.add(JSON.stringify(each));
      return [id, JSON.stringify(fresh.map(({ value }) => value))];
    }),
  );
}

/** A call's values by column. */
function cellsOf(approval: Approval): Cells {
  const { input, units } = approval;
  const fields = argumentFields(input, { schema: schemaOf(approval), editable: [], units });
  return new Map(
    fields.map(({ keys, value, schema, unit }) => [JSON.stringify(keys), { keys, value, schema, unit }]),
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function medianOf(numbers: readonly number[]): number | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [lower, upper] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return lower === undefined || upper === undefined ? undefined : (lower + upper) / 2;
}
