import type { Insight } from "../api/records.js";
import {
  decidedOf,
  type Habit,
  historyHref,
  percentText,
  type RuleRow,
  withHabit,
} from "../logic/insight/insight-rows.js";
import { CountCell, TableRegion, ToolName } from "./table-region.js";

/** What people approve every time, and what they often deny. */
export function Habits({ insight: { rules, days } }: { insight: Insight }) {
  const approved = withHabit(rules, "always_approved");
  const denied = withHabit(rules, "often_denied");
  return (
    <section aria-labelledby="insight-habits">
      <h2 id="insight-habits">What people decide</h2>
      {approved.length + denied.length === 0 && (
        <p className="cs-hint">
          Not enough decisions yet. Calls appear here once at least 10 were decided and all approved, or at
          least 5 were decided and 30 % denied.
        </p>
      )}
      <HabitTable habit="always_approved" rows={approved} days={days} />
      <HabitTable habit="often_denied" rows={denied} days={days} />
    </section>
  );
}

const words = {
  always_approved: { caption: "Approved every time", outcome: "approved", share: "Approved" },
  often_denied: { caption: "Denied often", outcome: "denied", share: "Denied" },
} as const;

interface HabitTableProps {
  habit: Habit;
  rows: readonly RuleRow[];
  days: number;
}

function HabitTable({ habit, rows, days }: HabitTableProps) {
  const { caption, outcome, share } = words[habit];
  if (rows.length === 0) return null;
  return (
    <TableRegion caption={caption} columns={["Tool and rules", "Decided", share, "Share"]}>
      {rows.map((row) => (
        <tr key={JSON.stringify([row.tool, row.rules])}>
          <ToolName tool={row.tool} rules={row.rules} />
          <CountCell count={decidedOf(row)} />
          <CountCell
            count={row[outcome]}
            link={{
              href: historyHref(row.tool, days, outcome),
              words: `${outcome} calls of ${row.tool}, in the history`,
            }}
          />
          <td>{percentText(row[outcome], decidedOf(row))}</td>
        </tr>
      ))}
    </TableRegion>
  );
}
