import type { TextFlag } from "../api/approval.js";
import { FieldEditor } from "../decide/field-editor.js";
import type { Editing } from "../decide/use-editing.js";
import { type ArgumentField, fieldWords } from "../logic/argument-fields.js";
import { FlagNote } from "./flag-note.js";
import { Value } from "./value.js";

interface ArgumentRowProps {
  field: ArgumentField;
  flags: readonly TextFlag[];
  currency: unknown;
  editing: Editing;
}

/** One argument: its name, its value, and what the tool says about it; or a control, where it is being edited. */
export function ArgumentRow({ field, flags, currency, editing }: ArgumentRowProps) {
  const name = fieldWords(field.keys) || "value";
  const edited = editing.on && field.editable && !field.hidden;
  return (
    <div className="cs-field" data-edited={edited || undefined}>
      <dt>
        <span>{name}</span>
        {field.schema?.description && <small>{field.schema.description}</small>}
      </dt>
      <dd>
        {edited ? (
          <FieldEditor field={field} name={name} editing={editing} />
        ) : field.hidden ? (
          <span className="cs-redacted">
            <i aria-hidden="true" />
            <small>hidden from you · included in what you approve</small>
          </span>
        ) : (
          <Value
            name={field.keys.at(-1) ?? ""}
            value={field.value}
            schema={field.schema}
            currency={currency}
          />
        )}
        {flags.map((flag) => (
          <FlagNote key={`${flag.path} ${flag.kind} ${flag.text}`} flag={flag} />
        ))}
      </dd>
    </div>
  );
}
