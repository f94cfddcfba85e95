import { createHash } from "node:crypto";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import type { PreviewResult } from "../preview.js";
import { shortened, shortTarget } from "./shortened.js";

const contextLines = 3;
const maxText = 2000;

/**
 * What a call would change in a text or file: one effect from the first to the last line that differs, with three lines
 * around it. `count` is the number of lines from the first to the last that differs, on the side that has more. The state
 * covers both whole texts.
 *
 * @param target What the text is, for people: the file's name.
 * @param before `null`: it does not exist yet.
 * @param after `null`: it would be gone.
 *
 * @example
 * ```ts
 * import { textDiff } from "countersign/previews";
 *
 * export const { effects } = textDiff("limits.txt", "refunds 100\ndays 14\n", "refunds 500\ndays 14\n");
 * // [{ target: "limits.txt @@ line 1", before: "refunds 100\ndays 14\n", after: "refunds 500\ndays 14\n", count: 1 }]
 * ```
 */
export function textDiff(target: string, before: string | null, after: string | null): PreviewResult {
  const state = createHash("sha256")
    .update(JSON.stringify([before, after]))
    .digest("hex");
  if (before === after) return { effects: [], state };
  if (before === null || after === null) {
    const whole = before ?? after ?? "";
    const side = before === null ? "after" : "before";
    const count = whole.replace(/\n$/, "").split("\n").length;
    return { effects: [{ target: shortTarget(target), [side]: shownText(whole), count }], state };
  }
  const old = before.split("\n");
  const now = after.split("\n");
  const max = Math.min(old.length, now.length);
  const start = equalLines(max, (at) => old[at] === now[at]);
  const end = equalLines(max - start, (at) => old.at(-1 - at) === now.at(-1 - at));
  const around = (lines: string[]) =>
    shownText(
      lines
        .slice(Math.max(0, start - contextLines), lines.length - Math.max(0, end - contextLines))
        .join("\n"),
    );
  const place = ` @@ line ${start + 1}`;
  return {
    effects: [
      {
        target: `${shortened(target, 200 - place.length)}${place}`,
        before: around(old),
        after: around(now),
        count: Math.max(old.length, now.length) - start - end,
      },
    ],
    state,
  };
}

function shownText(text: string): string {
  return storableText(shortened(text, maxText));
}

/** How many lines are equal, from one end. */
function equalLines(max: number, isEqual: (at: number) => boolean): number {
  let equal = 0;
  while (equal < max && isEqual(equal)) equal++;
  return equal;
}
