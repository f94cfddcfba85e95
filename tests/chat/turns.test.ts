import { randomUUID } from "node:crypto";
import type { Approval } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, newThread, openChat, say, serveChats, tenantId } from "../support/chat/chat-server.js";
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

const message = (text: string, id: string = randomUUID()) => ({
  id,
  role: "user",
  parts: [{ type: "text", text }],
});

/** What the chats of both protocols post for a new message. */
const posts = {
  "/ai": (id: string, text: string) => ({ id, messages: [message(text)] }),
  "/ag-ui": (threadId: string, content: string) => ({
    threadId,
    runId: "client-run",
    messages: [{ id: randomUUID(), role: "user", content }],
  }),
};

const toolCall = ({ toolCallId, toolName }: Approval) => ({
  type: "tool_call",
  role: "assistant",
  stop_reason: "tool",
  tools: [{ type: "tool", id: toolCallId, name: toolName, input: {} }],
});

/** A thread whose first turn waits for finance. */
async function waitingThread() {
  const threadId = await newThread(store, "ada");
  const approvers = { roles: ["finance"], ids: [] };
  const [call] = await proposeCall(store, { threadId, runId: "run", requesterId: "ada", approvers });
  if (!call) throw new Error("unreachable");
  return { threadId, call };
}

describe("a turn that follows a waiting turn", () => {
  it.each(["/ai", "/ag-ui"] as const)("ends when its own run ends (%s)", async (path) => {
    const { threadId } = await waitingThread();
    await using server = await serveChats(store, {
      startRun: async () => {
        await ask(store, threadId, "second");
        await say(store, threadId, "Another answer", { runId: "second" });
        await store.endThread(tenantId, threadId, "second");
      },
    });
    const response = await server.post("ada", path, posts[path](threadId, "Something else"));
    const text = await response.text();
    expect(text).toContain("Another answer");
    expect(text).toMatch(/"type":"(finish|RUN_FINISHED)"/);
  });

  it("is not written into the message of the earlier turn", async () => {
    const { threadId } = await waitingThread();
    await using server = await serveChats(store);
    using chat = await openChat(server, "ada", threadId);
    await eventually(() => chat.text().includes('"status":"pending"') || undefined, "the card of the call");

    await ask(store, threadId, "second");
    await say(store, threadId, "Another answer", { runId: "second" });
    await eventually(() => chat.isClosed() || undefined, "the stream to end");
    expect(chat.text()).toContain('"type":"finish"');
    expect(chat.text()).not.toContain("Another answer");
  });

  it("shows the approval of the earlier turn's call when that call runs meanwhile", async () => {
    const { threadId, call } = await waitingThread();
    await using server = await serveChats(store);
    await ask(store, threadId, "second");
    await say(store, threadId, "Refunded", { toolCalls: [toolCall(call)], requestId: call.requestId });
    using chat = await openChat(server, "ada", threadId);
    await eventually(() => chat.text().includes("Refunded") || undefined, "the earlier run's response");
    expect(chat.text()).toContain(`"approvalId":"${call.id}"`);
  });
});

describe("the model's text beside a waiting call", () => {
  it("hides what an earlier call of the thread redacts", async () => {
    const threadId = await newThread(store, "ada");
    const options = { threadId, requesterId: "ada", approvers: { roles: ["finance"], ids: [] } };
    await proposeCall(store, { ...options, input: { iban: "DE89 3704" }, terms: { redact: ["iban"] } });
    await proposeCall(store, { ...options, modelText: "I changed it to DE89 3704, and write to her." });
    await using server = await serveChats(store);
    using chat = await openChat(server, "ada", threadId);
    await eventually(() => chat.text().includes("and write to her") || undefined, "the words");
    expect(chat.text()).toContain("I changed it to [hidden], and write to her.");
  });

  it("is shown once even if the recorded response begins and ends with blanks", async () => {
    const threadId = await newThread(store, "ada");
    await using server = await serveChats(store);
    const approvers = { roles: ["finance"], ids: [] };
    const [call] = await proposeCall(store, {
      threadId,
      requesterId: "ada",
      approvers,
      modelText: "Let me refund.",
    });
    if (!call) throw new Error("unreachable");
    using chat = await openChat(server, "ada", threadId);
    await eventually(() => chat.text().includes("Let me refund.") || undefined, "the words");
    await say(store, threadId, "\n  Let me refund. \n", {
      toolCalls: [toolCall(call)],
      requestId: call.requestId,
    });
    await say(store, threadId, "Refunded.");
    await eventually(() => chat.text().includes("Refunded.") || undefined, "the next response");
    expect(chat.text().match(/Let me refund/g)).toHaveLength(1);
  });
});

describe("the stream of a chat without a turn", () => {
  const openPath = async (server: { url: string }, threadId: string, path: string) => {
    const response = await fetch(`${server.url}/${threadId}${path}`, { headers: { authorization: "ada" } });
    // A stream might not end by itself.
    await response.body?.cancel();
    return response.status;
  };

  it("ends with 204 if its first message could not be sent, or if the chat does not exist", async () => {
    await using server = await serveChats(store, {
      startRun: async () => {
        throw new Error("No connection to the engine");
      },
    });
    const unsent = randomUUID();
    expect((await server.post("ada", "/ai", posts["/ai"](unsent, "Hello"))).status).toBe(503);
    expect(await store.getThread(tenantId, unsent)).toMatchObject({ status: "done" });
    for (const threadId of [unsent, randomUUID()]) {
      for (const path of ["/stream", "/decided?approval=apr_x"]) {
        expect([path, await openPath(server, threadId, path)]).toEqual([path, 204]);
      }
    }
  });

  it("shows the turn that a run begins later", async () => {
    await using server = await serveChats(store);
    const threadId = randomUUID();
    await store.openThread({ tenantId, id: threadId, ownerId: "ada", runId: null });
    using chat = await openChat(server, "ada", threadId);
    expect(chat.response.statusCode).toBe(200);
    await ask(store, threadId);
    await say(store, threadId, "The answer");
    await store.endThread(tenantId, threadId, "run");
    await eventually(() => chat.isClosed() || undefined, "the stream to end");
    expect(chat.text()).toContain("The answer");
  });
});
