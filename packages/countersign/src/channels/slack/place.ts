import { z } from "zod";

/** The message that shows a card. */
export const placeSchema = z.object({
  channel: z.string().min(1),
  ts: z.string().min(1),
  /** The version of the card that the message shows. */
  version: z.number(),
  /** The last event that notified people, as `eventName` names it. */
  reminded: z.string().nullable().catch(null),
});

/** The message that shows a digest. Messages of an earlier version lack both numbers. */
export const digestPlaceSchema = placeSchema.extend({
  /** The number of calls in the digest when people were last notified; `null` if unknown. */
  notifiedCalls: z.number().nullable().catch(null),
  /**
   * The digest's `joinsForMs` when people were last notified. The difference to the current value is the elapsed time
   * by the store's clock.
   */
  notifiedJoinsForMs: z.number().nullable().catch(null),
});

export type Place = z.infer<typeof placeSchema>;
