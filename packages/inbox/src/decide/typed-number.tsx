import { numberNotes } from "../logic/arguments/number-notes.js";

interface TypedNumberProps {
  /** What people typed. */
  text: string;
  /** The argument's name, which says whether it is an amount. */
  name: string;
  /** The value before, if there is one. */
  before?: unknown;
  unit?: string | undefined;
}

/** A number that was typed as it will be sent, with a warning if it is of another magnitude than before. */
export function TypedNumber({ text, name, before, unit }: TypedNumberProps) {
  const notes = numberNotes({ text, name, before, unit });
  if (!notes) return null;
  return (
    <>
      <span className="cs-number">{notes.sent}</span>
      {notes.warning && (
        <>
          : <strong>{notes.warning}</strong>
        </>
      )}
    </>
  );
}
