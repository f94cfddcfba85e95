import { visibleText } from "../display/visible-text.js";
import { ownField } from "../shared/value-at-path.js";
import type { ExtractedToolCall } from "./code-preview.js";
import type { ResolvedTerms } from "./rules/term-table.js";

/** JavaScript code, and the object by which it calls tools. */
export interface Script {
  code: string;
  object: string;
}

/**
 * Tool calls in the script in a call's arguments, with names safe to display; `null` if no rule asks for them or there is
 * no script. The parser is only loaded for a script.
 */
export async function codePreviewOf(
  input: unknown,
  place: ResolvedTerms["codePreview"],
): Promise<ExtractedToolCall[] | null> {
  if (!place) return null;
  const code = ownField(input, place.field);
  if (!code.found || typeof code.value !== "string") return null;
  const { extractToolCalls } = await import("./code-preview.js");
  return extractToolCalls(code.value, place.object).map((call) => ({
    ...call,
    toolName: visibleText(call.toolName, 120),
  }));
}
