import type { Insight } from "../../api/records.js";
import { searchFor } from "../lists/history-query.js";

export type RuleRow = Insight["rules"][number];
export type Habit = NonNullable<RuleRow["habit"]>;

/** The periods that the page offers, in days. */
export const periods = ["7", "30", "90"] as const;
export type Period = (typeof periods)[number];

/** The period in an address. @default 30 days */
export function periodOf(search: string): Period {
  const days = new URLSearchParams(search).get("days");
  return periods.find((period) => period === days) ?? "30";
}

/** The rows, the longest wait first; at the end those of which no call is settled. */
export function byWait<Row extends { medianWaitMs: number | null }>(rows: readonly Row[]): Row[] {
  return [...rows].sort((one, other) => (other.medianWaitMs ?? -1) - (one.medianWaitMs ?? -1));
}

/** The length of a bar, from 0 to 1, where the longest wait of the table has 1. */
export function shareOf(waitMs: number | null, rows: readonly { medianWaitMs: number | null }[]): number {
  const longest = Math.max(...rows.map(({ medianWaitMs }) => medianWaitMs ?? 0));
  return waitMs === null || longest <= 0 ? 0 : waitMs / longest;
}

/** How many calls people decided. */
export function decidedOf({ approved, denied, answered }: RuleRow): number {
  return approved + denied + answered;
}

/** The rows with a habit, most decisions first. */
export function withHabit(rows: readonly RuleRow[], habit: Habit): RuleRow[] {
  return rows.filter((row) => row.habit === habit).sort((one, other) => decidedOf(other) - decidedOf(one));
}

/** A part of a whole, such as "30 %". All and nothing are said of exactly that alone. */
export function percentText(part: number, whole: number): string {
  if (whole === 0) return "0 %";
  const rounded = Math.round((part / whole) * 100);
  const percent = part === 0 || part === whole ? rounded : Math.min(99, Math.max(1, rounded));
  return `${percent} %`;
}

/** The calls of a tool that people approved or denied, in the history; `undefined` if no search can say which. */
export function historyHref(tool: string, days: number, outcome: "approved" | "denied"): string | undefined {
  const search = searchFor([
    { filter: "tool", value: tool },
    { filter: "outcome", value: outcome },
    { filter: "days", value: String(days) },
  ]);
  return search && `/history${search}`;
}
