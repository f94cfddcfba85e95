import * as z from "zod";
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
          event_payload: z.object({ delivery_id: z.string(), version: z.number() }),
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
 * The message of an earlier attempt whose answer was lost, by the delivery's id in its metadata. Needs a scope such as
 * `channels:history`; without it, none is found.
 */
export async function earlierMessage(
  api: SlackApi,
  { id, since, attempts }: Attempt,
  channel: string,
  signal: AbortSignal,
): Promise<MessageReference | undefined> {
  if (attempts === 0 || !conversationId.test(channel)) return undefined;
  const oldest = Math.floor(since.getTime() / 1000) - clockSkewSeconds;
  const search = { channel, oldest: String(oldest), limit: 200, include_all_metadata: true };
  try {
    const { messages } = await api.call("conversations.history", search, history, signal);
    const found = messages.find(({ metadata }) => metadata?.event_payload.delivery_id === id);
    return (
      found?.metadata && {
        channel,
        ts: found.ts,
        version: found.metadata.event_payload.version,
        reminded: null,
      }
    );
  } catch (error) {
    if (SlackFailure.is(error, "missing_scope", "not_in_channel", "channel_not_found", "unexpected_answer")) {
      return undefined;
    }
    throw error;
  }
}
