import type { Effect } from "@countersign/policy/internal/display/effect-text";
import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { PreviewResult } from "../preview.js";
import { shortened, shortTarget } from "./shortened.js";

export interface RowEffectsOptions<Row> {
  /** Column whose value finds a row again: the primary key. */
  key: keyof Row & string;
  /**
   * Columns that get another value each time the call is rehearsed, such as serial ids, random ids and `now()`. They are
   * neither compared nor shown, because an approval would never find the same state again. @default none
   */
  generated?: readonly (keyof Row & string)[];
  /** Maximum number of rows that are listed: 1 to 99. The rest is one effect with their number. @default 20 */
  max?: number;
}

interface Change {
  /** `null`: a row whose key the database generates. */
  key: string | null;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

const maxText = 300;

/**
 * What a rehearsal changed: one effect for each row that is new, gone or different, with the columns that differ. The
 * state covers all of them, including those beyond `max`.
 *
 * @param label What a row is, for people: "order" names one "order 1001".
 * @param before Rows before the changes. The rows after them have the same columns.
 * @throws CountersignError `invalid_option`, naming the option, also if two rows have the same key.
 *
 * @example
 * ```ts
 * import { rowEffects } from "countersign/previews";
 *
 * const before = [{ id: 1001, status: "paid", total: 80 }];
 * const after = [{ id: 1001, status: "refunded", total: 80 }];
 * export const { effects } = rowEffects("order", before, after, { key: "id" });
 * // [{ target: "order 1001", before: { status: "paid" }, after: { status: "refunded" } }]
 * ```
 */
export function rowEffects<Row extends object>(
  label: string,
  before: readonly Row[],
  after: readonly Row[],
  options: RowEffectsOptions<Row>,
): PreviewResult {
  const { key, generated = [], max = 20 } = options;
  if (!Number.isInteger(max) || max < 1 || max > 99)
    throw wrongOption("max", "must be an integer from 1 to 99");
  const old = byKey(before, key, generated);
  const now = byKey(after, key, generated);
  const isKeyGenerated = generated.includes(key);
  const changes = [...new Set([...old.keys(), ...now.keys()])]
    .flatMap((id) => changeOf(isKeyGenerated && !old.has(id) ? null : id, old.get(id), now.get(id)))
    .map((change) => ({ change, order: `${change.key ?? ""} ${hashCanonical(change)}` }))
    .sort((a, b) => inOrder(a.order, b.order))
    .map(({ change }) => change);
  // One row more takes no more place than the effect that says so.
  const listed = changes.length > max + 1 ? max : changes.length;
  const more = changes.length - listed;
  const effects = changes.slice(0, listed).map((change) => effectOf(label, change));
  if (more > 0) {
    effects.push({ target: shortTarget(`${label}: and ${more.toLocaleString("en")} more`), count: more });
  }
  return { effects, state: hashCanonical(changes) };
}

function byKey<Row extends object>(
  rows: readonly Row[],
  key: keyof Row & string,
  generated: readonly string[],
): Map<string, Record<string, unknown>> {
  const found = new Map<string, Record<string, unknown>>();
  for (const row of rows) {
    const id = row[key];
    if (id === undefined || id === null) throw wrongOption("key", `a row has no column "${key}"`);
    const text = textOf(id);
    if (found.has(text)) throw wrongOption("key", `two rows have the same "${key}"`);
    const columns = Object.entries(row).filter(([name]) => !generated.includes(name));
    found.set(text, JSON.parse(JSON.stringify(Object.fromEntries(columns), asJson)));
  }
  return found;
}

/** JSON for values of rows that have none. Dates are texts already. */
function asJson(this: unknown, name: string, value: unknown): unknown {
  const original: unknown = Reflect.get(Object(this), name);
  if (typeof value === "bigint") return value.toString();
  return original instanceof Uint8Array ? `\\x${Buffer.from(original).toString("hex")}` : value;
}

function textOf(id: unknown): string {
  const json: unknown = JSON.parse(JSON.stringify({ id }, asJson)).id;
  return typeof json === "string" ? json : JSON.stringify(json);
}

/** With the columns that differ; those of a new row, or of one that is gone, are all of them. */
function changeOf(
  key: string | null,
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown> | undefined,
): Change[] {
  if (!before || !after) return [{ key, ...(before && { before }), ...(after && { after }) }];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => hashCanonical([before[name] ?? null]) !== hashCanonical([after[name] ?? null]),
  );
  const only = (row: Record<string, unknown>) =>
    Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
  return names.length === 0 ? [] : [{ key, before: only(before), after: only(after) }];
}

function effectOf(label: string, { key, before, after }: Change): Effect {
  return {
    target: shortTarget(key === null ? `new ${label}` : `${label} ${key}`),
    ...(before && { before: shownRow(before) }),
    ...(after && { after: shownRow(after) }),
  };
}

function shownRow(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shownValue(value)]));
}

/** Long values are cut, as text. */
function shownValue(value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= maxText ? value : shortened(text, maxText);
}

/** The same order every time, whatever the order of the rows: numbers by size. */
function inOrder(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true }) || (a < b ? -1 : 1);
}
