import type { TextFlag } from "../api/approval.js";
import { visibleText } from "./visible-characters.js";

/** Whether a flag is about an argument, or something in it. The API writes invisible characters of keys as ⟨U+202E⟩. */
export function isFlagOf(path: string, keys: readonly string[]): boolean {
  const own = visibleText(["input", ...keys].join("."));
  return path === own || path.startsWith(`${own}.`);
}

/** What is wrong with a text, in a sentence. */
export function flagWords({ kind, text }: TextFlag): string {
  switch (kind) {
    case "mixed_script":
      return `${text ? `“${text}” mixes` : "A word mixes"} letters of different alphabets; it may imitate another word`;
    case "direction":
      return "Characters that change the reading direction";
    case "control":
      return "Control characters";
    case "invisible":
      return "Characters that cannot be seen";
    default:
      return `Unusual characters (${kind.replaceAll("_", " ")})`;
  }
}
