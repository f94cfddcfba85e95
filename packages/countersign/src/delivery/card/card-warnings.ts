import { markLabel } from "@countersign/policy/internal/display/text-mark";
import type { TextFlag } from "@countersign/policy/internal/redaction/deceptive-text";

/** A flag of the arguments as a sentence of plain text. */
export function warningOf(flag: TextFlag): string {
  const { inName, text } = flag;
  // As the card names its fields.
  const path = flag.path.replace(/^(?:(?:input|editedInput)\.|effects\.(\d+)(?=\.))/, (_, effect?: string) =>
    effect === undefined ? "" : `effect ${Number(effect) + 1}`,
  );
  const where = inName ? `The name of ${path}` : path;
  const word = text === undefined ? "a word" : `“${text}”`;
  const looks = flag.looksLike === undefined ? "" : ` that looks like “${flag.looksLike}”`;
  switch (flag.kind) {
    case "mixed_script":
      return `${where} has ${word} with letters from different alphabets${looks}`;
    case "look_alike":
      return `${where} has ${word} with look-alike letters${looks}`;
    case "compatibility":
      return `${where} has ${word} with characters in an unusual form${looks}`;
    case "foreign_digits":
      return `${where} has ${word} with digits from another script${looks}`;
    case "direction":
      return `${where} has characters that change the text direction: ${markLabel(flag)}`;
    case "control":
      return `${where} has control characters: ${markLabel(flag)}`;
    case "invisible":
      return `${where} has invisible characters: ${markLabel(flag)}`;
    case "blanks":
    case "line_breaks":
    case "stacked_marks":
      return `${where} has ${markLabel(flag)} in a row`;
    case "decimals":
      return `${where} is an amount with more than two decimals: ${text ?? ""}`;
    case "large_number":
      return `${where} is unusually large: ${text ?? ""}`;
    case "cut_short":
      return `The summary shows only the first line of ${path}`;
  }
}

/** A flag about a text that people could misread although all of it is shown. */
export function isDeceptive({ kind }: TextFlag): boolean {
  return kind !== "cut_short" && kind !== "decimals" && kind !== "large_number";
}
