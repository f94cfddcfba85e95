import { inQuotes } from "@countersign/policy/display";
import { useMemo, useRef } from "react";
import { FilledText } from "../components/filled-text.js";
import { SafeText } from "../components/safe-text.js";
import { ToolName } from "../components/tool-name.js";
import type { Batch } from "../logic/lists/batch.js";
import { totalOf } from "../logic/lists/batch-total.js";
import { words } from "../words/words.js";
import type { BatchControls } from "./batch-controls.js";
import { batchKeys } from "./batch-keys.js";
import { BatchRow } from "./batch-row.js";

interface BatchTableProps {
  batch: Batch;
  controls: BatchControls;
}

/** Like calls as rows with all their values, one column for each argument. */
export function BatchTable({ batch, controls }: BatchTableProps) {
  const { choices } = controls;
  const texts = words.batch.table;
  const box = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLTableSectionElement>(null);
  const sticky = useMemo(() => ({ box, head }), []);
  const showsEffects = batch.approvals.some(({ preview }) => (preview?.effects.length ?? 0) > 0);
  const showsRequester = new Set(batch.approvals.map(({ requesterId }) => requesterId)).size > 1;
  const counted = batch.approvals.filter(({ id }) => choices.get(id) === "approve" && controls.isCounted(id));
  const chosen = new Set(counted.map(({ id }) => id));
  return (
    <div ref={box} className="cs-batch-scroll">
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows and cells have keys */}
      <table className="cs-batch" role="grid">
        <caption>
          <FilledText
            text={batch.mcpServer === null ? texts.caption : texts.captionOfServer}
            parts={{
              tool: <ToolName call={batch} />,
              server: inQuotes(batch.mcpServer ?? "", words.display),
              calls: texts.calls(batch.approvals.length),
            }}
          />
        </caption>
        <thead ref={head}>
          <tr>
            <th scope="col">
              <span className="cs-visually-hidden">{texts.decision}</span>
            </th>
            {showsRequester && <th scope="col">{texts.requester}</th>}
            {batch.columns.map((column) => (
              <th key={column.id} scope="col" data-numeric={column.isNumeric || undefined}>
                <SafeText text={column.name || texts.value} />
              </th>
            ))}
            {showsEffects && <th scope="col">{texts.effects}</th>}
            <th scope="col">{texts.review}</th>
          </tr>
        </thead>
        <tbody onKeyDown={batchKeys(controls)}>
          {batch.approvals.map((approval, index) => (
            <BatchRow
              key={approval.id}
              approval={approval}
              batch={batch}
              controls={controls}
              showsEffects={showsEffects}
              showsRequester={showsRequester}
              tabIndex={index === 0 ? 0 : -1}
              sticky={sticky}
            />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{texts.total}</th>
            {showsRequester && <td />}
            {batch.columns.map((column) => (
              <td key={column.id} data-numeric={column.isNumeric || undefined}>
                <strong>{totalOf(batch, column, chosen)}</strong>
              </td>
            ))}
            {showsEffects && <td />}
            <td />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
