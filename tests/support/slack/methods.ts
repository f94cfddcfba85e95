import { z } from "zod";
import { escaped, messageBlocks, modalView } from "./block-schemas.js";
import type { SlackChannel, SlackMessage, Workspace } from "./workspace.js";

/** An answer with `ok: false`. */
export class SlackRefusal extends Error {
  readonly answer: Record<string, unknown>;
  constructor(error: string, more: Record<string, unknown> = {}) {
    super(error);
    this.answer = { ok: false, error, ...more };
  }
}

/** Undocumented at Slack; messages with about this much JSON have been refused. */
const maxBlocksJson = 12_000;
const maxMetadata = 4000;
const triggerMs = 3000;

const flag = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean(),
);
/** Objects are JSON within a form, and themselves in a JSON body. */
const json = z.preprocess((value) => {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}, z.unknown());

const metadata = z.strictObject({
  event_type: z.string().regex(/^\w+$/),
  event_payload: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
const content = {
  text: z.string().optional(),
  blocks: json.optional(),
  parse: z.enum(["none", "full"]).optional(),
  link_names: flag.optional(),
};

function blocksOf(value: unknown) {
  if (value === undefined) return [];
  const parsed = messageBlocks.safeParse(value);
  if (!parsed.success) throw invalidBlocks(parsed.error);
  if (escaped(JSON.stringify(value)).length > maxBlocksJson) throw new SlackRefusal("msg_blocks_too_long");
  return parsed.data;
}

function invalidBlocks(error: z.ZodError, root = "blocks"): SlackRefusal {
  const errors = error.issues.map(
    ({ message, path }) => `${message} [json-pointer:/${[root, ...path].join("/")}]`,
  );
  const messages = errors.map((text) => `[ERROR] ${text}`);
  return new SlackRefusal("invalid_blocks", { errors, response_metadata: { messages } });
}

function contentOf(input: { text?: string | undefined; blocks?: unknown }) {
  const blocks = blocksOf(input.blocks);
  const text = input.text ?? "";
  if (text === "" && blocks.length === 0) throw new SlackRefusal("no_text");
  if (text.length > 4000) throw new SlackRefusal("msg_too_long");
  return { text, blocks };
}

function metadataOf(value: unknown) {
  if (value === undefined) return null;
  const parsed = metadata.safeParse(value);
  if (!parsed.success) throw new SlackRefusal("invalid_metadata_format");
  if (JSON.stringify(value).length > maxMetadata) throw new SlackRefusal("metadata_too_large");
  return parsed.data;
}

function channelOf(slack: Workspace, text: string, { byName = false } = {}): SlackChannel {
  const named = byName && text.startsWith("#") ? text.slice(1) : undefined;
  const channel = slack.channels.get(text) ?? [...slack.channels.values()].find(({ name }) => name === named);
  if (channel === undefined) throw new SlackRefusal("channel_not_found");
  if (!channel.joined) throw new SlackRefusal("not_in_channel");
  if (channel.archived) throw new SlackRefusal("is_archived");
  return channel;
}

function scope(slack: Workspace, needed: string): void {
  if (slack.scopes.has(needed)) return;
  throw new SlackRefusal("missing_scope", { needed, provided: [...slack.scopes].join(",") });
}

function method<T>(input: z.ZodType<T>, run: (slack: Workspace, input: T) => Record<string, unknown>) {
  return (slack: Workspace, body: unknown) => {
    const parsed = input.safeParse(body);
    if (!parsed.success) throw new SlackRefusal("invalid_arguments", { errors: parsed.error.issues });
    return { ok: true, ...run(slack, parsed.data) };
  };
}

const asSent = (message: SlackMessage) => ({
  type: "message",
  bot_id: "B000000001",
  ts: message.ts,
  text: escaped(message.text),
  blocks: message.blocks,
  ...(message.threadTs !== null && { thread_ts: message.threadTs }),
});

export const methods: Record<string, (slack: Workspace, body: unknown) => Record<string, unknown>> = {
  "chat.postMessage": method(
    z.strictObject({
      channel: z.string(),
      ...content,
      metadata: json.optional(),
      mrkdwn: flag.optional(),
      unfurl_links: flag.optional(),
      unfurl_media: flag.optional(),
      thread_ts: z.string().optional(),
      reply_broadcast: flag.optional(),
    }),
    (slack, input) => {
      scope(slack, "chat:write");
      const { id: channel } = channelOf(slack, input.channel, { byName: true });
      const threadTs = input.thread_ts ?? null;
      if (threadTs !== null && !slack.messageAt(channel, threadTs))
        throw new SlackRefusal("thread_not_found");
      const message: SlackMessage = {
        ...{ channel, ts: slack.timestamp(), ...contentOf(input), metadata: metadataOf(input.metadata) },
        ...{ threadTs, broadcast: input.reply_broadcast ?? false, earlier: [] },
      };
      slack.messages.push(message);
      return { channel, ts: message.ts, message: asSent(message) };
    },
  ),
  "chat.update": method(
    z.strictObject({ channel: z.string(), ts: z.string(), ...content, metadata: json.optional() }),
    (slack, input) => {
      scope(slack, "chat:write");
      const { id: channel } = channelOf(slack, input.channel);
      const message = slack.messageAt(channel, input.ts);
      if (!message) throw new SlackRefusal("message_not_found");
      const { text, blocks } = contentOf(input);
      message.earlier.push(message.blocks);
      Object.assign(message, { text, blocks, metadata: metadataOf(input.metadata) });
      return { channel, ts: message.ts, text: escaped(text), message: asSent(message) };
    },
  ),
  "chat.postEphemeral": method(
    z.strictObject({ channel: z.string(), user: z.string(), ...content }),
    (slack, input) => {
      scope(slack, "chat:write");
      const channel = channelOf(slack, input.channel);
      if (!channel.members.has(input.user)) throw new SlackRefusal("user_not_in_channel");
      slack.ephemerals.push({ channel: channel.id, user: input.user, ...contentOf(input) });
      return { message_ts: slack.timestamp() };
    },
  ),
  "views.open": method(z.strictObject({ trigger_id: z.string(), view: json }), (slack, input) => {
    const trigger = slack.triggers.get(input.trigger_id);
    if (!trigger) throw new SlackRefusal("invalid_trigger_id");
    if (trigger.used) throw new SlackRefusal("exchanged_trigger_id");
    if (slack.now().getTime() - trigger.at > triggerMs) throw new SlackRefusal("expired_trigger_id");
    const view = modalView.safeParse(input.view);
    if (!view.success) {
      const messages = view.error.issues.map(
        ({ message, path }) => `[ERROR] ${message}: /view/${path.join("/")}`,
      );
      throw new SlackRefusal("invalid_arguments", { response_metadata: { messages } });
    }
    trigger.used = true;
    const opened = { id: slack.next("V"), user: trigger.user, view: view.data };
    slack.views.push(opened);
    return { view: { ...view.data, id: opened.id, team_id: slack.team } };
  }),
  "conversations.open": method(z.strictObject({ users: z.string() }), (slack, { users }) => {
    scope(slack, "im:write");
    const user = slack.users.get(users);
    if (!user) throw new SlackRefusal("user_not_found");
    if (user.deactivated) throw new SlackRefusal("user_disabled");
    return { channel: { id: slack.directChannel(user.id).id } };
  }),
  "conversations.history": method(
    z.strictObject({
      channel: z.string(),
      oldest: z.string().optional(),
      limit: z.coerce.number().int().min(1).max(999).optional(),
      include_all_metadata: flag.optional(),
    }),
    (slack, { channel, oldest = "0", limit = 100, include_all_metadata }) => {
      scope(slack, "channels:history");
      const { id } = channelOf(slack, channel);
      const messages = slack.messages
        .filter((message) => message.channel === id && Number(message.ts) > Number(oldest))
        .filter(({ threadTs, broadcast }) => threadTs === null || broadcast)
        .reverse()
        .slice(0, limit);
      return {
        messages: messages.map((message) => ({
          ...asSent(message),
          ...(include_all_metadata && message.metadata && { metadata: message.metadata }),
        })),
        has_more: false,
      };
    },
  ),
  "users.info": method(z.strictObject({ user: z.string() }), (slack, input) => {
    scope(slack, "users:read");
    const user = slack.users.get(input.user);
    if (!user) throw new SlackRefusal("user_not_found");
    const profile = slack.scopes.has("users:read.email") ? { email: user.email } : {};
    return { user: { id: user.id, team_id: user.team, deleted: user.deactivated, profile } };
  }),
};
