import type { Approval, TextFlag } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { Warnings } from "../detail/arguments/warnings.js";
import { hiddenValue } from "../logic/arguments/argument-fields.js";
import type { Batch, BatchColumn, BatchCell as Cell } from "../logic/lists/batch.js";
import { timesText } from "../logic/wording/times-text.js";
import { HiddenValue } from "../values/hidden-value.js";
import { ModelValue } from "../values/model-value.js";
import { words } from "../words/words.js";

interface BatchCellProps {
  approval: Approval;
  batch: Batch;
  column: BatchColumn;
  flags: readonly TextFlag[];
}

/** A value of a call, with what is unusual about it. */
export function BatchCell({ approval: { id }, batch, column, flags }: BatchCellProps) {
  const times = batch.timesMedian(id, column);
  const cell = batch.cellOf(id, column);
  return (
    <td
      tabIndex={-1}
      data-column={column.id}
      data-numeric={column.isNumeric || undefined}
      data-outlier={times !== undefined || undefined}
      data-plain={isPlain(cell?.value) || undefined}
    >
      <CellValue name={column.keys.at(-1) ?? ""} cell={cell} />
      {flags.length > 0 && <Warnings flags={flags} />}
      {times !== undefined && (
        <small className="cs-batch-outlier">
          <Icon name="high" />
          {words.batch.cell.timesMedian(timesText(times))}
        </small>
      )}
    </td>
  );
}

function CellValue({ name, cell }: { name: string; cell: Cell | undefined }) {
  if (!cell) return <em className="cs-nothing">{words.batch.cell.none}</em>;
  if (cell.value === hiddenValue) return <HiddenValue />;
  return <ModelValue name={name} value={cell.value} schema={cell.schema} unit={cell.unit} />;
}

/** Whether a value cannot be taken for words of the page: a number, or a name with a digit and no blank, such as "A-1001". */
function isPlain(value: unknown): boolean {
  return typeof value === "number" || (typeof value === "string" && /^(?=.*\d)[\w-]{1,40}$/.test(value));
}
