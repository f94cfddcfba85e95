/** What to write instead of the operators of other languages. */
const operators: ReadonlyMap<string, string> = new Map([
  ["=", "=="],
  ["===", "=="],
  ["!==", "!="],
  ["<>", "!="],
  ["=>", ">="],
  ["=<", "<="],
  [">>", ">"],
  ["<<", "<"],
  ["&", "&&"],
  ["|", "||"],
  ["and", "&&"],
  ["or", "||"],
  ["not", "!"],
]);

/** What to write instead of an operator that is the cause of a syntax error, such as `==` instead of `=`. */
export function insteadOfOperator(text: string, position: number): string | undefined {
  // The parser stumbles over the last character of `===`, and over the word after `not`.
  for (const { 0: found, index } of text.matchAll(/[=!<>&|]+|[A-Za-z_]\w*\s*/g)) {
    const written = found.trim();
    const operator = operators.get(written.toLowerCase());
    if (operator && index <= position && position <= index + found.length) {
      return `write "${operator}" instead of "${written}"`;
    }
  }
  return undefined;
}
