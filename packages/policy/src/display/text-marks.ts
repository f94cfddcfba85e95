import { impostorMarks, maxImpostorText } from "./impostor-marks.js";
import type { TextMark } from "./text-mark.js";
import { unseenMarks } from "./unseen-marks.js";

/** Fast path: plain ASCII without long gaps has no marks. */
const worthALook = /[^\t\n\x20-\x7e]|[\t ]{9}|(?:\n[\t ]*){4}/;

/**
 * Finds everything in a text that may mislead a reader, in order; at most `max` per kind of search. The mark of a
 * word may contain marks of single characters.
 *
 * @param max Maximum number of marks. @default no limit
 *
 * @example
 * ```ts
 * import { textMarks } from "@countersign/policy/display";
 *
 * export const [mark] = textMarks("аррӏе.com"); // { kind: "look_alike", looksLike: "apple.com", start: 0, end: 9, … }
 * ```
 */
export function textMarks(text: string, max = Number.POSITIVE_INFINITY): TextMark[] {
  if (!worthALook.test(text)) return [];
  const unseen: TextMark[] = [];
  for (const mark of unseenMarks(text)) {
    unseen.push(mark);
    if (unseen.length >= max) break;
  }
  return [...unseen, ...impostorMarks(text, max)].sort(
    (one, other) => one.start - other.start || other.end - one.end,
  );
}

/** Whether a text is too long to search all of it for look-alikes. */
export function isMarkedInPart(text: string): boolean {
  return text.length > maxImpostorText && worthALook.test(text);
}
