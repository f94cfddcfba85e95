import { parseOrRefuse, refusedField } from "@countersign/policy/internal/shared/parse-or-refuse";
import type { Countersign } from "countersign";
import type { ApiEnv } from "countersign/hono";
import type { Hono } from "hono";
import { eventStream } from "./ag-ui/event-stream.js";
import { answersOf, runAgentInput, shownByClient, textOf } from "./ag-ui/run-agent-input.js";
import { type ChatOptions, chatApp } from "./turn/chat-app.js";

export type { ApiEnv, RateLimit } from "countersign/hono";
export type { ChatMessage, ChatOptions } from "./turn/chat-app.js";
export type { ChatApproval } from "./turn/chat-approval.js";

/**
 * An AG-UI 1.0 agent over server-sent events: `POST /` with a `RunAgentInput`. A call that this user may decide ends the
 * run with an interrupt; the next run's `resume` answers it. An interrupt's id carries the digest of the call that was
 * shown. Its answer is `{ approved, reason?, editedArguments? }`, or for a question of the agent
 * `{ action: "accept", content }`.
 *
 * @throws CountersignError `invalid_option` if `authenticate` or `startRun` is missing.
 *
 * @example
 * ```ts
 * import { Hono } from "hono";
 * import type { Inngest } from "inngest";
 * import type { Countersign, Principal } from "countersign";
 * import { agUi } from "@countersign/chat/ag-ui";
 *
 * declare const countersign: Countersign;
 * declare const inngest: Inngest;
 * declare function session(request: Request): Promise<Principal | null>;
 *
 * export const app = new Hono().route(
 *   "/api/agent",
 *   agUi(countersign, {
 *     authenticate: session,
 *     startRun: ({ id, threadId, text }) =>
 *       inngest.send({ id, name: "chat/message", data: { threadId, text } }),
 *   }),
 * );
 * ```
 */
export function agUi(countersign: Countersign, options: ChatOptions): Hono<ApiEnv> {
  const { app, view, send, answer, follow } = chatApp(countersign, options);
  const { urlOf } = view;

  app.post("/", async (c) => {
    const input = parseOrRefuse(runAgentInput, await c.req.json().catch(() => undefined), "body");
    const { threadId, resume = [] } = input;
    const last = input.messages.at(-1);
    const stream = (refusals: ReadonlyMap<string, string>) =>
      eventStream({ input, shown: shownByClient(input), refusals, urlOf });
    if (resume.length === 0 && last?.role === "user") {
      const text = textOf(last);
      if (text.trim() === "") throw refusedField("messages", "the last message must have text");
      return send(c, threadId, { id: last.id || input.runId, text }, stream(new Map()));
    }
    const { refusals } = await answer(c, threadId, answersOf(input));
    return follow(c, threadId, stream(refusals));
  });

  return app;
}
