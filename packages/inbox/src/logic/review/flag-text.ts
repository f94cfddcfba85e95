import { visibleText } from "@countersign/policy/display";

const maxPath = 300;

/**
 * Whether a flag is about an argument or a part of it. The API writes invisible characters in keys as ⟨U+202E⟩, and their number
 * in English.
 */
export function isFlagOf(path: string, keys: readonly string[]): boolean {
  const own = visibleText(["input", ...keys].join("."), maxPath);
  return path === own || path.startsWith(`${own}.`);
}
