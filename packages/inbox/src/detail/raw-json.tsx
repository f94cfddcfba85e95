import { SafeText } from "../components/safe-text.js";

/** The arguments as JSON, with everything in them visible. */
export function RawJson({ value }: { value: unknown }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who cannot use a pointer scrolls it with the keyboard
    <section className="cs-raw" tabIndex={0} aria-label="Arguments as JSON">
      <pre>
        <SafeText text={JSON.stringify(value, null, 2) ?? "nothing"} />
      </pre>
    </section>
  );
}
