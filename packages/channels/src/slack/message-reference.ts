import * as z from "zod";

/** The message that shows a card or a roundup. */
export const messageReferenceSchema = z.object({
  channel: z.string().min(1),
  ts: z.string().min(1),
  /** The version of the card or the roundup that the message shows. */
  version: z.number(),
  /** The last event that notified people, as `eventName` names it. */
  reminded: z.string().nullable().catch(null),
});

export type MessageReference = z.infer<typeof messageReferenceSchema>;
