import { useId } from "react";
import { type ArgumentField, unitOf } from "../logic/arguments/argument-fields.js";
import { draftText, fieldType } from "../logic/arguments/edit-draft.js";
import { words } from "../words/words.js";
import { TypedNumber } from "./typed-number.js";
import type { Editing } from "./use-editing.js";

interface FieldEditorProps {
  field: ArgumentField;
  name: string;
  /** The currency of amounts is in `input`, which is all arguments with the changes. */
  editing: Pick<Editing, "draft" | "problems" | "setField"> & Partial<Pick<Editing, "input">>;
  /** The id of the element that describes the field. */
  describedBy?: string | undefined;
}

/**
 * The control for one editable field, with its error. Numbers are typed as text: a number field of a library would round
 * 499.999999999 to what it shows.
 */
export function FieldEditor({ field, name, editing, describedBy }: FieldEditorProps) {
  const problemId = useId();
  const notesId = useId();
  const problem = editing.problems[field.path];
  const initial = draftText(field.value, field.schema);
  const text = editing.draft[field.path] ?? initial;
  const type = fieldType(field.value, field.schema);
  const choices = field.schema?.enum?.map(String);
  const isTyped = type === "number" && !choices && text !== initial;
  const common = {
    className: "cs-input",
    "aria-label": name,
    "aria-invalid": problem ? true : undefined,
    "aria-describedby":
      [problem ? problemId : isTyped && notesId, describedBy].filter(Boolean).join(" ") || undefined,
    value: text,
  };
  const set = (value: string) => editing.setField(field.path, value);
  return (
    <span className="cs-editor">
      {choices || type === "boolean" ? (
        <select {...common} onChange={(event) => set(event.target.value)}>
          {(choices ?? ["true", "false"]).map((choice) => (
            <option key={choice} value={choice}>
              {choices ? choice : choice === "true" ? words.values.yes : words.values.no}
            </option>
          ))}
        </select>
      ) : type === "json" || text.length > 60 || text.includes("\n") ? (
        <textarea
          {...common}
          rows={Math.min(12, Math.max(3, text.split("\n").length))}
          spellCheck={type !== "json"}
          onChange={(event) => set(event.target.value)}
        />
      ) : (
        <input
          {...common}
          inputMode={type === "number" ? "decimal" : undefined}
          autoComplete="off"
          onChange={(event) => set(event.target.value)}
        />
      )}
      {problem ? (
        <small className="cs-problem" id={problemId}>
          {problem}
        </small>
      ) : (
        isTyped && (
          <small className="cs-number-notes" id={notesId}>
            <TypedNumber
              text={text}
              name={field.keys.at(-1) ?? ""}
              before={field.value}
              unit={unitOf(field, editing.input)}
            />
          </small>
        )
      )}
    </span>
  );
}
