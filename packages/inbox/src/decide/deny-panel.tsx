import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../components/button.js";
import { Chips } from "../components/chips.js";
import { usePreferences } from "../data/use-preferences.js";
import { Late } from "../late/late.js";
import { latePart } from "../late/late-part.js";
import { usualReasons } from "../logic/deny-reasons.js";
import type { Deciding } from "./use-decision.js";

const ReasonsDialog = latePart(() => import("./reasons-dialog.js"));

/** Longest reason that the API takes, in characters. */
const longestReason = 2000;

/** Denying: a preset reason or a line of one's own, which the agent will read. */
export function DenyPanel({ deciding }: { deciding: Deciding }) {
  const [{ denyReasons }] = usePreferences();
  const { draft, changeDraft } = deciding;
  const reasons = denyReasons.length > 0 ? denyReasons : usualReasons;
  const field = useRef<HTMLInputElement>(null);
  const [editing, setEditing] = useState(false);
  const id = useId();
  useEffect(() => field.current?.focus(), []);
  return (
    <>
      <form
        className="cs-panel"
        aria-label="Deny"
        onSubmit={(event) => {
          event.preventDefault();
          deciding.deny(draft.denyReason);
        }}
      >
        <div className="cs-reasons">
          <Chips
            label="Usual reasons"
            options={reasons}
            pressed={draft.denyReason}
            onPress={(reason) => {
              changeDraft({ denyReason: draft.denyReason === reason ? "" : reason });
              field.current?.focus();
            }}
          />
          <Button tone="quiet" onClick={() => setEditing(true)}>
            Edit reasons
          </Button>
        </div>
        <label className="cs-panel-word" htmlFor={id}>
          <span>
            Reason <small>· optional, the agent will read it</small>
          </span>
          <input
            ref={field}
            id={id}
            className="cs-input"
            maxLength={longestReason}
            autoComplete="off"
            value={draft.denyReason}
            onChange={(event) => changeDraft({ denyReason: event.target.value })}
          />
        </label>
        <div className="cs-decision-buttons">
          <Button
            tone="danger"
            type="submit"
            shortcut="Enter"
            blocked={deciding.blocked}
            aria-busy={deciding.sending}
          >
            Deny
          </Button>
          <span className="cs-spacer" />
          <Button tone="quiet" shortcut="Esc" onClick={() => deciding.setPanel("none")}>
            Cancel
          </Button>
        </div>
      </form>
      {/* Not within the form: what is submitted in the dialog must not deny. */}
      {editing && (
        <Late>
          <ReasonsDialog reasons={reasons} onClose={() => setEditing(false)} />
        </Late>
      )}
    </>
  );
}
