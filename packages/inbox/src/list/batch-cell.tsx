import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from "react";
import type { Approval, TextFlag } from "../api/approval.js";
import { Icon } from "../components/icon.js";
import { useDraft } from "../data/approvals/use-draft.js";
import { FieldEditor } from "../decide/field-editor.js";
import { Warnings } from "../detail/arguments/warnings.js";
import { type ArgumentField, hiddenValue } from "../logic/arguments/argument-fields.js";
import type { Batch, BatchColumn, BatchCell as Cell } from "../logic/lists/batch.js";
import { sentenceOf } from "../logic/wording/sentence.js";
import { timesText } from "../logic/wording/times-text.js";
import { HiddenValue } from "../values/hidden-value.js";
import { ModelValue } from "../values/model-value.js";
import { words } from "../words/words.js";
import type { BatchControls } from "./batch-controls.js";
import type { CellEditor } from "./use-cell-editor.js";

interface BatchCellProps {
  approval: Approval;
  batch: Batch;
  column: BatchColumn;
  controls: BatchControls;
  /** The argument that is edited here, or why none can be. */
  field: ArgumentField | string;
  flags: readonly TextFlag[];
}

/** A value of a call, with what the reader has changed it to, or its editor. */
export function BatchCell({ approval, batch, column, controls, field, flags }: BatchCellProps) {
  const { id } = approval;
  const { editor, edits, isFixed } = controls;
  const cell = useRef<HTMLTableCellElement>(null);
  const isHere = (place: { id: string; column: string } | undefined) =>
    place?.id === id && place.column === column.id;
  const isOpen = isHere(editor.open) && typeof field !== "string";
  const wasOpen = useRef(false);
  useLayoutEffect(() => {
    // An editor that goes because somebody else has decided takes the focus with it.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) cell.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const times = batch.timesMedian(id, column);
  const [before, after] = [batch.cellOf(id, column), batch.finalCellOf(id, column)];
  const name = column.keys.at(-1) ?? "";
  const isInvalid = typeof field !== "string" && edits.get(id)?.problems[field.path] !== undefined;
  return (
    <td
      ref={cell}
      tabIndex={-1}
      aria-invalid={isInvalid || undefined}
      data-column={column.id}
      data-numeric={column.isNumeric || undefined}
      data-outlier={times !== undefined || undefined}
    >
      {isOpen ? (
        <CellField
          id={id}
          field={field}
          problems={edits.get(id)?.problems ?? {}}
          editor={editor}
          onClose={() => cell.current?.focus()}
        />
      ) : (
        <>
          {batch.isChanged(id, column) ? (
            <span className="cs-changes">
              <del>
                <span className="cs-visually-hidden">{words.batch.cell.before} </span>
                <CellValue name={name} cell={before} />
              </del>
              <ins>
                <span className="cs-visually-hidden">{words.batch.cell.after} </span>
                <CellValue name={name} cell={after} />
              </ins>
            </span>
          ) : (
            <CellValue name={name} cell={before} />
          )}
          {typeof field !== "string" && !isFixed && (
            <button
              type="button"
              className="cs-batch-edit"
              tabIndex={-1}
              aria-label={words.batch.cell.edit(field.name, sentenceOf(approval))}
              onClick={() => editor.start(id, column.id)}
            >
              <Icon name="edit" />
            </button>
          )}
        </>
      )}
      {isHere(editor.refused) && (
        <small className="cs-batch-refused" aria-hidden="true">
          {editor.refused?.why}
        </small>
      )}
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

interface CellFieldProps {
  id: string;
  field: ArgumentField;
  problems: Readonly<Record<string, string>>;
  editor: CellEditor;
  /** Called before the editor closes: the focus goes back to the cell. */
  onClose: () => void;
}

/** The control of an argument: Enter keeps what was typed, Esc gives back what was there, Tab goes to the next one. */
function CellField({ id, field, problems, editor, onClose }: CellFieldProps) {
  const around = useRef<HTMLDivElement>(null);
  const [{ fields }] = useDraft(id);
  const place = useRef(editor.open);
  /** Whether the key that has opened the editor may still be held down. */
  const isFresh = useRef(true);
  useEffect(() => {
    const control = around.current?.querySelector<HTMLElement>("input, textarea, select");
    control?.focus();
    if (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) control.select();
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys are text here, and Esc does not close the dialog.
    event.stopPropagation();
    if (!event.repeat) isFresh.current = false;
    const { key } = event;
    const isKeep = key === "Enter" && !event.shiftKey;
    if (event.nativeEvent.isComposing || event.altKey) return;
    if (isKeep || key === "Escape" || key === "Tab" || (event.repeat && isFresh.current))
      event.preventDefault();
    if (event.repeat) return;
    if (isKeep) {
      onClose();
      if (place.current) editor.keep(place.current);
    } else if (key === "Escape") {
      editor.giveBack();
      onClose();
    } else if (key === "Tab" && !editor.next(event.shiftKey)) onClose();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the control in it
    <div
      ref={around}
      onKeyDown={onKeyDown}
      onBlur={({ target, relatedTarget, currentTarget }) => {
        // If only the window has lost the focus, the control is still the active element.
        const isLeft = document.activeElement !== target && !currentTarget.contains(relatedTarget);
        if (isLeft && place.current) editor.keep(place.current);
      }}
    >
      <FieldEditor
        field={field}
        name={field.name}
        editing={{ draft: fields, problems, setField: editor.type }}
      />
    </div>
  );
}
