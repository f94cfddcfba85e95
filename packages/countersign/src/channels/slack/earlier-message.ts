import { z } from "zod";
import type { Attempt } from "./attempt.js";
import type { Place } from "./place.js";
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
 * `channels:history`; without it, a repeated attempt posts again.
 */
export async function earlierMessage(
  api: SlackApi,
  delivery: Attempt,
  channel: string,
  signal: AbortSignal,
): Promise<Place | undefined> {
  if (delivery.attempts === 0 || !conversationId.test(channel)) return undefined;
  const oldest = Math.floor(delivery.occurredAt.getTime() / 1000) - clockSkewSeconds;
  const search = { channel, oldest: String(oldest), limit: 200, include_all_metadata: true };
  try {
    const { messages } = await api.call("conversations.history", search, history, signal);
    const found = messages.find(({ metadata }) => metadata?.event_payload.delivery_id === delivery.id);
    const version = found?.metadata?.event_payload.version;
    return found && version !== undefined ? { channel, ts: found.ts, version, reminded: null } : undefined;
  } catch (error) {
    if (SlackFailure.is(error, "missing_scope", "not_in_channel", "channel_not_found", "unexpected_answer")) {
      return undefined;
    }
    throw error;
  }
}
