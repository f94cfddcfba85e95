import type { Insight } from "../api/records.js";
import { SafeText } from "../components/safe-text.js";
import { byWait, historyHref, type RuleRow } from "../logic/insight/insight-rows.js";
import { words } from "../words/words.js";
import { CountCell, TableRegion, ToolName, WaitCell, waitText } from "./table-region.js";

/** How long calls waited, by rule and by approver. */
export function Waits({ insight }: { insight: Insight }) {
  const { rules, approvers, days } = insight;
  const texts = words.insight;
  const counted = (row: RuleRow, outcome: "approved" | "denied") => ({
    href: historyHref(row.tool, days, outcome),
    text: texts.inHistory[outcome](row.tool),
  });
  return (
    <section aria-labelledby="insight-waits">
      <h2 id="insight-waits">{texts.waits.title}</h2>
      <TableRegion
        caption={texts.waits.byRule}
        columns={[
          texts.toolAndRules,
          texts.medianWait,
          texts.waits.within,
          texts.waits.asked,
          texts.approved,
          texts.denied,
          texts.waits.expired,
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
        <p className="cs-hint">{texts.waits.nobody}</p>
      ) : (
        <TableRegion
          caption={texts.waits.byApprover}
          columns={[texts.waits.approver, texts.medianWait, texts.waits.decisions]}
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
