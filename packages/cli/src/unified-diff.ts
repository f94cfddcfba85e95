const contextLines = 3;
/** Size of the table of two texts, in cells, up to which the common lines are searched. */
const maxCells = 16_000_000;

interface Line {
  sign: " " | "-" | "+";
  text: string;
}

/** The difference of two texts as `diff -u` writes it. `patch -p0` and `git apply -p0` accept it. Empty if they are equal. */
export function unifiedDiff(names: { from: string; to: string }, before: string, after: string): string {
  if (before === after) return "";
  const lines = compare(linesOf(before), linesOf(after));
  const isShown = shownLines(lines);
  const hunks: string[] = [];
  const at = { "-": 1, "+": 1 };
  for (let index = 0; index < lines.length; ) {
    const end = isShown[index] ? endOfRun(isShown, index) : index + 1;
    const part = lines.slice(index, end);
    const [removed, added] = [countOf(part, "-"), countOf(part, "+")];
    if (isShown[index]) {
      const ranges = `-${rangeOf(at["-"], removed)} +${rangeOf(at["+"], added)}`;
      hunks.push(`@@ ${ranges} @@\n${part.map(written).join("")}`);
    }
    at["-"] += removed;
    at["+"] += added;
    index = end;
  }
  return `--- ${quotedName(names.from)}\n+++ ${quotedName(names.to)}\n${hunks.join("")}`;
}

/** Each line with its line break. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function compare(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const same = (lines: readonly string[]) => lines.map((text): Line => ({ sign: " ", text }));
  return [
    ...same(before.slice(0, start)),
    ...compareMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

/** By the longest common subsequence. */
function compareMiddle(before: readonly string[], after: readonly string[]): Line[] {
  const width = after.length + 1;
  const isSearched = before.length * after.length <= maxCells;
  const common = new Uint32Array(isSearched ? (before.length + 1) * width : 0);
  const commonAt = (i: number, j: number) => common[i * width + j] ?? 0;
  if (isSearched) {
    for (let i = before.length - 1; i >= 0; i -= 1) {
      for (let j = after.length - 1; j >= 0; j -= 1) {
        common[i * width + j] =
          before[i] === after[j]
            ? commonAt(i + 1, j + 1) + 1
            : Math.max(commonAt(i + 1, j), commonAt(i, j + 1));
      }
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    const [old, fresh] = [before[i], after[j]];
    if (isSearched && old !== undefined && old === fresh) {
      lines.push({ sign: " ", text: old });
      i += 1;
      j += 1;
    } else if (old !== undefined && (fresh === undefined || commonAt(i + 1, j) >= commonAt(i, j + 1))) {
      lines.push({ sign: "-", text: old });
      i += 1;
    } else {
      lines.push({ sign: "+", text: fresh ?? "" });
      j += 1;
    }
  }
  return lines;
}

/** Which lines are changed or near a changed one. */
function shownLines(lines: readonly Line[]): boolean[] {
  const isShown = lines.map(() => false);
  for (const [index, { sign }] of lines.entries()) {
    if (sign !== " ") isShown.fill(true, Math.max(0, index - contextLines), index + contextLines + 1);
  }
  return isShown;
}

function endOfRun(isShown: readonly boolean[], start: number): number {
  const end = isShown.indexOf(false, start);
  return end < 0 ? isShown.length : end;
}

/** How many of the lines one of the texts has. */
function countOf(lines: readonly Line[], sign: "-" | "+"): number {
  return lines.filter((line) => line.sign === " " || line.sign === sign).length;
}

function rangeOf(start: number, count: number): string {
  return count === 1 ? String(start) : `${count === 0 ? start - 1 : start},${count}`;
}

function written({ sign, text }: Line): string {
  return text.endsWith("\n") ? sign + text : `${sign}${text}\n\\ No newline at end of file\n`;
}

/** `patch` reads a name with a space up to a tab. */
function quotedName(name: string): string {
  return name.includes(" ") ? `${name}\t` : name;
}
