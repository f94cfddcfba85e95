import type { Delivery } from "../channel.js";

/** One attempt at a message, whatever it shows. */
export type Attempt = Omit<Delivery, "card">;
