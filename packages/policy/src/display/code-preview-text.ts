import { quotedValue } from "./summary-part.js";
import { visibleText } from "./visible-text.js";

const maxTools = 5;
const maxName = 60;

/**
 * The calls found in a script as one line of plain text, the first few tools by name; `null` if there are none. The names
 * come from the script, so those that could be mistaken for words of the line are quoted.
 */
export function codePreviewText(
  calls: readonly { toolName: string; line: number }[] | null | undefined,
): string | null {
  const linesOf = new Map<string, number[]>();
  for (const { toolName, line } of calls ?? []) {
    linesOf.set(toolName, [...(linesOf.get(toolName) ?? []), line]);
  }
  if (linesOf.size === 0) return null;
  const tools = [...linesOf].slice(0, maxTools).map(([name, [first, ...others]]) => {
    const times = others.length > 0 ? `${others.length + 1} times, first in ` : "";
    return `${quotedValue(visibleText(name, maxName))} (${times}line ${first})`;
  });
  const left = linesOf.size - tools.length;
  const more = left > 0 ? ` and ${left} more` : "";
  return `This code appears to use: ${tools.join(", ")}${more}. Found by reading the code, not by running it. It may use other tools.`;
}
