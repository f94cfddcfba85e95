import { useEffect, useRef } from "react";
import type { Approval } from "../../api/approval.js";
import { Button } from "../../components/button.js";
import type { Review } from "../../data/approvals/use-review.js";
import type { Editing } from "../../decide/use-editing.js";
import { useCommands } from "../../keyboard/use-commands.js";
import { elsewhere, flagsByPlace } from "../../logic/review/unreviewed.js";
import { words } from "../../words/words.js";
import { ArgumentRow } from "./argument-row.js";
import { RawJson } from "./raw-json.js";
import { Warnings } from "./warnings.js";

interface ArgumentTableProps {
  approval: Approval;
  editing: Editing;
  review: Review;
  approves: boolean;
  raw: boolean;
  onRaw: (raw: boolean) => void;
}

/** The arguments as a table of field, value and description, or as JSON. */
export function ArgumentTable({ approval, editing, review, approves, raw, onRaw }: ArgumentTableProps) {
  const { fields, possible, on, toggle } = editing;
  const texts = words.detail.facts;
  const final = approval.editedInput ?? approval.held?.editedInput ?? approval.input;
  const table = useRef<HTMLDivElement>(null);
  const editButton = useRef<HTMLButtonElement>(null);
  const wasOn = useRef(on);
  const toggleEditor = () => {
    onRaw(false);
    toggle();
  };
  const toggleRaw = () => {
    if (on) toggle();
    onRaw(!raw);
  };
  useCommands({ edit: possible && !on ? toggleEditor : undefined, rawJson: toggleRaw });
  useEffect(() => {
    if (on === wasOn.current) return;
    wasOn.current = on;
    const first = table.current?.querySelector<HTMLElement>(".cs-editor :is(input, textarea, select)");
    if (on) {
      first?.focus();
      if (first instanceof HTMLInputElement || first instanceof HTMLTextAreaElement) first.select();
    } else if (document.activeElement === document.body) editButton.current?.focus();
  }, [on]);
  const flags = flagsByPlace(approval, fields);
  return (
    <div className="cs-arguments" ref={table}>
      {raw ? (
        <RawJson value={final} />
      ) : fields.length === 0 ? (
        <p className="cs-hint">{texts.noArguments}</p>
      ) : (
        <dl className="cs-fields">
          {fields.map((field) => (
            <ArgumentRow
              key={field.path}
              field={field}
              flags={flags.get(field.path) ?? []}
              approval={approval}
              final={final}
              editing={editing}
              review={review}
              approves={approves}
            />
          ))}
        </dl>
      )}
      {flags.has(elsewhere) && (
        <Warnings
          flags={flags.get(elsewhere) ?? []}
          more={approval.flagsTruncated ?? false}
          checked={approves ? review.reviewed.checked.has(elsewhere) : undefined}
          onCheck={(checked) => review.mark("checked", [elsewhere], checked)}
        />
      )}
      <div className="cs-arguments-bar">
        {possible && (
          <Button
            ref={editButton}
            tone="quiet"
            command={on ? "cancel" : "edit"}
            aria-pressed={on}
            onClick={toggleEditor}
          >
            {on ? texts.closeEditor : texts.edit}
          </Button>
        )}
        <Button tone="quiet" command={on ? undefined : "rawJson"} aria-pressed={raw} onClick={toggleRaw}>
          {texts.rawJson}
        </Button>
      </div>
    </div>
  );
}
