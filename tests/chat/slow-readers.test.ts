import { randomUUID } from "node:crypto";
import { get, type IncomingMessage } from "node:http";
import { type Countersign, createCountersign, definePolicy, type Principal } from "countersign";
import { aiSdkChat } from "countersign/ai-sdk";
import { Inngest } from "inngest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { listenOn } from "../support/http/listen-on.js";
import { postgresStore, type Store } from "../support/store.js";

const tenantId = "acme";

interface ChatServer {
  url: string;
  app: ReturnType<typeof aiSdkChat>;
  /** People who have signed out. */
  signedOut: Set<string>;
}

let database: Awaited<ReturnType<typeof freshPostgres>>;
let store: Store;
beforeAll(async () => {
  database = await freshPostgres(8);
  store = postgresStore({ client: database.postgres });
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

/** Chats over HTTP; the bearer token is the person's id. */
async function serveChats(heartbeatMs: number, read = store): Promise<ChatServer & AsyncDisposable> {
  const countersign: Countersign = createCountersign({
    inngest: new Inngest({
      id: "chats",
      isDev: true,
      baseUrl: "http://engine.invalid",
      fetch: async () => Response.json({ ids: ["sent"], status: 200 }),
    }),
    store: read,
    policy: definePolicy({ tools: {} }),
    tenantId,
  });
  const signedOut = new Set<string>();
  const app = aiSdkChat(countersign, {
    authenticate: (request): Principal | null => {
      const id = request.headers.get("authorization") ?? "";
      return signedOut.has(id) ? null : { id, tenantId, roles: [] };
    },
    startRun: async () => {},
    heartbeatMs,
  });
  const server = await listenOn(async (request) => app.fetch(request));
  return { url: server.url, app, signedOut, [Symbol.asyncDispose]: async () => void server.close() };
}

/** A thread whose turn goes on. */
async function newThread(ownerId: string): Promise<string> {
  const id = randomUUID();
  await store.openThread({ tenantId, id, ownerId, runId: "run" });
  const bodyJson = JSON.stringify({ content: "Hello" });
  await store.beginTurn({ tenantId, threadId: id, runId: "run", key: "user:1", bodyJson });
  return id;
}

async function say(threadId: string, content: string): Promise<void> {
  const output = [{ type: "text", role: "assistant", content }];
  const bodyJson = JSON.stringify({ agentName: "support", output, toolCalls: [], createdAt: new Date() });
  await store.appendEntries(tenantId, threadId, [
    { runId: "run", kind: "result", key: `result:${randomUUID()}`, bodyJson },
  ]);
}

interface OpenChat extends Disposable {
  response: IncomingMessage;
  text(): string;
  isClosed(): boolean;
}

async function open({ url }: ChatServer, person: string, threadId: string): Promise<OpenChat> {
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

describe("A reader of a chat who does not read", () => {
  it("causes no reads, and gets one frame with all that happened when it reads again", async () => {
    let reads = 0;
    const counted: Store = {
      ...store,
      readConversation(filter) {
        reads += 1;
        return store.readConversation(filter);
      },
    };
    await using server = await serveChats(60_000, counted);
    const threadId = await newThread("slow");
    const response = await server.app.request(`/${threadId}/stream`, { headers: { authorization: "slow" } });
    const reader = response.body?.getReader();
    await reader?.read();
    const before = reads;
    for (let n = 0; n < 40; n++) await say(threadId, `Text ${n}.`);
    using other = await open(server, "other", await newThread("other"));
    await eventually(() => other.text() || undefined, "another chat");
    expect(reads - before).toBeLessThanOrEqual(2);

    const { value } = (await reader?.read()) ?? {};
    const frame = new TextDecoder().decode(value);
    expect([frame.includes("Text 0."), frame.includes("Text 39.")]).toEqual([true, true]);
    await reader?.cancel();
  });

  it("is disconnected, and delays nobody", async () => {
    await using server = await serveChats(1000);
    const slowThread = await newThread("slow");
    const otherThread = await newThread("other");
    using slow = await open(server, "slow", slowThread);
    using other = await open(server, "other", otherThread);
    slow.response.pause();

    // More than the sockets of both sides hold.
    const large = "x".repeat(1024 * 1024);
    for (let n = 0; n < 40; n++) await say(slowThread, `${n} ${large}`);

    const at = performance.now();
    await say(otherThread, "Still heard");
    await eventually(() => other.text().includes("Still heard") || undefined, "the other to hear");
    expect(performance.now() - at).toBeLessThan(3000);

    // Its place is free again: the server has let go of it without being read.
    const ownThread = await newThread("slow");
    const chats: OpenChat[] = [];
    await eventually(async () => {
      const chat = await open(server, "slow", ownThread);
      chats.push(chat);
      return chats.filter(({ response }) => response.statusCode === 200).length >= 20 || undefined;
    }, "the slow reader to be disconnected");
    for (const chat of chats) chat[Symbol.dispose]();
    slow.response.resume();
    await eventually(() => slow.isClosed() || undefined, "the slow reader to notice");
    expect(slow.text().length).toBeLessThan(20 * large.length);
    expect(other.isClosed()).toBe(false);
  });
});

describe("A chat", () => {
  it("ends after signing out, while changes go on", async () => {
    await using server = await serveChats(300);
    const threadId = await newThread("ada");
    using chat = await open(server, "ada", threadId);
    await say(threadId, "First");
    await eventually(() => chat.text().includes("First") || undefined, "the first text");
    server.signedOut.add("ada");
    let n = 0;
    await eventually(async () => {
      n += 1;
      await say(threadId, `Text ${n}.`);
      return chat.isClosed() || undefined;
    }, "the stream to end");
    await say(threadId, "Secret");
    expect(chat.text()).not.toContain("Secret");
  });

  it("may have twenty chats open, and another when one of them has closed", async () => {
    await using server = await serveChats(60_000);
    const threadId = await newThread("ada");
    const opened: OpenChat[] = [];
    for (let n = 0; n < 20; n++) opened.push(await open(server, "ada", threadId));
    using refused = await open(server, "ada", threadId);
    expect(refused.response.statusCode).toBe(429);
    opened[0]?.[Symbol.dispose]();
    await eventually(async () => {
      using again = await open(server, "ada", threadId);
      return again.response.statusCode === 200 || undefined;
    }, "room for another");
    for (const chat of opened) chat[Symbol.dispose]();
  });
});
