import type { MarkupText } from "./blocks.js";

/** Words of letters and digits, with one sign between two of them, so that no sign can be markup. */
const words = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:(?: \(|[ ._/-])[\p{L}\p{M}\p{N}]+\)?)*$/u;

/** The name of an argument in bold, which no value is; null if it could be markup. */
export function boldName(name: string): MarkupText | null {
  return words.test(name) ? { type: "mrkdwn", text: `*${name}*`, verbatim: true } : null;
}
