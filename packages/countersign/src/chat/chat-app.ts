import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ApiEnv } from "../api/api-env.js";
import { problemResponse } from "../api/problem.js";
import type { LastTurn } from "../history/read-last-turn.js";
import type { Countersign } from "../instance/countersign.js";
import { CountersignError } from "../shared/errors.js";
import { type Principal, principalSchema } from "../shared/principal.js";
import { storeVerbs } from "../store/store.js";
import { limitStreams } from "./limit-streams.js";
import { type ChatAnswer, recordAnswers } from "./record-answers.js";
import { type ChatProtocol, streamChat } from "./stream-chat.js";
import { createThreadFeed } from "./thread-feed.js";

/** A person's message, for the run that answers it. */
export interface ChatMessage {
  threadId: string;
  text: string;
  principal: Principal;
}

/** What the server's side of a chat needs, whatever its protocol. */
export interface ChatOptions {
  /** Returns the principal of a request, from a verified session or token, or `null` if there is none. */
  authenticate: (request: Request) => Principal | null | Promise<Principal | null>;
  /** Starts the agent's run, for example by sending an event to Inngest. The thread exists and is the principal's. */
  startRun: (message: ChatMessage) => Promise<unknown>;
  /** Where the inbox is, for links to approvals. @default none: no links */
  inboxUrl?: string;
  /** Roles that see redacted arguments. @default [] (nobody) */
  fullViewRoles?: readonly string[];
  /** Milliseconds between heartbeats, each of which also authenticates again and takes the present roles. @default 15,000 */
  heartbeatMs?: number;
}

/** Maximum size of a request: a chat posts all its messages. */
const maxBodyBytes = 4 * 1024 * 1024;

/** One conversation in a protocol, below its routes. */
export interface ChatApp {
  app: Hono<ApiEnv>;
  urlOf(approvalId: string): string | null;
  /** Opens the thread, and starts a run for a message. */
  begin(principal: Principal, threadId: string, text: string): Promise<void>;
  /** The same, and streams the turn that the message begins. */
  send(c: Context<ApiEnv>, threadId: string, text: string, protocol: ChatProtocol): Promise<Response>;
  /** Records answers, and says why some were not recorded; the turn is the latest. */
  answer(
    c: Context<ApiEnv>,
    threadId: string,
    answers: readonly ChatAnswer[],
  ): Promise<{ turn: LastTurn | null; refusals: Map<string, string> }>;
  /** Streams the latest turn. */
  follow(c: Context<ApiEnv>, threadId: string, protocol: ChatProtocol): Response;
}

/** An app that authenticates each request, before it reads the body. */
export function chatApp(countersign: Countersign, options: ChatOptions): ChatApp {
  for (const name of ["authenticate", "startRun"] as const) {
    if (typeof options?.[name] !== "function") {
      throw new CountersignError("invalid_option", `${name}: must be a function`);
    }
  }
  const { authenticate, startRun, fullViewRoles = [], heartbeatMs = 15_000 } = options;
  const feed = createThreadFeed(storeVerbs(countersign.store));
  const open = limitStreams();
  const inboxUrl = options.inboxUrl?.replace(/\/+$/, "");
  const app = new Hono<ApiEnv>();
  app.onError((error, c) => problemResponse(c, error, countersign.logger));
  app.use("*", async (c, next) => {
    const principal = await authenticate(c.req.raw);
    if (!principal) throw new CountersignError("unauthenticated", "Send a valid token or sign in");
    c.set("principal", principalSchema.parse(principal));
    await next();
  });
  app.use(
    "*",
    bodyLimit({
      maxSize: maxBodyBytes,
      onError: () => {
        throw new CountersignError("too_large", `The body must not exceed ${maxBodyBytes} bytes`);
      },
    }),
  );

  const stream = (
    c: Context<ApiEnv>,
    chat: { threadId: string; afterTurn: string | null; protocol: ChatProtocol },
  ) => {
    const reader = c.get("principal");
    return streamChat({
      ...chat,
      onEnd: open.enter(reader),
      countersign,
      feed,
      reader,
      seesEverything: ({ roles }) => roles.some((role) => fullViewRoles.includes(role)),
      heartbeatMs,
      async signedInNow() {
        const now = await authenticate(c.req.raw);
        const isSame = now?.id === reader.id && now.tenantId === reader.tenantId;
        return isSame ? principalSchema.parse(now) : undefined;
      },
    });
  };

  return {
    app,
    urlOf: (approvalId) =>
      inboxUrl === undefined ? null : `${inboxUrl}/approvals/${encodeURIComponent(approvalId)}`,
    async begin(principal, threadId, text) {
      await openThread(countersign, threadId, principal);
      await startRun({ threadId, text, principal });
    },
    async send(c, threadId, text, protocol) {
      const principal = c.get("principal");
      await openThread(countersign, threadId, principal);
      const before = await countersign.threads.readLastTurn(threadId, principal);
      await startRun({ threadId, text, principal });
      return stream(c, { threadId, afterTurn: before?.id ?? null, protocol });
    },
    async answer(c, threadId, answers) {
      const principal = c.get("principal");
      // Refuses a thread that this person may not see.
      const turn = await countersign.threads.readLastTurn(threadId, principal);
      return { turn, refusals: await recordAnswers(countersign, { threadId, principal, answers }) };
    },
    follow: (c, threadId, protocol) => stream(c, { threadId, afterTurn: null, protocol }),
  };
}

/** A chat chooses its own id, so the first message creates the thread. */
async function openThread({ store }: Countersign, id: string, owner: Principal): Promise<void> {
  const thread = await storeVerbs(store).openThread({
    tenantId: owner.tenantId,
    id,
    ownerId: owner.id,
    runId: null,
  });
  if (!thread) {
    throw new CountersignError("thread_not_found", `Thread "${id}" does not exist, or you may not see it`);
  }
}
