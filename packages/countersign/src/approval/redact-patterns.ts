/**
 * Patterns that have a name, for what is hidden in most places. Each matches within a longer text, in time that grows
 * with its length only.
 */
const named = {
  card_number: /\b(?:\d[ -]?){12,18}\d\b/g,
  email: /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\.\p{L}{2,}/gu,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?\b/g,
  bearer_token: /\b[Bb]earer\s+[\w.~+/=-]+/g,
  jwt: /\beyJ[\w-]{12,}(?:\.[\w-]+)*/g,
} as const satisfies Record<string, RegExp>;

export const redactPatternNames = Object.keys(named);

/** The expression that a rule's pattern stands for: one of the names, or a regular expression of its own. */
export function redactExpression(pattern: string): RegExp {
  return Object.hasOwn(named, pattern) ? named[pattern as keyof typeof named] : new RegExp(pattern, "gu");
}

export function isRedactPattern(pattern: string): boolean {
  try {
    return !redactExpression(pattern).test("");
  } catch {
    return false;
  }
}

/** A pattern that matches exactly this text. */
export function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
