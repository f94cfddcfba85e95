import { z } from "zod";

/** The message that shows a card. */
export const placeSchema = z.object({
  channel: z.string().min(1),
  ts: z.string().min(1),
  /** Of the card that it shows. */
  version: z.number(),
  /** The last event that notified people, as `eventName` names it. */
  reminded: z.string().nullable().catch(null),
});

/** The message that shows a digest. */
export const digestPlaceSchema = placeSchema.extend({
  /** The time of the event of which people were notified last. */
  notifiedAt: z.number().catch(0),
});

export type Place = z.infer<typeof placeSchema>;
