import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { parseOrRefuse } from "@countersign/policy/internal/shared/parse-or-refuse";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Countersign } from "countersign";
import type { ApiEnv } from "countersign/hono";
import { decideByCall, storeVerbs } from "countersign/internal";
import type { Context, Hono } from "hono";
import { type ChatOptions, chatApp, threadKeyOf, threadNotFound } from "./turn/chat-app.js";
import {
  cancelled,
  newThread,
  sentDecision,
  sentMessage,
  threadsQuery,
  tokenRequest,
} from "./use-agent/requests.js";
import { historyOf } from "./use-agent/thread-history.js";

export type { ApiEnv, RateLimit } from "countersign/hono";
export type { ChatMessage } from "./turn/chat-app.js";
export type { HistoryMessage } from "./use-agent/thread-history.js";

export interface AgentKitChatOptions
  extends Pick<ChatOptions, "authenticate" | "startRun" | "fullViewRoles" | "rateLimit"> {
  /**
   * Returns what the browser needs to subscribe, such as a token of `inngest.realtime.token`. The channel must belong
   * to this principal, or to this thread. The thread is theirs or does not exist yet. Names that the browser sends are
   * ignored. Two tenants may have the same ids of threads and of principals, so name channels by `threadKey`, or by
   * `tenantId` and `id` of the principal.
   */
  realtimeToken: (subscriber: {
    principal: Principal;
    threadId: string | null;
    threadKey: string | null;
  }) => Promise<object>;
  /**
   * Cancels the thread's run, for the hook's `cancel`. Another tenant may have a thread with the same id, so find the
   * run by `threadKey`, which `startRun` gets too. @default the request is refused
   */
  cancelRun?: (thread: { threadId: string; threadKey: string; principal: Principal }) => Promise<unknown>;
  /**
   * Accepts decisions without a digest, as the hook alone sends them. The decision then applies to the call with this
   * id, whatever arguments the person saw. Not needed with `@countersign/chat/use-agent/client`.
   * @default false
   */
  approveWithoutDigest?: boolean;
}

/** The approvals API is mounted beside these. */
const ownPaths = ["/chat/*", "/realtime/token", "/threads/*", "/approve-tool"];

/** Maximum number of entries of a thread that the hook gets. The hook does not support pages. */
const maxEntries = 200;

/**
 * The server's side of `useAgents` of `@inngest/use-agent`: the addresses of its default transport, to mount at `/api`.
 * The user is always that of the session. The user and the channel that the client names are ignored.
 *
 * @throws CountersignError `invalid_option` if `authenticate`, `startRun` or `realtimeToken` is missing.
 *
 * @example
 * ```ts
 * import { Hono } from "hono";
 * import type { Inngest } from "inngest";
 * import type { Countersign, Principal } from "countersign";
 * import { agentKitChat } from "@countersign/chat/use-agent";
 *
 * declare const countersign: Countersign;
 * declare const inngest: Inngest;
 * declare function session(request: Request): Promise<Principal | null>;
 *
 * export const app = new Hono().route(
 *   "/api",
 *   agentKitChat(countersign, {
 *     authenticate: session,
 *     startRun: ({ id, threadId, text, principal: { tenantId, id: userId } }) =>
 *       inngest.send({ id, name: "chat/message", data: { threadId, text, tenantId, userId } }),
 *     realtimeToken: ({ principal: { tenantId, id } }) =>
 *       inngest.realtime.token({ channel: `user:${tenantId}:${id}`, topics: ["agent_stream"] }),
 *   }),
 * );
 * ```
 */
export function agentKitChat(countersign: Countersign, options: AgentKitChatOptions): Hono<ApiEnv> {
  if (typeof options?.realtimeToken !== "function") {
    throw new CountersignError("invalid_option", "realtimeToken: must be a function");
  }
  const { realtimeToken, cancelRun, approveWithoutDigest = false } = options;
  const { app, begin, view } = chatApp(countersign, options, {
    paths: ownPaths,
    describe: withMessage,
  });
  const { threads } = countersign;
  const store = storeVerbs(countersign.store);

  app.post("/chat", async (c) => {
    const { threadId, userMessage } = parseOrRefuse(sentMessage, await bodyOf(c), "body");
    await begin(c.get("principal"), threadId, { id: userMessage.id, text: userMessage.content });
    return c.json({ success: true, threadId });
  });

  app.post("/chat/cancel", async (c) => {
    const { threadId } = parseOrRefuse(cancelled, await bodyOf(c), "body");
    const principal = c.get("principal");
    if (!cancelRun) throw new CountersignError("not_found", "This chat cannot cancel runs");
    const thread = await store.getThread(principal.tenantId, threadId);
    if (thread?.ownerId !== principal.id) throw threadNotFound(threadId);
    await cancelRun({ threadId, threadKey: threadKeyOf(principal, threadId), principal });
    return c.body(null, 204);
  });

  app.post("/realtime/token", async (c) => {
    const { threadId = null } = parseOrRefuse(tokenRequest, await bodyOf(c), "body");
    const principal = c.get("principal");
    if (threadId !== null) {
      const thread = await store.getThread(principal.tenantId, threadId);
      // The thread does not exist before its first message. A thread that a run without a requester began belongs to
      // nobody.
      if (thread && thread.ownerId !== principal.id) throw threadNotFound(threadId);
    }
    const threadKey = threadId === null ? null : threadKeyOf(principal, threadId);
    return c.json(await realtimeToken({ principal, threadId, threadKey }));
  });

  app.get("/threads", async (c) => {
    const { limit, offset } = parseOrRefuse(threadsQuery, c.req.query(), "query");
    const { threads: found, total } = await threads.page(c.get("principal"), { limit, offset });
    return c.json({
      threads: found.map(({ id, title, entries, createdAt, updatedAt }) => ({
        id,
        title: title ?? "New conversation",
        messageCount: entries,
        lastMessageAt: updatedAt.toISOString(),
        createdAt: createdAt.toISOString(),
        updatedAt: updatedAt.toISOString(),
      })),
      hasMore: offset + found.length < total,
      total,
    });
  });

  app.post("/threads", async (c) => {
    const { title } = parseOrRefuse(newThread, await bodyOf(c), "body");
    const { threadId } = await threads.open({ owner: c.get("principal") });
    return c.json({ threadId, title: title ?? "New conversation" });
  });

  app.get("/threads/:id", async (c) => {
    const reader = c.get("principal");
    const seesEverything = view.seesEverything(reader);
    const found = await threads.readEntries(c.req.param("id"), reader, { seesEverything, limit: maxEntries });
    return c.json({ messages: historyOf(found) });
  });

  app.post("/approve-tool", async (c) => {
    const decision = parseOrRefuse(sentDecision, await bodyOf(c), "body");
    await decideByCall(countersign, c.get("principal"), decision, { approveWithoutDigest });
    return c.body(null, 204);
  });

  return app;
}

const bodyOf = (c: Context): Promise<unknown> => c.req.json().catch(() => undefined);

/** The hook shows the `message` field of an error response. */
async function withMessage(response: Response): Promise<Response> {
  const problem = (await response.json()) as { detail?: string; title: string };
  return new Response(JSON.stringify({ ...problem, message: problem.detail ?? problem.title }), response);
}
