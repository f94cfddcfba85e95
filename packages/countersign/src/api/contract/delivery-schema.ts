import * as z from "zod";
import { deliveryEvents } from "../../channel/channel.js";
import { deliveryStates } from "../../store/ports/delivery-port.js";

const time = z.iso.datetime().describe("ISO 8601, UTC");

export const deliveryViewSchema = z
  .object({
    id: z.string(),
    approvalId: z.string(),
    inRoundup: z.boolean().describe("Whether the message reports several calls. They share its id and state"),
    channel: z.string(),
    target: z
      .string()
      .nullable()
      .describe(
        "The target in the rule, such as #finance. For readers who may not decide, audit or stop calls, this, recipient and lastError are null",
      ),
    recipient: z
      .string()
      .nullable()
      .describe("Who gets the message; null until the channel has named its recipients"),
    event: z.enum(deliveryEvents).describe("What happened last"),
    occurredAt: time,
    state: z
      .enum(deliveryStates)
      .describe(
        "abandoned: the call was over before the message could be sent. skipped: not wanted by the recipient, or the recipient is disabled",
      ),
    attempts: z.int(),
    nextAttemptAt: time.nullable(),
    lastError: z.string().nullable(),
    sentAt: time.nullable(),
  })
  .describe("A message of a channel about an approval");

export type DeliveryView = z.infer<typeof deliveryViewSchema>;
