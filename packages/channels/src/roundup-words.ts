import type { Roundup, RoundupDelivery } from "countersign/types";

const maxTools = 5;

/** One line of a roundup, and the address of its calls in the inbox. */
export interface RoundupLine {
  text: string;
  url: string | null;
}

/** "12 more waiting", and whether people are reminded of them. */
export function roundupTitle({ event, roundup: { calls } }: RoundupDelivery): string {
  const occasion =
    event === "approval.reminded" ? "Reminder: " : event === "approval.escalated" ? "Escalated: " : "";
  return `${occasion}${calls} more waiting`;
}

/**
 * "9 refunds · 730.00 EUR", "3 × send_mail". Waiting calls of which the sum is not known have none.
 *
 * @param shown Makes a text of a call safe to show in the channel.
 */
export function roundupLines(
  { tools, url }: Roundup,
  shown: (text: string) => string,
  { withSums = true } = {},
): RoundupLine[] {
  const named = tools.slice(0, maxTools).map((tool) => {
    const worth = withSums && tool.sum !== null ? ` · ${shown(tool.sum)}` : "";
    return { text: `${counted(tool.calls, shown(tool.name))}${worth}`, url: tool.url };
  });
  const others = tools.slice(maxTools).reduce((total, { calls }) => total + calls, 0);
  return others > 0 ? [...named, { text: others === 1 ? "1 other" : `${others} others`, url }] : named;
}

/** "3 refunds" where the name is one word that can stand in a sentence, "3 × Pay supplier" where it is not. */
function counted(count: number, name: string): string {
  if (!/^\p{Lu}?\p{Ll}+$/u.test(name)) return `${count} × ${name}`;
  const word = name.toLowerCase();
  if (count === 1) return `1 ${word}`;
  if (/[^aeiou]y$/.test(word)) return `${count} ${word.slice(0, -1)}ies`;
  return `${count} ${word}${/(?:s|x|z|ch|sh)$/.test(word) ? "es" : "s"}`;
}
