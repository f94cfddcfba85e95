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

/** The message that shows a digest. An earlier version kept neither number. */
export const digestPlaceSchema = placeSchema.extend({
  /** The calls of which people were notified; `null` if that is unknown. */
  toldCalls: z.number().nullable().catch(null),
  /** The digest's `joinsForMs` when people were notified last. It falls as time passes, by the clock of the store. */
  toldJoinsForMs: z.number().nullable().catch(null),
});

export type Place = z.infer<typeof placeSchema>;
