import { randomUUID } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { agUi } from "@countersign/chat/ag-ui";
import { aiSdkChat, type ChatOptions } from "@countersign/chat/ai-sdk";
import { type AgentKitChatOptions, agentKitChat } from "@countersign/chat/use-agent";
import { type Countersign, createCountersign, definePolicy, type Principal } from "countersign";
import { Hono } from "hono";
import { Inngest } from "inngest";
import { listenOn } from "../http/listen-on.js";
import type { Store } from "../store.js";

export const tenantId = "acme";

export interface ChatServer {
  /** The address of the AI SDK's chat. */
  url: string;
  app: ReturnType<typeof aiSdkChat>;
  countersign: Countersign;
  /** Sends JSON to a path below the server: `/ai`, `/ag-ui` or `/api`. */
  post(person: string, path: string, body: unknown): Promise<Response>;
  /** People who have signed out. */
  signedOut: Set<string>;
  /** The roles of people, who have none otherwise. */
  roles: Map<string, string[]>;
}

/** Chats over HTTP without an engine. The token is the person's id, for another tenant `id@tenant`. */
export async function serveChats(
  store: Store,
  {
    cancelRun,
    realtimeToken = async () => ({ key: "token" }),
    ...options
  }: Partial<ChatOptions & Pick<AgentKitChatOptions, "cancelRun" | "realtimeToken">> = {},
): Promise<ChatServer & AsyncDisposable> {
  const countersign: Countersign = createCountersign({
    inngest: new Inngest({
      id: "chats",
      isDev: true,
      baseUrl: "http://engine.invalid",
      fetch: async () => Response.json({ ids: ["sent"], status: 200 }),
    }),
    store,
    policy: definePolicy({ tools: {} }),
    tenantId,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
  });
  const signedOut = new Set<string>();
  const roles = new Map<string, string[]>();
  const chat: ChatOptions = {
    authenticate: (request): Principal | null => {
      const person = request.headers.get("authorization") ?? "";
      if (signedOut.has(person)) return null;
      const [id = "", tenant = tenantId] = person.split("@");
      return { id, tenantId: tenant, roles: roles.get(person) ?? [] };
    },
    startRun: async () => {},
    ...options,
  };
  const app = aiSdkChat(countersign, chat);
  const all = new Hono()
    .route("/ai", app)
    .route("/ag-ui", agUi(countersign, chat))
    .route("/api", agentKitChat(countersign, { ...chat, realtimeToken, ...(cancelRun && { cancelRun }) }));
  const server = await listenOn(async (request) => all.fetch(request));
  return {
    url: `${server.url}/ai`,
    app,
    countersign,
    signedOut,
    roles,
    post: (person, path, body) =>
      fetch(`${server.url}${path}`, {
        method: "POST",
        headers: { authorization: person, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

/** Writes a person's message, which begins a turn of a run. */
export async function ask(store: Store, threadId: string, runId = "run", content = "Hello"): Promise<void> {
  const bodyJson = JSON.stringify({ content });
  await store.beginTurn({ tenantId, threadId, runId, key: `user:${randomUUID()}`, bodyJson });
}

/** A thread whose turn goes on. */
export async function newThread(store: Store, ownerId: string): Promise<string> {
  const id = randomUUID();
  await store.openThread({ tenantId, id, ownerId, runId: "run" });
  await ask(store, id);
  return id;
}

/** Writes an agent's response. */
export async function say(
  store: Store,
  threadId: string,
  content: string,
  { runId = "run", toolCalls = [] as object[], requestId = randomUUID() as string } = {},
): Promise<void> {
  const output = [{ type: "text", role: "assistant", content }, ...toolCalls];
  const bodyJson = JSON.stringify({ agentName: "support", output, toolCalls: [], createdAt: new Date() });
  await store.appendEntries(tenantId, threadId, [
    { runId, kind: "result", key: `result:${requestId}`, bodyJson },
  ]);
}

export interface OpenChat extends Disposable {
  response: IncomingMessage;
  text(): string;
  isClosed(): boolean;
}

export async function openChat({ url }: ChatServer, person: string, threadId: string): Promise<OpenChat> {
  const request = get(`${url}/${threadId}/stream`, { headers: { authorization: person }, agent: false });
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve).on("error", reject);
  });
  let text = "";
  let closed = false;
  response.setEncoding("utf8");
  response.on("data", (part: string) => {
    text += part;
  });
  response.on("error", () => {});
  response.on("close", () => {
    closed = true;
  });
  return { response, text: () => text, isClosed: () => closed, [Symbol.dispose]: () => request.destroy() };
}
