/** A bar in place of a value that a rule hides from the reader. */
export function HiddenValue() {
  return (
    <span className="cs-redacted">
      <i aria-hidden="true" />
      <small>hidden from you · included in what you approve</small>
    </span>
  );
}
