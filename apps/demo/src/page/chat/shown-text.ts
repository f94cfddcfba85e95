import { visibleText } from "@countersign/policy/display";

const maxText = 20_000;

/**
 * Renders a text of the agent, a tool or a person line by line. Invisible and reordering characters appear as labels.
 */
export function shownText(text: string): string {
  return text
    .slice(0, maxText)
    .split(/\r?\n/)
    .map((line) => visibleText(line, maxText))
    .join("\n");
}
