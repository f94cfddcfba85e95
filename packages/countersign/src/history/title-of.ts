import { visibleLine } from "@countersign/policy/internal/display/visible-text";

const maxTitle = 80;

/**
 * The first non-empty line of a user's message. It reads only the beginning of the entry's JSON, which may be cut off
 * anywhere. `null` if there is no message, or no such line.
 */
export function titleOf(firstMessageJson: string | null): string | null {
  const [, text = ""] =
    /"content":\s*"((?:[^"\\]|\\u[0-9a-fA-F]{4}|\\[^u])*)/.exec(firstMessageJson ?? "") ?? [];
  const { shown } = visibleLine(JSON.parse(`"${text}"`), maxTitle);
  return shown.trim() === "" ? null : shown;
}
