import type { Insight } from "../api/records.js";
import {
  decidedOf,
  type Habit,
  historyHref,
  percentText,
  type RuleRow,
  withHabit,
} from "../logic/insight/insight-rows.js";
import { words } from "../words/words.js";
import { CountCell, TableRegion, ToolName } from "./table-region.js";

/** What people approve every time, and what they often deny. */
export function Habits({ insight: { rules, days } }: { insight: Insight }) {
  const approved = withHabit(rules, "always_approved");
  const denied = withHabit(rules, "often_denied");
  return (
    <section aria-labelledby="insight-habits">
      <h2 id="insight-habits">{words.insight.habits.title}</h2>
      {approved.length + denied.length === 0 && <p className="cs-hint">{words.insight.habits.tooFew}</p>}
      <HabitTable habit="always_approved" rows={approved} days={days} />
      <HabitTable habit="often_denied" rows={denied} days={days} />
    </section>
  );
}

const outcomes = { always_approved: "approved", often_denied: "denied" } as const;

interface HabitTableProps {
  habit: Habit;
  rows: readonly RuleRow[];
  days: number;
}

function HabitTable({ habit, rows, days }: HabitTableProps) {
  const outcome = outcomes[habit];
  if (rows.length === 0) return null;
  const { toolAndRules, inHistory, habits } = words.insight;
  const { captions, decided, share } = habits;
  return (
    <TableRegion caption={captions[habit]} columns={[toolAndRules, decided, words.insight[outcome], share]}>
      {rows.map((row) => (
        <tr key={JSON.stringify([row.tool, row.rules])}>
          <ToolName tool={row.tool} rules={row.rules} />
          <CountCell count={decidedOf(row)} />
          <CountCell
            count={row[outcome]}
            link={{
              href: historyHref(row.tool, days, outcome),
              text: inHistory[outcome](row.tool),
            }}
          />
          <td>{percentText(row[outcome], decidedOf(row))}</td>
        </tr>
      ))}
    </TableRegion>
  );
}
