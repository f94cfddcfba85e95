import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newThread, type OpenChat, openChat, say, serveChats } from "../support/chat/chat-server.js";
import { freshPostgres } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
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

describe("a chat client that stops reading", () => {
  it("causes at most two database reads, and later gets all changes in one frame", async () => {
    let reads = 0;
    const threadId = await newThread(store, "slow");
    const counted: Store = {
      ...store,
      readConversation(filter) {
        if (filter.threadId === threadId) reads += 1;
        return store.readConversation(filter);
      },
    };
    await using server = await serveChats(counted, { heartbeatMs: 60_000 });
    const response = await server.app.request(`/${threadId}/stream`, { headers: { authorization: "slow" } });
    const reader = response.body?.getReader();
    await reader?.read();
    const before = reads;
    for (let n = 0; n < 40; n++) await say(store, threadId, `Text ${n}.`);
    using other = await openChat(server, "other", await newThread(store, "other"));
    await eventually(() => other.text() || undefined, "another chat");
    expect(reads - before).toBeLessThanOrEqual(2);

    const { value } = (await reader?.read()) ?? {};
    const frame = new TextDecoder().decode(value);
    expect([frame.includes("Text 0."), frame.includes("Text 39.")]).toEqual([true, true]);
    await reader?.cancel();
  });

  it("is disconnected and does not delay other clients", async () => {
    await using server = await serveChats(store, { heartbeatMs: 1000 });
    const slowThread = await newThread(store, "slow");
    const otherThread = await newThread(store, "other");
    using slow = await openChat(server, "slow", slowThread);
    using other = await openChat(server, "other", otherThread);
    slow.response.pause();

    // This is more than the socket buffers of both sides hold.
    const large = "x".repeat(1024 * 1024);
    for (let n = 0; n < 40; n++) await say(store, slowThread, `${n} ${large}`);

    const at = performance.now();
    await say(store, otherThread, "Still heard");
    await eventually(() => other.text().includes("Still heard") || undefined, "the other to hear");
    expect(performance.now() - at).toBeLessThan(3000);

    // Its place is free again: the server closed the connection although the client did not read.
    const ownThread = await newThread(store, "slow");
    const chats: OpenChat[] = [];
    await eventually(async () => {
      const chat = await openChat(server, "slow", ownThread);
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

describe("a chat", () => {
  it("closes after its reader signs out, even while the thread changes", async () => {
    await using server = await serveChats(store, { heartbeatMs: 300 });
    const threadId = await newThread(store, "ada");
    using chat = await openChat(server, "ada", threadId);
    await say(store, threadId, "First");
    await eventually(() => chat.text().includes("First") || undefined, "the first text");
    server.signedOut.add("ada");
    let n = 0;
    await eventually(async () => {
      n += 1;
      await say(store, threadId, `Text ${n}.`);
      return chat.isClosed() || undefined;
    }, "the stream to end");
    await say(store, threadId, "Secret");
    expect(chat.text()).not.toContain("Secret");
  });

  it("redacts new text once its reader has lost the full view role", async () => {
    await using server = await serveChats(store, { heartbeatMs: 200, fullViewRoles: ["legal"] });
    server.roles.set("ada", ["legal"]);
    const threadId = await newThread(store, "ada");
    const approvers = { roles: ["finance"], ids: [] };
    await proposeCall(store, { threadId, approvers, input: { code: "4711" }, terms: { redact: ["code"] } });
    using chat = await openChat(server, "ada", threadId);
    await say(store, threadId, "First, the code is 4711.");
    await eventually(() => chat.text().includes("First, the code is 4711.") || undefined, "the first text");

    server.roles.set("ada", []);
    const beats = () => chat.text().split(": still here").length;
    const before = beats();
    await eventually(() => beats() > before + 1 || undefined, "a heartbeat");
    await say(store, threadId, "Second, the code is 4711.");
    await eventually(() => chat.text().includes("Second, the code is") || undefined, "the second text");
    expect(chat.text()).toContain("Second, the code is [hidden].");
  });

  it("is refused as the twenty-first of one principal until one of the others closes", async () => {
    await using server = await serveChats(store, { heartbeatMs: 60_000 });
    const threadId = await newThread(store, "ada");
    const opened: OpenChat[] = [];
    for (let n = 0; n < 20; n++) opened.push(await openChat(server, "ada", threadId));
    using refused = await openChat(server, "ada", threadId);
    expect(refused.response.statusCode).toBe(429);
    opened[0]?.[Symbol.dispose]();
    await eventually(async () => {
      using again = await openChat(server, "ada", threadId);
      return again.response.statusCode === 200 || undefined;
    }, "room for another");
    for (const chat of opened) chat[Symbol.dispose]();
  });
});
