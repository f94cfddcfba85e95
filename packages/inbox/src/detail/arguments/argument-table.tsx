import type { Approval } from "../../api/approval.js";
import { Button } from "../../components/button.js";
import type { Review } from "../../data/approvals/use-review.js";
import type { Editing } from "../../decide/use-editing.js";
import { useShortcuts } from "../../keyboard/use-shortcuts.js";
import { isRecord } from "../../logic/arguments/paths.js";
import { elsewhere, flagsByPlace } from "../../logic/review/unreviewed.js";
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
  useShortcuts({ r: () => onRaw(!raw) });
  const { fields } = editing;
  const flags = flagsByPlace(approval, fields);
  const currency = isRecord(approval.input) ? approval.input.currency : undefined;
  return (
    <div className="cs-arguments">
      <div className="cs-arguments-bar">
        {editing.possible && (
          <Button tone="quiet" shortcut="E" aria-pressed={editing.on} onClick={editing.toggle}>
            {editing.on ? "Close editor" : "Edit"}
          </Button>
        )}
        <Button tone="quiet" shortcut="R" aria-pressed={raw} onClick={() => onRaw(!raw)}>
          Raw JSON
        </Button>
      </div>
      {raw ? (
        <RawJson value={approval.input} />
      ) : fields.length === 0 ? (
        <p className="cs-hint">No arguments.</p>
      ) : (
        <dl className="cs-fields">
          {fields.map((field) => (
            <ArgumentRow
              key={field.path}
              field={field}
              flags={flags.get(field.path) ?? []}
              currency={currency}
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
    </div>
  );
}
