import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { parseOrRefuse, refusedField } from "@countersign/policy/internal/shared/parse-or-refuse";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Countersign } from "countersign";
import type { ApiEnv } from "countersign/hono";
import type { Hono } from "hono";
import { type ChatOptions, chatApp, chatView } from "../turn/chat-app.js";
import { readChatTurns } from "../turn/read-chat-turns.js";
import {
  answersIn,
  chatRequest,
  decidedQuery,
  lastMessage,
  shownByClient,
  userText,
} from "./chat-request.js";
import { decidedStream } from "./decided-stream.js";
import { uiMessageStream } from "./ui-message-stream.js";
import { type ChatUIMessage, uiMessagesOf } from "./ui-messages.js";

/**
 * The server's side of the AI SDK's `useChat`, for `ai` 6 and 7: `POST /` takes messages and decisions,
 * `GET /:id` returns the chat's messages, `GET /:id/stream` streams its last turn, and `GET /:id/decided` waits until a
 * call has been decided or undone elsewhere. The chat's id is the thread's id. Mount it as the `api` of `DefaultChatTransport`.
 *
 * The client may send a new message and, for a decision, the approval's id, the digest, the verdict and the reason. The
 * server ignores everything else in the request.
 *
 * @throws CountersignError `invalid_option` if `authenticate` or `startRun` is missing.
 *
 * @example
 * ```ts
 * import { Hono } from "hono";
 * import type { Inngest } from "inngest";
 * import type { Countersign, Principal } from "countersign";
 * import { aiSdkChat } from "@countersign/chat/ai-sdk";
 *
 * declare const countersign: Countersign;
 * declare const inngest: Inngest;
 * declare function session(request: Request): Promise<Principal | null>;
 *
 * export const app = new Hono().route(
 *   "/api/chat",
 *   aiSdkChat(countersign, {
 *     authenticate: session,
 *     startRun: ({ id, threadId, text }) =>
 *       inngest.send({ id, name: "chat/message", data: { threadId, text } }),
 *   }),
 * );
 * ```
 */
export function aiSdkChat(countersign: Countersign, options: ChatOptions): Hono<ApiEnv> {
  const { app, view, send, answer, follow } = chatApp(countersign, options);
  const { urlOf } = view;

  app.post("/", async (c) => {
    const body = parseOrRefuse(chatRequest, await c.req.json().catch(() => undefined), "body");
    if (body.trigger === "regenerate-message") {
      throw refusedField(
        "trigger",
        "a message cannot be answered again: its calls may have run. Send a new one",
      );
    }
    const last = parseOrRefuse(lastMessage, body.messages.at(-1), "messages");
    if (last.role === "user") {
      const text = userText(last);
      if (text.trim() === "") throw refusedField("messages", "the last message must have text");
      return send(c, body.id, { id: last.id, text }, uiMessageStream({ urlOf, messageId: null }));
    }
    const { turn, refusals } = await answer(c, body.id, answersIn(last));
    const shown = turn?.id === last.id ? shownByClient(last) : undefined;
    return follow(c, body.id, uiMessageStream({ urlOf, refusals, shown, messageId: last.id }));
  });

  app.get("/:id", async (c) => {
    c.header("cache-control", "no-store");
    return c.json(await uiMessages(countersign, c.req.param("id"), c.get("principal"), options));
  });

  app.get("/:id/stream", async (c) => {
    const threadId = c.req.param("id");
    const isBegun = await hasTurn(threadId, c.get("principal"));
    return isBegun ? follow(c, threadId, uiMessageStream({ urlOf, messageId: null })) : c.body(null, 204);
  });

  app.get("/:id/decided", async (c) => {
    const threadId = c.req.param("id");
    const given = { approval: c.req.queries("approval"), undoable: c.req.queries("undoable") };
    const watched = parseOrRefuse(decidedQuery, given, "query");
    const isBegun = await hasTurn(threadId, c.get("principal"));
    return isBegun ? follow(c, threadId, decidedStream(watched)) : c.body(null, 204);
  });

  return app;

  /** Whether there is a turn to show, or a run that is about to begin one. */
  async function hasTurn(threadId: string, reader: Principal): Promise<boolean> {
    const { threads } = countersign;
    const turn = await threads.readLastTurn(threadId, reader).catch(unlessNotFound);
    if (turn !== null) return turn !== undefined;
    const thread = await threads.read(threadId, reader, { limit: 1 }).catch(unlessNotFound);
    return thread?.status === "running";
  }
}

/**
 * The messages of a chat for `messages` of `useChat`: texts, calls with their approvals and results, and
 * `data-countersign` parts, as its stream sends them. Only what this reader may see, with the thread's redactions. A
 * thread that does not exist, or that they may not see, has no messages. Reads the latest 200 messages of the thread.
 *
 * Of a turn that is not over, there is only the user's message: with `resume: true`, the stream adds the response.
 *
 * @param reader A verified principal, never one that the browser named.
 *
 * @example
 * ```ts
 * import type { Countersign, Principal } from "countersign";
 * import { uiMessages } from "@countersign/chat/ai-sdk";
 *
 * declare const countersign: Countersign;
 *
 * export const initialMessages = (threadId: string, reader: Principal) =>
 *   uiMessages(countersign, threadId, reader, { inboxUrl: "https://desk.example.com/inbox" });
 * ```
 */
export async function uiMessages(
  countersign: Countersign,
  threadId: string,
  reader: Principal,
  options: Pick<ChatOptions, "inboxUrl" | "fullViewRoles"> = {},
): Promise<ChatUIMessage[]> {
  const { fullViewRoles, urlOf } = chatView(options);
  const read = readChatTurns(countersign, threadId, reader, { fullViewRoles });
  return uiMessagesOf((await read.catch(unlessNotFound)) ?? [], { urlOf });
}

/** A chat that nobody has written into yet, or that this reader may not see. */
function unlessNotFound(error: unknown): undefined {
  if (CountersignError.isInstance(error) && error.code === "thread_not_found") return undefined;
  throw error;
}
