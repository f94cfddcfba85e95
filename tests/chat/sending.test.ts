import { randomUUID } from "node:crypto";
import { aiSdkChat } from "@countersign/chat/ai-sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newThread, openChat, serveChats, tenantId } from "../support/chat/chat-server.js";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness, principals } from "../support/harness.js";
import { listenOn } from "../support/http/listen-on.js";
import { postgresStore, type Store } from "../support/store.js";

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

const messageOf = (id: string, text: string, messageId: string = randomUUID()) => ({
  id,
  messages: [{ id: messageId, role: "user", parts: [{ type: "text", text }] }],
});

async function doneThread(): Promise<string> {
  const threadId = await newThread(store, "ada");
  await store.endThread(tenantId, threadId, "run");
  return threadId;
}

const statusOf = async (threadId: string) => (await store.getThread(tenantId, threadId))?.status;

describe("a message to a chat", () => {
  it("starts no second run when it is sent again, and streams the run that answers it", async () => {
    await using harnessDatabase = await freshPostgres();
    await using harness = await openHarness({
      database: harnessDatabase,
      tools: deskTools().tools,
      reply: inTurns({ text: "Hello, Ada." }),
    });
    const { countersign, inngest } = harness;
    const chat = aiSdkChat(countersign, {
      authenticate: () => principals.requester ?? null,
      startRun: ({ id, threadId, text }) =>
        inngest.send({ id, name: "harness/message", data: { threadId, message: text } }),
    });
    const server = await listenOn(async (request) => chat.fetch(request));
    const send = async (body: object) => {
      const init = { method: "POST", headers: { "content-type": "application/json" } };
      return (await fetch(server.url, { ...init, body: JSON.stringify(body) })).text();
    };
    const threadId = randomUUID();
    const first = await send(messageOf(threadId, "Hello", "m1"));
    expect(first).toContain("Hello, Ada.");
    expect(await send(messageOf(threadId, "Hello", "m1"))).toBe(first);
    expect(harness.model.requests).toHaveLength(1);

    expect(await send(messageOf(threadId, "Hello again", "m1"))).toContain("Hello, Ada.");
    expect(await send(messageOf(threadId, "Hello", "m2"))).toContain("Hello, Ada.");
    expect(harness.model.requests).toHaveLength(3);
    server.close();
  });

  it("starts no run when its sender has too many chats open", async () => {
    const started: string[] = [];
    await using server = await serveChats(store, { startRun: async ({ text }) => started.push(text) });
    const threadId = await newThread(store, "ada");
    const opened = await Promise.all(Array.from({ length: 20 }, () => openChat(server, "ada", threadId)));
    const { status } = await server.post("ada", "/ai", messageOf(threadId, "One more"));
    expect([status, started]).toEqual([429, []]);
    for (const chat of opened) chat[Symbol.dispose]();
  });

  it("leaves the thread's status unchanged and takes up no place when its run cannot start", async () => {
    let fails = true;
    await using server = await serveChats(store, {
      startRun: async () => {
        if (fails) throw new Error("No connection to the engine");
      },
    });
    const done = await doneThread();
    const failed = await newThread(store, "ada");
    await store.endThread(tenantId, failed, "run", "failed");
    const running = await newThread(store, "ada");
    for (let n = 0; n < 20; n++) await server.post("ada", "/ai", messageOf(done, `Try ${n}`));
    const unknown = randomUUID();
    for (const [threadId, status] of [
      [done, "done"],
      [failed, "failed"],
      [running, "running"],
      [unknown, "done"],
    ] as const) {
      const response = await server.post("ada", "/ai", messageOf(threadId, "Hello"));
      expect([response.status, (await response.json()).code]).toEqual([503, "run_not_started"]);
      expect(await statusOf(threadId)).toBe(status);
    }
    fails = false;
    expect(
      (await server.post("ada", "/api/chat", { threadId: done, userMessage: { content: "Hi" } })).status,
    ).toBe(200);
    expect(await statusOf(done)).toBe("running");
  });

  it("can be cancelled only by its owner, and without a change of the thread's status", async () => {
    const cancelled: string[] = [];
    await using server = await serveChats(store, {
      cancelRun: async ({ threadId }) => cancelled.push(threadId),
    });
    const threadId = await doneThread();
    expect((await server.post("bob", "/api/chat/cancel", { threadId })).status).toBe(404);
    expect((await server.post("ada", "/api/chat/cancel", { threadId: randomUUID() })).status).toBe(404);
    expect((await server.post("ada", "/api/chat/cancel", { threadId })).status).toBe(204);
    expect(cancelled).toEqual([threadId]);
    expect(await statusOf(threadId)).toBe("done");
  });
});

describe("a realtime token", () => {
  it("is issued for own and new threads, but not for a thread without an owner", async () => {
    await using server = await serveChats(store);
    const unowned = randomUUID();
    await store.openThread({ tenantId, id: unowned, ownerId: null, runId: "run" });
    const own = await doneThread();
    const statuses = await Promise.all(
      [own, randomUUID(), unowned].map(async (threadId) => {
        const { status } = await server.post("ada", "/api/realtime/token", { threadId });
        return status;
      }),
    );
    expect(statuses).toEqual([200, 200, 404]);
  });
});

describe("two tenants with the same ids of a thread and a person", () => {
  it("have different keys for the thread, and each tenant the same one in all callbacks", async () => {
    const keys = new Map<string, (string | null)[]>();
    const note = (principal: { tenantId: string }, key: string | null) =>
      keys.set(principal.tenantId, [...(keys.get(principal.tenantId) ?? []), key]);
    await using server = await serveChats(store, {
      startRun: async ({ principal, threadKey }) => note(principal, threadKey),
      cancelRun: async ({ principal, threadKey }) => note(principal, threadKey),
      realtimeToken: async ({ principal, threadKey }) => note(principal, threadKey),
    });
    const threadId = randomUUID();
    for (const person of ["ada", "ada@other"]) {
      const message = { threadId, userMessage: { content: "Hello" } };
      expect((await server.post(person, "/api/chat", message)).status).toBe(200);
      expect((await server.post(person, "/api/realtime/token", { threadId })).status).toBe(200);
      expect((await server.post(person, "/api/chat/cancel", { threadId })).status).toBe(204);
    }
    const [[key] = [], [other] = []] = keys.values();
    expect(key).toEqual(expect.any(String));
    expect(other).not.toBe(key);
    expect([...keys.values()]).toEqual([
      [key, key, key],
      [other, other, other],
    ]);
    expect(`${key}${other}`).not.toContain(threadId);
  });
});
