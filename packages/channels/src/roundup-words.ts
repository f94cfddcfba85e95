import type { Roundup, RoundupDelivery } from "countersign/types";

const maxTools = 5;

/** "12 more calls wait in the inbox", and whether people are reminded of them. */
export function roundupTitle({ event, roundup: { calls } }: RoundupDelivery): string {
  const occasion =
    event === "approval.reminded" ? "Reminder: " : event === "approval.escalated" ? "Escalated: " : "";
  return `${occasion}${calls} more ${calls === 1 ? "call waits" : "calls wait"} in the inbox`;
}

/** "9 × refund (730.00 EUR), 3 × send_mail". `shown` makes a text of a call safe to show in the channel. */
export function toolWords(
  { tools }: Roundup,
  shown: (text: string) => string,
  { withSums = true } = {},
): string {
  const named = tools.slice(0, maxTools).map(({ name, calls, sum }) => {
    const worth = withSums && sum !== null ? ` (${shown(sum)})` : "";
    return `${calls} × ${shown(name)}${worth}`;
  });
  const others = tools.slice(maxTools).reduce((total, { calls }) => total + calls, 0);
  return [...named, ...(others > 0 ? [`${others} of other tools`] : [])].join(", ");
}
