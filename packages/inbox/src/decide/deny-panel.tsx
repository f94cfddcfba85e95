import { useEffect, useId, useRef, useState } from "react";
import { Button } from "../components/button.js";
import { Chips } from "../components/chips.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { LazyBoundary } from "../lazy/lazy-boundary.js";
import { lazyPart } from "../lazy/lazy-part.js";
import { defaultReasons } from "../logic/decisions/deny-reasons.js";
import type { Deciding } from "./use-decision.js";

const ReasonsDialog = lazyPart(() => import("./reasons-dialog.js"));

/** The longest reason that the API accepts, in characters. */
const maxReasonLength = 2000;

/** Denies a call with a preset or custom reason, which the agent reads. */
export function DenyPanel({ deciding }: { deciding: Deciding }) {
  const [{ denyReasons }] = usePreferences();
  const { draft, changeDraft } = deciding;
  const reasons = denyReasons.length > 0 ? denyReasons : defaultReasons;
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
            label="Preset reasons"
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
            Reason <small>· optional, the agent reads it</small>
          </span>
          <input
            ref={field}
            id={id}
            className="cs-input"
            maxLength={maxReasonLength}
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
      {/* Outside the form, so that submitting the dialog does not deny the call. */}
      {editing && (
        <LazyBoundary>
          <ReasonsDialog reasons={reasons} onClose={() => setEditing(false)} />
        </LazyBoundary>
      )}
    </>
  );
}
