import { visibleText } from "@countersign/policy/display";
import { useContext, useId } from "react";
import type { Approval, TextFlag } from "../../api/approval.js";
import { SafeText } from "../../components/safe-text.js";
import type { Review } from "../../data/approvals/use-review.js";
import { HostContext } from "../../data/inbox/host.js";
import { FieldEditor } from "../../decide/field-editor.js";
import type { Editing } from "../../decide/use-editing.js";
import { type ArgumentField, unitOf } from "../../logic/arguments/argument-fields.js";
import { valueAt } from "../../logic/arguments/paths.js";
import { Replaced } from "../../values/argument-changes.js";
import { Value } from "../../values/argument-value.js";
import { HiddenValue } from "../../values/hidden-value.js";
import { words } from "../../words/words.js";
import { Slot } from "../slot.js";
import { ArgumentDescription } from "./argument-description.js";
import { useScrolledTo } from "./use-scrolled-to.js";
import { Warnings } from "./warnings.js";

const maxPath = 300;

interface ArgumentRowProps {
  field: ArgumentField;
  flags: readonly TextFlag[];
  approval: Approval;
  /** The arguments that run: others, if somebody has edited them. */
  final: unknown;
  editing: Editing;
  review: Review;
  /** Whether the reader can approve, and so can mark warnings as checked. */
  approves: boolean;
}

/** One argument: its name, description and value, or a control while it is edited. */
export function ArgumentRow({ field, flags, approval, final, editing, review, approves }: ArgumentRowProps) {
  const { path, keys, value, schema } = field;
  const name = field.name || words.detail.facts.value;
  const edited = editing.on && field.editable && !field.hidden;
  const aboutId = useId();
  const { reviewed, mark } = review;
  const { renderValue } = useContext(HostContext);
  const end = useScrolledTo(() => mark("reached", [path]));
  const finalValue = valueAt(final, keys);
  const replaced = JSON.stringify(finalValue) !== JSON.stringify(value);
  const shownValue = (of: unknown, all: unknown) => (
    <Value
      name={keys.at(-1) ?? ""}
      value={of}
      schema={schema}
      unit={unitOf(field, all)}
      unfolded={reviewed.unfolded.has(path)}
      onUnfold={() => mark("unfolded", [path])}
    />
  );
  return (
    <div className="cs-field" data-edited={edited || undefined}>
      <dt>
        <span title={path === "" ? undefined : visibleText(path, maxPath, words.display)}>
          <SafeText text={name} />
        </span>
        {schema?.description && <ArgumentDescription id={aboutId} name={name} text={schema.description} />}
      </dt>
      <dd>
        {edited ? (
          <FieldEditor
            field={field}
            name={name}
            editing={editing}
            describedBy={schema?.description ? aboutId : undefined}
          />
        ) : field.hidden ? (
          <HiddenValue />
        ) : replaced ? (
          <span className="cs-changes">
            <Replaced before={shownValue(value, approval.input)} after={shownValue(finalValue, final)} />
          </span>
        ) : (
          shownValue(value, approval.input)
        )}
        {flags.length > 0 && (
          <Warnings
            flags={flags}
            checked={approves ? reviewed.checked.has(path) : undefined}
            onCheck={(checked) => mark("checked", [path], checked)}
          />
        )}
        <span
          ref={end}
          className="cs-field-end"
          data-unreviewed={review.unreviewed.below.includes(path) ? "below" : undefined}
        />
        {renderValue && !edited && !field.hidden && (
          <Slot render={() => renderValue(path, finalValue, approval)} />
        )}
      </dd>
    </div>
  );
}
