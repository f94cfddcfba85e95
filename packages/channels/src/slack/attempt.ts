import type { Delivery } from "countersign/types";

/** One attempt at a message, whatever it shows. */
export type Attempt = Omit<Delivery, "card">;

/** The same on every attempt at one event, also with a newer card. */
export function eventName({ event, occurredAt }: Attempt): string {
  return `${event} ${occurredAt.toISOString()}`;
}
