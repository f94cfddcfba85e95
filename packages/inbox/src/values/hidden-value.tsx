import { words } from "../words/words.js";

/** A bar in place of a value that a rule hides from the reader. */
export function HiddenValue() {
  return (
    <span className="cs-redacted">
      <i aria-hidden="true" />
      <small>{words.values.hidden}</small>
    </span>
  );
}
