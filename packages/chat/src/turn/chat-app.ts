import { checkedPrincipals } from "@countersign/policy/internal/shared/authenticate";
import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import { refusedField } from "@countersign/policy/internal/shared/parse-or-refuse";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Countersign } from "countersign";
import type { ApiEnv, Authenticate, RateLimit } from "countersign/hono";
import { eventIdOf, ownRoutes, requestLimits, storeVerbs } from "countersign/internal";
import type { LastTurn } from "countersign/types";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ChatAnswer } from "./chat-answer.js";
import { recordAnswers } from "./record-answers.js";
import { type ChatProtocol, streamChat } from "./stream-chat.js";
import { createThreadFeed } from "./thread-feed.js";

/** A person's message, for the run that answers it. */
export interface ChatMessage {
  /**
   * An id of this message: the same if the client sends it again, and different for another text. Use it as the `id` of
   * the Inngest event, so that a repeated message does not start a second run.
   */
  id: string;
  /** Chosen by the client, and unique only within the principal's tenant. */
  threadId: string;
  /** Identifies the thread among those of all tenants, for names of your own: of channels, or of runs to cancel. */
  threadKey: string;
  text: string;
  principal: Principal;
}

/** What the server's side of a chat needs, whatever its protocol. */
export interface ChatOptions {
  /** Returns the principal of a request, from a verified session or token, or `null` if there is none. */
  authenticate: Authenticate;
  /**
   * Starts the agent's run, for example by sending an event to Inngest. The thread already exists and belongs to the
   * principal.
   */
  startRun: (message: ChatMessage) => Promise<unknown>;
  /** Where the inbox is, for links to approvals. @default none: no links */
  inboxUrl?: string;
  /** Roles that see redacted arguments. @default [] (nobody) */
  fullViewRoles?: readonly string[];
  /**
   * Milliseconds between heartbeats. Each heartbeat authenticates the request again and reads the current roles.
   * @default 15,000
   */
  heartbeatMs?: number;
  /** Maximum requests per principal to this process; `false` for no limit. @default 1,200 a minute */
  rateLimit?: RateLimit | false;
}

/** Maximum size of a request. Some clients send all messages of the chat each time. */
const maxBodyBytes = 4 * 1024 * 1024;

/** A message as the client sends it, with the id that the client gave it. */
export interface SentMessage {
  id: string;
  text: string;
}

/** Maximum number of calls that one request can answer: as many as a chat shows. */
const maxAnswers = 200;

/** Number of the latest entries of a thread that are searched for a repeated message. */
const maxRepeated = 50;

/** How an app stands among others. */
interface Place {
  /** The app's own paths: its rate limit counts no requests to others. @default all */
  paths?: readonly string[];
  /** Changes what describes an error. @default unchanged */
  describe?: (problem: Response) => Response | Promise<Response>;
}

/** What the protocols of chats share. */
export interface ChatApp {
  app: Hono<ApiEnv>;
  view: ChatView;
  /**
   * Opens the thread, and starts a run for a message, unless a run has already begun to answer it.
   * @throws CountersignError `run_not_started` if `startRun` throws. The thread is then as before.
   */
  begin(principal: Principal, threadId: string, message: SentMessage): Promise<void>;
  /** Like `begin`, and streams the turn that the message begins. */
  send(c: Context<ApiEnv>, threadId: string, message: SentMessage, protocol: ChatProtocol): Promise<Response>;
  /** Records the first answer to each call. Returns the latest turn, and why some answers were not recorded. */
  answer(
    c: Context<ApiEnv>,
    threadId: string,
    answers: readonly ChatAnswer[],
  ): Promise<{ turn: LastTurn | null; refusals: Map<string, string> }>;
  /** Streams the latest turn. */
  follow(c: Context<ApiEnv>, threadId: string, protocol: ChatProtocol): Response;
}

/** What a reader sees of a chat besides the conversation. */
export interface ChatView {
  /** The address of an approval in the inbox; `null` without `inboxUrl`. */
  urlOf(approvalId: string): string | null;
  /** Whether nothing is redacted for this reader. */
  seesEverything(reader: Principal): boolean;
  fullViewRoles: readonly string[];
}

export function chatView({
  inboxUrl,
  fullViewRoles = [],
}: Pick<ChatOptions, "inboxUrl" | "fullViewRoles">): ChatView {
  const inbox = inboxUrl?.replace(/\/+$/, "");
  return {
    urlOf: (approvalId) =>
      inbox === undefined ? null : `${inbox}/approvals/${encodeURIComponent(approvalId)}`,
    seesEverything: ({ roles }) => roles.some((role) => fullViewRoles.includes(role)),
    fullViewRoles,
  };
}

/** Creates the app of a chat, in which a protocol registers its routes. */
export function chatApp(
  countersign: Countersign,
  options: ChatOptions,
  { paths = ["*"], describe }: Place = {},
): ChatApp {
  for (const name of ["authenticate", "startRun"] as const) {
    if (typeof options?.[name] !== "function") {
      throw new CountersignError("invalid_option", `${name}: must be a function`);
    }
  }
  const { startRun, heartbeatMs = 15_000 } = options;
  const authenticate = checkedPrincipals(countersign, options.authenticate);
  const view = chatView(options);
  const store = storeVerbs(countersign.store);
  const feed = createThreadFeed(store);
  const open = requestLimits(false).streams("chats");
  const { rateLimit } = options;
  const { logger } = countersign;
  const app = ownRoutes(new Hono<ApiEnv>(), {
    authenticate,
    rateLimit,
    paths,
    maxBodyBytes,
    bodyLimit,
    logger,
    describe,
  });

  const stream = (
    c: Context<ApiEnv>,
    chat: { threadId: string; afterTurn: string | null; protocol: ChatProtocol; onEnd: () => void },
  ) => {
    const reader = c.get("principal");
    return streamChat({
      ...chat,
      countersign,
      feed,
      reader,
      fullViewRoles: view.fullViewRoles,
      heartbeatMs,
      async signedInNow() {
        const now = await authenticate(c.req.raw);
        return now?.id === reader.id && now.tenantId === reader.tenantId ? now : undefined;
      },
    });
  };

  return {
    app,
    view,
    async begin(principal, threadId, message) {
      await begin(principal, threadId, message);
    },
    async send(c, threadId, message, protocol) {
      const principal = c.get("principal");
      // Checked before anything is written: if the chat may not be opened, no run must start.
      const onEnd = open.enter(principal);
      try {
        const afterTurn = await begin(principal, threadId, message);
        return stream(c, { threadId, afterTurn, protocol, onEnd });
      } catch (error) {
        onEnd();
        throw error;
      }
    },
    async answer(c, threadId, answers) {
      const principal = c.get("principal");
      const first = new Map(answers.toReversed().map((answer) => [answer.approvalId, answer]));
      if (first.size > maxAnswers) {
        throw refusedField("body", `must not answer more than ${maxAnswers} calls`);
      }
      // Refuses a thread that this person may not see.
      const turn = await countersign.threads.readLastTurn(threadId, principal);
      const own = { threadId, principal, answers: [...first.values()].reverse() };
      return { turn, refusals: await recordAnswers(countersign, own) };
    },
    follow: (c, threadId, protocol) =>
      stream(c, { threadId, afterTurn: null, protocol, onEnd: open.enter(c.get("principal")) }),
  };

  /** Starts a run for a message. Returns the turn before it, or `null` if a run has begun to answer this message. */
  async function begin(principal: Principal, threadId: string, sent: SentMessage): Promise<string | null> {
    const { tenantId } = principal;
    const { text } = sent;
    const id = derivedId("chat", tenantId, threadId, principal.id, sent.id, text);
    const thread = await store.getThread(tenantId, threadId);
    if (thread?.ownerId === principal.id) {
      const { entries } = await store.readConversation({ tenantId, threadId, limit: maxRepeated });
      if (entries.some(({ kind, bodyJson }) => kind === "user" && eventIdOf(bodyJson) === id)) return null;
    }
    // A chat chooses its own id, so the first message creates the thread.
    if (!(await store.openThread({ tenantId, id: threadId, ownerId: principal.id, runId: null })))
      throw threadNotFound(threadId);
    const before = await countersign.threads.readLastTurn(threadId, principal);
    try {
      await startRun({ id, threadId, threadKey: threadKeyOf(principal, threadId), text, principal });
    } catch (cause) {
      // No run will end this thread, so end it here. If another one works in it, leave it as it is.
      if (thread?.status !== "running") {
        const status = thread?.status === "failed" ? "failed" : "done";
        await store.endThread(tenantId, threadId, null, status);
      }
      if (CountersignError.isInstance(cause)) throw cause;
      countersign.logger.error("A chat's run could not be started", { threadId, error: nameOfThrown(cause) });
      throw new CountersignError(
        "run_not_started",
        "The agent could not be reached, and your message was not sent. Send it again",
        { cause },
      );
    }
    return before?.id ?? null;
  }
}

/** Two tenants may have threads with the same id. */
export function threadKeyOf({ tenantId }: Principal, threadId: string): string {
  return derivedId("thread", tenantId, threadId);
}

export function threadNotFound(id: string): CountersignError {
  return new CountersignError("thread_not_found", `Thread "${id}" does not exist, or you may not see it`);
}
