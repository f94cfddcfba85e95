/** Finds a number in a text as people write it, and not by chance within an id. */
export function figure(digits: string): RegExp {
  return new RegExp(`(?<![\\w-])${digits}(?![\\w-])`);
}
