import type { Hono } from "hono";
import type { ApiEnv } from "./api/api-env.js";
import { parseOrRefuse, refusedField } from "./api/problem.js";
import { answersIn, chatRequest, lastMessage, shownByClient, userText } from "./chat/ai-sdk/chat-request.js";
import { uiMessageStream } from "./chat/ai-sdk/ui-message-stream.js";
import { type ChatOptions, chatApp } from "./chat/chat-app.js";
import type { Countersign } from "./instance/countersign.js";
import { CountersignError } from "./shared/errors.js";

export type { ApiEnv } from "./api/api-env.js";
export type { ChatMessage, ChatOptions } from "./chat/chat-app.js";
export type { ApprovalDescriptor, ChatApproval } from "./chat/chat-approval.js";

/**
 * The server's side of the AI SDK's `useChat`, for `ai` 6 and 7: `POST /` takes messages and decisions, and
 * `GET /:id/stream` resumes a chat. The chat's id is the thread's id. Mount it as the `api` of `DefaultChatTransport`.
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
 * import { aiSdkChat } from "countersign/ai-sdk";
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
  const { app, urlOf, send, answer, follow } = chatApp(countersign, options);

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

  app.get("/:id/stream", async (c) => {
    const threadId = c.req.param("id");
    const turn = await countersign.threads
      .readLastTurn(threadId, c.get("principal"))
      .catch((error: unknown) => {
        // A chat that nobody has written into yet.
        if (CountersignError.isInstance(error) && error.code === "thread_not_found") return null;
        throw error;
      });
    if (!turn || turn.status === "done" || turn.status === "failed") return c.body(null, 204);
    return follow(c, threadId, uiMessageStream({ urlOf, messageId: null }));
  });

  return app;
}
