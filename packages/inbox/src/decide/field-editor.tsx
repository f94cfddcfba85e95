import { useId } from "react";
import type { ArgumentField } from "../logic/arguments/argument-fields.js";
import { draftText, fieldType } from "../logic/arguments/edit-draft.js";
import type { Editing } from "./use-editing.js";

interface FieldEditorProps {
  field: ArgumentField;
  name: string;
  editing: Pick<Editing, "draft" | "problems" | "setField">;
}

/** The control for one editable field, with its error. */
export function FieldEditor({ field, name, editing }: FieldEditorProps) {
  const problemId = useId();
  const problem = editing.problems[field.path];
  const text = editing.draft[field.path] ?? draftText(field.value);
  const type = fieldType(field.value, field.schema);
  const common = {
    className: "cs-input",
    "aria-label": name,
    "aria-invalid": problem ? true : undefined,
    "aria-describedby": problem ? problemId : undefined,
    value: text,
  };
  const set = (value: string) => editing.setField(field.path, value);
  const choices = field.schema?.enum?.map(String);
  return (
    <span className="cs-editor">
      {choices || type === "boolean" ? (
        <select {...common} onChange={(event) => set(event.target.value)}>
          {(choices ?? ["true", "false"]).map((choice) => (
            <option key={choice} value={choice}>
              {choices ? choice : choice === "true" ? "yes" : "no"}
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
      {problem && (
        <small className="cs-problem" id={problemId}>
          {problem}
        </small>
      )}
    </span>
  );
}
