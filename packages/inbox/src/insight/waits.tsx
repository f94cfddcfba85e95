import type { Insight } from "../api/records.js";
import { SafeText } from "../components/safe-text.js";
import { byWait, historyHref, type RuleRow } from "../logic/insight/insight-rows.js";
import { CountCell, TableRegion, ToolName, WaitCell, waitText } from "./table-region.js";

/** How long calls waited, by rule and by approver. */
export function Waits({ insight }: { insight: Insight }) {
  const { rules, approvers, days } = insight;
  const counted = (row: RuleRow, outcome: "approved" | "denied") => ({
    href: historyHref(row.tool, days, outcome),
    words: `${outcome} calls of ${row.tool}, in the history`,
  });
  return (
    <section aria-labelledby="insight-waits">
      <h2 id="insight-waits">How long calls wait</h2>
      <TableRegion
        caption="By tool and rule, the longest wait first"
        columns={[
          "Tool and rules",
          "Median wait",
          "9 of 10 within",
          "Asked",
          "Approved",
          "Denied",
          "Expired",
        ]}
      >
        {byWait(rules).map((row) => (
          <tr key={JSON.stringify([row.tool, row.rules])}>
            <ToolName tool={row.tool} rules={row.rules} />
            <WaitCell waitMs={row.medianWaitMs} rows={rules} />
            <td>{waitText(row.p90WaitMs)}</td>
            <CountCell count={row.asked} />
            <CountCell count={row.approved} link={counted(row, "approved")} />
            <CountCell count={row.denied} link={counted(row, "denied")} />
            <CountCell count={row.expired} />
          </tr>
        ))}
      </TableRegion>
      {approvers.length === 0 ? (
        <p className="cs-hint">Nobody has decided a call in this time.</p>
      ) : (
        <TableRegion
          caption="By approver, from the question to their decision"
          columns={["Approver", "Median wait", "Decisions"]}
        >
          {byWait(approvers).map((row) => (
            <tr key={row.id}>
              <th scope="row">
                <SafeText text={row.id} />
              </th>
              <WaitCell waitMs={row.medianWaitMs} rows={approvers} />
              <CountCell count={row.decisions} />
            </tr>
          ))}
        </TableRegion>
      )}
    </section>
  );
}
