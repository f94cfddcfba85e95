import { type ReactNode, type RefObject, useContext, useId } from "react";
import { Chips } from "../components/chips.js";
import { PlaceContext } from "../data/inbox/host.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { keyOfReason } from "../logic/decisions/deny-reasons.js";
import { words } from "../words/words.js";

/** The longest reason that the API accepts, in characters. */
const maxReasonLength = 2000;

/** The reader's preset reasons for denying a call. */
export function useReasons(): readonly string[] {
  const [{ denyReasons }] = usePreferences();
  return denyReasons.length > 0 ? denyReasons : words.decide.deny.presets;
}

interface DenyReasonProps {
  reasons: readonly string[];
  reason: string;
  onChange: (reason: string) => void;
  field: RefObject<HTMLInputElement | null>;
  /** @default false */
  readOnly?: boolean;
  /** @default "Reason" */
  label?: string;
  /** What stands behind the preset reasons. */
  children?: ReactNode;
}

/** Why calls are denied: preset reasons, each with its key, and one line of free text. */
export function DenyReason({
  reasons,
  reason,
  onChange,
  field,
  readOnly = false,
  label = words.decide.deny.reason,
  children,
}: DenyReasonProps) {
  const id = useId();
  const { keys } = useContext(PlaceContext);
  const hasKeys = useValue(useInbox().singleKeys) && keys !== "none";
  return (
    <>
      <div className="cs-reasons">
        <Chips
          label={words.decide.deny.preset}
          options={reasons}
          pressed={reason}
          onPress={(pressed) => {
            onChange(reason === pressed ? "" : pressed);
            field.current?.focus();
          }}
          {...(hasKeys && { keyOf: (each: string) => keyOfReason(each, reasons) })}
        />
        {children}
      </div>
      <label className="cs-panel-word" htmlFor={id}>
        <span>
          {label} <small>· {words.decide.deny.note}</small>
        </span>
        <input
          ref={field}
          id={id}
          className="cs-input"
          maxLength={maxReasonLength}
          autoComplete="off"
          readOnly={readOnly}
          value={reason}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
    </>
  );
}
