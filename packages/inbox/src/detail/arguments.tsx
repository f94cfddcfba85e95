import { useState } from "react";
import type { Approval } from "../api/approval.js";
import { Button } from "../components/button.js";
import type { Editing } from "../decide/use-editing.js";
import { useShortcuts } from "../keyboard/use-shortcuts.js";
import { isFlagOf } from "../logic/flag-words.js";
import { isRecord } from "../logic/paths.js";
import { ArgumentRow } from "./argument-row.js";
import { RawJson } from "./raw-json.js";

interface ArgumentsProps {
  approval: Approval;
  editing: Editing;
}

/** The arguments as a table of field, value and what the tool says about the field; or as the JSON they are. */
export function Arguments({ approval, editing }: ArgumentsProps) {
  const [raw, setRaw] = useState(false);
  useShortcuts({ r: () => setRaw((shown) => !shown) });
  const { fields } = editing;
  const flags = approval.flags ?? [];
  const currency = isRecord(approval.input) ? approval.input.currency : undefined;
  return (
    <div className="cs-arguments">
      <div className="cs-arguments-bar">
        {editing.possible && (
          <Button tone="quiet" shortcut="E" aria-pressed={editing.on} onClick={editing.toggle}>
            {editing.on ? "Stop editing" : "Edit"}
          </Button>
        )}
        <Button tone="quiet" shortcut="R" aria-pressed={raw} onClick={() => setRaw(!raw)}>
          Raw JSON
        </Button>
      </div>
      {raw ? (
        <RawJson value={approval.input} />
      ) : fields.length === 0 ? (
        <p className="cs-hint">It takes no arguments.</p>
      ) : (
        <dl className="cs-fields">
          {fields.map((field) => (
            <ArgumentRow
              key={field.path}
              field={field}
              flags={flags.filter(({ path }) => isFlagOf(path, field.keys))}
              currency={currency}
              editing={editing}
            />
          ))}
        </dl>
      )}
      {approval.flagsTruncated && (
        <p className="cs-hint">There are more places with misleading letters than are marked here.</p>
      )}
    </div>
  );
}
