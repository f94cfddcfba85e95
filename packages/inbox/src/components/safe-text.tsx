import { type TextPart, textParts } from "../logic/review/visible-characters.js";
import { words } from "../words/words.js";

/**
 * Untrusted text, shown exactly: invisible characters appear as labels, look-alike words have a note beside them, and
 * nothing becomes a link.
 */
export function SafeText({ text }: { text: string }) {
  return <TextParts parts={textParts(text)} />;
}

/** Parsed parts of untrusted text. */
export function TextParts({ parts }: { parts: readonly TextPart[] }) {
  if (parts.length === 1 && parts[0]?.kind === "plain") return parts[0].text;
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other identity
  return parts.map((part, index) => <Part key={index} part={part} />);
}

function Part({ part }: { part: TextPart }) {
  switch (part.kind) {
    case "plain":
      return <span>{part.text}</span>;
    case "label":
      return (
        <span className="cs-hidden-character" title={part.words}>
          <span aria-hidden="true">{part.label}</span>
          <span className="cs-visually-hidden"> {words.values.notShown(part.words)} </span>
        </span>
      );
    case "impostor":
      return (
        <span className="cs-impostor">
          <TextParts parts={part.parts} />
          <span className="cs-hidden-character">{part.note}</span>
        </span>
      );
  }
}
