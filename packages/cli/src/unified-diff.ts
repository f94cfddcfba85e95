import { structuredPatch } from "diff";

/** The difference of two texts as `diff -u` writes it. `patch -p0` and `git apply -p0` accept it. Empty if they are equal. */
export function unifiedDiff(names: { from: string; to: string }, before: string, after: string): string {
  if (before === after) return "";
  const { hunks } = structuredPatch(names.from, names.to, before, after, undefined, undefined, {
    context: 3,
  });
  const parts = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    const ranges = `-${rangeOf(oldStart, oldLines)} +${rangeOf(newStart, newLines)}`;
    return `@@ ${ranges} @@\n${lines.join("\n")}\n`;
  });
  return `--- ${quotedName(names.from)}\n+++ ${quotedName(names.to)}\n${parts.join("")}`;
}

function rangeOf(start: number, count: number): string {
  return count === 1 ? String(start) : `${count === 0 ? start - 1 : start},${count}`;
}

/** `patch` reads a name with a space up to a tab. */
function quotedName(name: string): string {
  return name.includes(" ") ? `${name}\t` : name;
}
