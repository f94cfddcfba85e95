import { hiddenTexts, redact } from "@countersign/policy/internal/redaction/redact";
import { escapedPattern } from "@countersign/policy/internal/redaction/redact-patterns";
import { cutText } from "@countersign/policy/internal/shared/engine-text";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { withPatterns } from "../../approval/visible-arguments.js";
import type { ProposedCall } from "../../store/ports/request-port.js";
import type { Message } from "../message.js";

/** Maximum characters of the model's text that are saved with a request. */
const maxCharacters = 4000;

/** The text that the model wrote in a response beside its calls. */
export function modelTextOf(output: readonly Message[]): string {
  return output
    .flatMap((message) => (message.type === "text" ? [textOf(message.content)] : []))
    .join("\n\n")
    .trim();
}

function textOf(content: Extract<Message, { type: "text" }>["content"]): string {
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

/**
 * The model's text as people may read it beside the calls, or `null` if there is none. Matches of redaction patterns
 * are hidden, and so are the calls' own hidden values if the text repeats them.
 */
export function redactedText(
  text: string,
  calls: readonly Pick<ProposedCall, "inputJson" | "terms">[],
  patterns: readonly string[],
): string | null {
  if (text === "") return null;
  const hidden = calls.flatMap(({ inputJson, terms }) =>
    hiddenTexts(JSON.parse(inputJson), terms.redact).map(escapedPattern),
  );
  const redactPatterns = withPatterns(patterns, [
    ...calls.flatMap(({ terms }) => terms.redactPatterns),
    ...hidden,
  ]);
  // Redact before cutting: half of a match would no longer match its pattern.
  const shown = String(redact(text, { redact: [], redactPatterns }));
  return storableText(shown.length > maxCharacters ? `${cutText(shown, maxCharacters - 1)}…` : shown);
}
