import { SafeText } from "../../components/safe-text.js";
import { words } from "../../words/words.js";

/** The arguments as JSON, with invisible characters shown as labels. */
export function RawJson({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll it
    <section className="cs-raw" tabIndex={0} aria-label={words.detail.facts.asJson}>
      <pre>
        <SafeText text={JSON.stringify(value, null, 2) ?? words.detail.facts.nothing} />
      </pre>
    </section>
  );
}
