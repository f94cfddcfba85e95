import type { Card, ChannelReference, Delivery, Sent } from "./message.js";

/** When calls for one recipient become one message. */
export interface RoundupTerms {
  /** The number of calls within `withinMs` that get separate messages. */
  after: number;
  withinMs: number;
}

/**
 * Several waiting calls in one message, from which nobody can decide. It is rendered from the rows for each attempt and
 * never stored.
 */
export interface Roundup {
  tenantId: string;
  /** Grows with every change, so a channel never replaces a newer roundup with an older one. */
  version: number;
  /** Calls that wait for a decision. */
  open: number;
  /** Calls that are over. */
  closed: number;
  /** The waiting calls by tool, the most frequent first. */
  tools: readonly { name: string; calls: number }[];
  /** Waiting calls of high or critical risk. */
  highRisk: number;
  /** When the oldest waiting call was announced. */
  oldest: Date | null;
  /** The waiting calls with the highest risk, then the oldest; at most ten. Their `decisions` are empty. */
  calls: readonly Card[];
  /**
   * The waiting calls that joined last, in the order in which they joined; at most ten. Their `decisions` are empty.
   * `position` counts all calls of the roundup in that order, from 1: a channel that has notified people of three calls
   * finds the further ones after position 3.
   */
  newest: readonly { card: Card; position: number }[];
  /** Milliseconds for which further calls may still join; 0 or less if none can. */
  joinsForMs: number;
  /** Minimum milliseconds between two notifications of one roundup. */
  withinMs: number;
  /** The inbox; `null` without `inboxUrl`. */
  url: string | null;
}

/** One attempt at a roundup. `event` is what happened last to one of its calls. */
export interface RoundupDelivery extends Omit<Delivery, "card"> {
  roundup: Roundup;
  /**
   * Ids of deliveries about calls of the roundup that may have been sent before, because the outcome of an attempt is
   * unknown. If the channel finds such messages, it removes their buttons: the roundup replaces them.
   */
  replaces: readonly string[];
}

/**
 * `againInMs`: the roundup becomes due again after this time, even if nothing changes, and earlier if one of its calls
 * changes.
 */
export type RoundupSent =
  | { ok: true; reference: ChannelReference | null; againInMs?: number }
  | Extract<Sent, { ok: false }>;
