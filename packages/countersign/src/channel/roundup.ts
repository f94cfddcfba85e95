import type { Delivery } from "./message.js";

/** When calls are reported in a roundup. */
export interface RoundupTerms {
  /** The number of calls within `withinMs` that get messages of their own. */
  after: number;
  /** Also the minimum time between two roundups. */
  withinMs: number;
}

/**
 * One message that says how many calls wait in the inbox of which the recipient got no message of their own. Nobody can
 * decide from it. It is rendered from the rows for each attempt and never stored.
 */
export interface Roundup {
  tenantId: string;
  /** The waiting calls. */
  calls: number;
  /**
   * The waiting calls by tool, the most frequent first. `name` is what the rules call its calls, or the tool's name. `sum`
   * is what they come to, such as "730.00 EUR" or "730.00 EUR + 20.00 USD", if each has one amount whose unit its rule
   * names; `null` without that, and if a value is hidden. Sums tell arguments, so a channel that leaves those out must
   * leave them out too. `url` shows these calls in the inbox; `null` without `inboxUrl`.
   */
  tools: readonly { name: string; calls: number; sum: string | null; url: string | null }[];
  /** Waiting calls of high or critical risk. */
  highRisk: number;
  /** When the oldest waiting call was announced. */
  oldest: Date | null;
  /** The inbox; `null` without `inboxUrl`. */
  url: string | null;
}

/** One attempt at a roundup. `event` is what happened last to one of its calls. */
export interface RoundupDelivery extends Omit<Delivery, "card"> {
  roundup: Roundup;
}
