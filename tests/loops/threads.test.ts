import type { Reply } from "@countersign/testing";
import { createTool, type Tool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, type Principal } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { agentKinds } from "../chaos/processes/agents.js";
import { freshPostgres } from "../support/databases.js";
import { openHarness, principals } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { plainError } from "../support/loops/loop-desk.js";
import { takingTurns } from "../support/loops/ways.js";

const policy = definePolicy({
  tools: { look_up: allow(), refund: ask({ decisions: ["approve", "deny", "edit"], editable: ["amount"] }) },
});

/** Looks an order up, refunds it, and says what it knows. */
const reply: HarnessOptions["reply"] = ({ messages }): Reply => {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user"));
  const done = since.filter(({ role }) => role === "tool").length;
  if (done === 0) return { text: "I look", toolCalls: [{ name: "look_up", input: { order: "A-1" } }] };
  if (done > 1) return { text: `After ${messages.length} messages` };
  return {
    toolCalls: [
      { name: "refund", input: { order: "A-1", amount: 80 } },
      { name: "nothing", input: {} },
    ],
  };
};

function tools(ran: unknown[]): Tool.Any[] {
  return [
    createTool({
      name: "look_up",
      parameters: z.object({ order: z.string() }),
      handler: () => ({ paid: 80 }),
    }),
    createTool({
      name: "refund",
      parameters: z.object({ order: z.string(), amount: z.number() }),
      handler: (input) => {
        ran.push(input);
        return "paid back";
      },
    }),
  ];
}

async function openThread(
  kind: keyof typeof agentKinds,
  format: "openai" | "anthropic",
  how: Pick<HarnessOptions, "replaying" | "checkpointing"> = {},
) {
  const database = await freshPostgres();
  const ran: unknown[] = [];
  const harness = await openHarness({
    ...{ database, policy, tools: [], reply, format, ...how },
    run: ({ countersign, step, state, message, modelUrl, format }) => {
      const threadId = state.threadId ?? "";
      const gate = countersign.gate({
        ...{ step, agentName: "desk" },
        context: { requester: { id: message === "I am another" ? "another" : "requester" }, threadId },
      });
      return agentKinds[kind]({ gate, step, message, format, modelUrl, tools: tools(ran) }).catch(plainError);
    },
  });
  return {
    ...{ harness, ran },
    thread: (threadId: string) =>
      harness.countersign.threads.read(threadId, { id: "requester", tenantId: "acme", roles: [] }),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

const mixes = (["loop", "ai-sdk"] as const).flatMap((kind) =>
  (["openai", "anthropic"] as const).map((format) => ({ kind, format })),
);

describe("a thread", () => {
  it.each(takingTurns(mixes))(
    "keeps what an agent of $kind says and does, and the next run continues it ($format, $way)",
    async ({ kind, format, how }) => {
      await using open = await openThread(kind, format, how);
      const { harness, ran, thread } = open;
      const { runId, threadId } = await harness.say("Pay it back");
      const call = await harness.onlyPending();
      expect((await thread(threadId))?.messages).toMatchObject([
        { role: "user", content: "Pay it back" },
        { role: "assistant", agentName: "desk", content: "I look" },
        { role: "assistant", toolCalls: [{ name: "look_up", input: { order: "A-1" } }] },
        { role: "tool", toolName: "look_up", content: { data: { paid: 80 } } },
      ]);
      const body = { type: "edit", digest: call.digest, input: { order: "A-1", amount: 5 } };
      await harness.call("finance", `/approvals/${call.id}/decision`, { method: "POST", body });
      expect((await harness.ended(runId)).output).toBe("After 6 messages");
      expect(ran).toEqual([{ order: "A-1", amount: 5 }]);
      const first = await thread(threadId);
      expect(first?.status).toBe("done");
      // The AI SDK itself answers calls of tools that it does not have.
      const knowsOthers = kind === "loop";
      expect(first?.messages.slice(4)).toMatchObject([
        {
          role: "assistant",
          toolCalls: [
            { name: "refund", input: { order: "A-1", amount: 5 } },
            ...(knowsOthers ? [{ name: "nothing" }] : []),
          ],
        },
        { toolName: "refund", content: { data: "paid back", note: expect.stringContaining("from 80 to 5") } },
        ...(knowsOthers ? [{ toolName: "nothing", content: { error: expect.anything() } }] : []),
        { role: "assistant", content: "After 6 messages" },
      ]);

      const again = await harness.say("And again", threadId);
      await harness.decide(await harness.onlyPending(), "deny");
      // The strict server has taken the earlier turn with its calls and results.
      expect((await harness.ended(again.runId)).output).toBe(
        knowsOthers ? "After 13 messages" : "After 12 messages",
      );
      expect(ran).toHaveLength(1);
      expect((await thread(threadId))?.messages).toHaveLength(knowsOthers ? 16 : 14);
    },
  );
});

it("belongs to its owner", async () => {
  await using open = await openThread("loop", "openai");
  const { harness, thread } = open;
  const { runId, threadId } = await harness.say("I am another");
  expect(await harness.ended(runId)).toMatchObject({
    output: { message: expect.stringContaining("belongs to someone else") },
  });
  expect(harness.model.requests).toEqual([]);
  expect((await thread(threadId))?.messages).toEqual([]);
});

it("a thread in which no run begins a turn is running only for ten minutes after it was opened", async () => {
  await using database = await freshPostgres();
  const ran: unknown[] = [];
  const refund = tools(ran).at(1) as Tool.Any;
  await using harness = await openHarness({
    ...{ database, policy, tools: [], reply },
    run: ({ countersign, step, state }) => {
      const context = { requester: { id: "requester" }, threadId: state.threadId ?? "" };
      const gate = countersign.gate({ step, context });
      return gate.call(refund, { id: "one", input: { order: "A-1", amount: 80 } });
    },
  });
  const owner = principals.requester as Principal;
  const { threads } = harness.countersign;
  const statuses = async (threadId: string) => [
    (await threads.read(threadId, owner)).status,
    ...(await threads.list(owner)).map(({ status }) => status),
    ...(await threads.page(owner, { limit: 5 })).threads.map(({ status }) => status),
  ];
  const { threadId, runId } = await harness.say("refund");
  const call = await harness.onlyPending();
  expect(await statuses(threadId)).toEqual(["waiting", "waiting", "waiting"]);
  await harness.decide(call, "approve");
  await harness.ended(runId);
  expect(ran).toHaveLength(1);
  expect(await statuses(threadId)).toEqual(["running", "running", "running"]);
  await harness.clock.advance("11m");
  expect(await statuses(threadId)).toEqual(["done", "done", "done"]);
  await threads.open({ threadId, owner });
  expect(await statuses(threadId)).toEqual(["running", "running", "running"]);
});
