import { textParts } from "../logic/visible-characters.js";

/** Text from elsewhere as it is: what would go unseen shows as a labelled chip, and nothing becomes a link. */
export function SafeText({ text }: { text: string }) {
  const parts = textParts(text);
  if (parts.length === 1 && parts[0]?.kind === "plain") return parts[0].text;
  return parts.map((part, index) =>
    part.kind === "plain" ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other identity
      <span key={index}>{part.text}</span>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other identity
      <span key={index} className="cs-hidden-character" title={part.name}>
        <span aria-hidden="true">{part.code}</span>
        <span className="cs-unseen"> (invisible character: {part.name}) </span>
      </span>
    ),
  );
}
