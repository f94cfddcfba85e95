import { aiSdkChat } from "@countersign/chat/ai-sdk";
import { createCountersign, definePolicy } from "countersign";
import { Inngest } from "inngest";
import { expect, it } from "vitest";
import { resultEntry, userEntry } from "../support/agents/long-thread.js";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

const tenantId = "acme";
const threadId = "thread";
const requester = { id: "requester", tenantId, roles: [] };

// Agents that run side by side.
it("a chat shows a waiting call with its own arguments although a recorded call has the same id", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  await store.openThread({ tenantId, id: threadId, ownerId: requester.id, runId: "run" });
  await store.beginTurn({ tenantId, threadId, runId: "run", ...bodyOf(userEntry(0)) });
  const small = { id: "A-1", amount: 10 };
  const [ran] = await proposeCall(store, { threadId, input: small, verdict: "notify", announce: false });
  if (!ran) throw new Error("unreachable");
  await store.claim(ran.id, "once", () => undefined);
  await store.finish(ran.id, {
    status: "executed",
    outcomeJson: JSON.stringify({ status: "executed", data: { ok: 10 } }),
  });
  await store.appendEntries(tenantId, threadId, [
    resultEntry(0, {
      call: { requestId: ran.requestId, id: ran.toolCallId, input: small, content: { data: { ok: 10 } } },
    }),
  ]);
  const [waiting] = await proposeCall(store, { threadId, input: { id: "A-1", amount: 500 } });
  if (!waiting) throw new Error("unreachable");
  expect(waiting.toolCallId).toBe(ran.toolCallId);

  const inngest = new Inngest({
    id: "chats",
    isDev: true,
    fetch: async () => Response.json({ ids: ["sent"], status: 200 }),
  });
  const policy = definePolicy({ tools: {} });
  const countersign = createCountersign({ inngest, store, policy, tenantId });
  const app = aiSdkChat(countersign, { authenticate: () => requester, startRun: async () => {} });
  const text = await (await app.request(`/${threadId}/stream`)).text();
  const chunks: { type: string }[] = text
    .split("\n")
    .flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []));
  const of = (type: string) => chunks.filter((chunk) => chunk.type === type);

  expect(of("tool-input-available")).toMatchObject([
    { toolCallId: ran.toolCallId, input: { amount: 10 } },
    { toolCallId: waiting.id, input: { amount: 500 } },
  ]);
  expect(of("tool-output-available")).toMatchObject([{ toolCallId: ran.toolCallId, output: { ok: 10 } }]);
  expect(of("tool-approval-request")).toMatchObject([{ toolCallId: waiting.id, approvalId: waiting.id }]);
  await store.close();
});

function bodyOf({ key, bodyJson }: ReturnType<typeof userEntry>) {
  return { key, bodyJson };
}
