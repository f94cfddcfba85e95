import type { Message } from "@inngest/agent-kit";
import { hiddenTexts, redact } from "../approval/redact.js";
import { escapedPattern } from "../approval/redact-patterns.js";
import { withPatterns } from "../approval/shown.js";
import { storableText } from "../approval/storable-text.js";
import type { ProposedCall } from "../store/store.js";

/** Most of a model's words that are kept with a request, in characters. */
const mostWords = 4000;

/** What the model wrote in a response beside its calls. */
export function wordsOf(output: readonly Message[]): string {
  return output
    .flatMap((message) => (message.type === "text" ? [textOf(message.content)] : []))
    .join("\n\n")
    .trim();
}

function textOf(content: Extract<Message, { type: "text" }>["content"]): string {
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

/**
 * The words as people may read them beside the calls, or `null` where there are none: without what patterns hide, and
 * without the calls' own hidden values where the words repeat them.
 */
export function shownWords(
  words: string,
  calls: readonly Pick<ProposedCall, "inputJson" | "terms">[],
  patterns: readonly string[],
): string | null {
  if (words === "") return null;
  const hidden = calls.flatMap(({ inputJson, terms }) =>
    hiddenTexts(JSON.parse(inputJson), terms.redact).map(escapedPattern),
  );
  const redactPatterns = withPatterns(patterns, [
    ...calls.flatMap(({ terms }) => terms.redactPatterns),
    ...hidden,
  ]);
  // Hidden first and cut then: half of what a pattern hides would not match it.
  const shown = String(redact(words, { redact: [], redactPatterns }));
  return storableText(shown.length > mostWords ? `${shown.slice(0, mostWords - 1)}…` : shown);
}
