/** Cost of a Unicode character class, counted once: it has hundreds of ranges. */
const unicodeClass = 50;

/**
 * Estimates the compiled size of an RE2 pattern in instructions, to reject excessive repetition and nesting before
 * compiling. Does not validate the pattern.
 */
export function patternSize(source: string): number {
  const outer: number[] = [];
  let size = 0;
  let last = 0;
  let once = 0;
  const add = (atom: number) => {
    last = atom;
    size += atom;
  };
  // Escapes, classes, counted repetitions, and single characters.
  for (const [token] of source.matchAll(tokens)) {
    if (token === "(") {
      outer.push(size);
      size = 0;
    } else if (token === ")") {
      const group = size + 2;
      once += outer.length;
      size = outer.pop() ?? 0;
      add(group);
    } else if (token.length > 1 && token.startsWith("{")) {
      const [least = 0, most = least + 1] = [...token.matchAll(/\d+/g)].map(([digits]) => Number(digits));
      const times = Math.max(1, least, token.includes(",") ? most : least);
      size += last * (times - 1);
      last *= times;
    } else {
      add(1);
      once += unicodeClass * (token.match(/\\[pP]/g)?.length ?? 0);
    }
  }
  return size + once;
}

const tokens =
  /\\Q.*?(?:\\E|$)|\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\[pP]\{[^}]*\}|\\.|[^\]\\])*\]?|\{\d+(?:,\d*)?\}|./gsu;
