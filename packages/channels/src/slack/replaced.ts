import type { RoundupDelivery } from "countersign/types";
import { earlierMessages } from "./earlier-message.js";
import { gone } from "./failed.js";
import { section } from "./message/blocks.js";
import type { MessageReference } from "./message-reference.js";
import { anyAnswer, type SlackApi } from "./slack-api.js";
import { SlackFailure } from "./slack-failure.js";

const text = "This call is now listed in another message, together with others.";

/**
 * Removes the buttons of cards that were posted although their answers were lost and whose calls the roundup lists now.
 */
export async function retireReplaced(
  api: SlackApi,
  delivery: RoundupDelivery,
  { channel }: MessageReference,
  signal: AbortSignal,
): Promise<void> {
  if (delivery.replaces.length === 0) return;
  for (const { ts } of await earlierMessages(api, delivery, delivery.replaces, channel, signal)) {
    try {
      await api.call("chat.update", { channel, ts, text, blocks: [section(text)] }, anyAnswer, signal);
    } catch (error) {
      if (!SlackFailure.is(error, ...gone)) throw error;
    }
  }
}
