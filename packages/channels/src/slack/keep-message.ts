import * as z from "zod";
import { type Attempt, eventName } from "./attempt.js";
import { earlierMessage } from "./earlier-message.js";
import { gone, tooLong } from "./failed.js";
import type { CardMessage } from "./message/card-message.js";
import type { MessageReference } from "./message-reference.js";
import { isPerson } from "./recipients.js";
import { anyAnswer, type SlackApi } from "./slack-api.js";
import { SlackFailure } from "./slack-failure.js";

const posted = z.object({ channel: z.string().min(1), ts: z.string().min(1) });
const opened = z.object({ channel: z.object({ id: z.string().min(1) }) });

/** The content of a message, and the version that it shows. */
export interface Content {
  version: number;
  /** Whether the call is still open. If somebody has deleted the message, it is then posted again. */
  open: boolean;
  /** Renders the message. `compact`: in a shorter form, because Slack refused the full one as too long. */
  render(size: { compact: boolean }): CardMessage;
}

/** Posts a message, or updates the one at `known`. Never replaces a newer version with an older one. */
export async function keepMessage(
  api: SlackApi,
  attempt: Attempt,
  content: Content,
  known: MessageReference | undefined,
  signal: AbortSignal,
): Promise<{ place: MessageReference; did: "posted" | "updated" | "nothing" }> {
  const channel = known?.channel ?? (await conversationOf(api, attempt, signal));
  const existing = known ?? (await earlierMessage(api, attempt, channel, signal));
  if (existing === undefined) return post(api, attempt, content, channel, signal);
  if (existing.version > content.version) return { place: existing, did: "nothing" };
  try {
    const at = { channel: existing.channel, ts: existing.ts };
    await write(
      api,
      "chat.update",
      content.render,
      { ...at, metadata: metadata(attempt, content) },
      anyAnswer,
      signal,
    );
  } catch (error) {
    if (!SlackFailure.is(error, ...gone)) throw error;
    if (content.open) return post(api, attempt, content, channel, signal);
    // A closed call whose message is gone needs no update: nobody can press its buttons.
    if (error.code === "message_not_found") return { place: existing, did: "nothing" };
    throw error;
  }
  return { place: { ...existing, version: content.version }, did: "updated" };
}

async function post(
  api: SlackApi,
  attempt: Attempt,
  content: Content,
  channel: string,
  signal: AbortSignal,
): Promise<{ place: MessageReference; did: "posted" }> {
  const where = { channel, unfurl_links: false, unfurl_media: false, mrkdwn: false };
  const named = { ...where, metadata: metadata(attempt, content) };
  const at = await write(api, "chat.postMessage", content.render, named, posted, signal);
  const reminded = eventName(attempt);
  const place = { channel: at.channel, ts: at.ts, version: content.version, reminded };
  return { place, did: "posted" };
}

/** By this, an attempt finds the message of an earlier one. */
const metadata = ({ id }: Attempt, { version }: Content) => ({
  event_type: "countersign_approval",
  event_payload: { delivery_id: id, version },
});

/** Updates a message that perhaps no delivery knows. */
export async function updateMessage(
  api: SlackApi,
  at: { channel: string; ts: string },
  render: Content["render"],
): Promise<void> {
  await write(api, "chat.update", render, at, anyAnswer);
}

/** Sends the content, and a shorter one if Slack refuses it as too long. */
async function write<T>(
  api: SlackApi,
  method: "chat.postMessage" | "chat.update",
  render: Content["render"],
  where: Record<string, unknown>,
  answer: z.ZodType<T>,
  signal?: AbortSignal,
): Promise<T> {
  const call = (compact: boolean) =>
    api.call(method, { ...where, ...render({ compact }), parse: "none", link_names: false }, answer, signal);
  try {
    return await call(false);
  } catch (error) {
    if (!SlackFailure.is(error, ...tooLong)) throw error;
    return call(true);
  }
}

async function conversationOf(api: SlackApi, { recipient }: Attempt, signal: AbortSignal): Promise<string> {
  if (!isPerson(recipient)) return recipient.id;
  const { channel } = await api.call("conversations.open", { users: recipient.id }, opened, signal);
  return channel.id;
}
