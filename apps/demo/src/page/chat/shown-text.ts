import { visibleText } from "countersign/display";

const maxText = 20_000;

/** A text of the agent, a tool or a person as it really is, line by line: what it hides or reorders is labelled. */
export function shownText(text: string): string {
  return text
    .slice(0, maxText)
    .split(/\r?\n/)
    .map((line) => visibleText(line, maxText))
    .join("\n");
}
