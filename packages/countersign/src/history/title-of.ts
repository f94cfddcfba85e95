import { visibleLine } from "../display/visible-text.js";

const maxTitle = 80;

/**
 * The first line of a user's message, from the beginning of its entry's JSON, which may end anywhere. `null` if there is
 * no message, or nothing in it.
 */
export function titleOf(firstMessageJson: string | null): string | null {
  const [, text = ""] =
    /"content":\s*"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)/.exec(firstMessageJson ?? "") ?? [];
  const { shown } = visibleLine(JSON.parse(`"${text}"`), maxTitle);
  return shown.trim() === "" ? null : shown;
}
