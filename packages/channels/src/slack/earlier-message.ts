import { z } from "zod";
import type { Attempt } from "./attempt.js";
import type { MessageReference } from "./message-reference.js";
import type { SlackApi } from "./slack-api.js";
import { SlackFailure } from "./slack-failure.js";

const history = z.object({
  messages: z.array(
    z.object({
      ts: z.string(),
      metadata: z
        .object({
          event_payload: z.object({
            delivery_id: z.string(),
            version: z.number(),
            calls: z.number().optional(),
          }),
        })
        .optional()
        .catch(undefined),
    }),
  ),
});

/** Slack's clock and this one may differ. */
const clockSkewSeconds = 300;
const conversationId = /^[CGD][A-Z0-9]+$/;

/**
 * Messages of earlier attempts whose answers were lost, by the deliveries' ids in their metadata. Needs a scope such as
 * `channels:history`; without it, none is found.
 */
export async function earlierMessages(
  api: SlackApi,
  { since }: Attempt,
  deliveryIds: readonly string[],
  channel: string,
  signal: AbortSignal,
): Promise<MessageReference[]> {
  if (!conversationId.test(channel)) return [];
  const oldest = Math.floor(since.getTime() / 1000) - clockSkewSeconds;
  const search = { channel, oldest: String(oldest), limit: 200, include_all_metadata: true };
  try {
    const { messages } = await api.call("conversations.history", search, history, signal);
    return messages.flatMap(({ ts, metadata }) => {
      if (!metadata || !deliveryIds.includes(metadata.event_payload.delivery_id)) return [];
      const { version, calls = null } = metadata.event_payload;
      return { channel, ts, version, reminded: null, notifiedCalls: calls, notifiedJoinsForMs: null };
    });
  } catch (error) {
    if (SlackFailure.is(error, "missing_scope", "not_in_channel", "channel_not_found", "unexpected_answer")) {
      return [];
    }
    throw error;
  }
}
