import { aiSdkChat } from "@countersign/chat/ai-sdk";
import { ask, definePolicy } from "countersign";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns, toolResults } from "../support/desk-tools.js";
import { eventually, type Harness, openHarness, principals } from "../support/harness.js";

const requester = principals.requester as NonNullable<typeof principals.requester>;
/** The thread's owner, who may also approve in the chat. */
const reader = { ...requester, roles: ["finance"] };

const cases = [
  { kind: "the tool's name", id: "refund", format: "openai" },
  { kind: "a number that restarts", id: "call_1", format: "anthropic" },
] as const;

/** The frames of a chat that is opened while a call waits. */
async function chatOf(harness: Harness, threadId: string, until: string): Promise<Record<string, unknown>[]> {
  const app = aiSdkChat(harness.countersign, { authenticate: () => reader, startRun: async () => {} });
  const response = await app.request(`/${threadId}/stream`);
  const body = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  await eventually(async () => {
    text += (await body?.read())?.value ?? "";
    return text.includes(until) || undefined;
  }, `${until} in the chat`);
  await body?.cancel();
  return text.split("\n").flatMap((line) => (line.startsWith("data: {") ? [JSON.parse(line.slice(6))] : []));
}

describe("calls to which the model gives the same id", () => {
  it.each(cases)("($kind) are each decided on their own", async ({ id, format }) => {
    const refund = (order: string, amount: number) => ({
      toolCalls: [{ id, name: "refund", input: { id: order, amount } }],
    });
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const resultsSent: ReturnType<typeof toolResults>[] = [];
    const first = inTurns(refund("A-1", 10), refund("A-1", 500));
    const second = inTurns(refund("B-1", 700));
    await using harness = await openHarness({
      database,
      tools: tools.filter(({ name }) => name === "refund"),
      format,
      policy: definePolicy({ tools: { refund: ask() } }),
      reply: (conversation) => {
        resultsSent.push(toolResults(conversation));
        return (JSON.stringify(conversation.messages).includes("And B-1") ? second : first)(conversation);
      },
    });

    const { runId, threadId } = await harness.say("Refund A-1");
    const small = await harness.onlyPending();
    expect(small.input).toEqual({ id: "A-1", amount: 10 });
    await harness.decide(small, "approve");
    const large = await harness.nextPending(small);
    expect(large.input).toEqual({ id: "A-1", amount: 500 });

    const frames = await chatOf(harness, threadId, large.id);
    const inputs = frames.filter(({ type }) => type === "tool-input-available");
    expect(inputs).toMatchObject([
      { toolCallId: small.toolCallId, input: { amount: 10 } },
      { toolCallId: large.toolCallId, input: { amount: 500 } },
    ]);
    expect(frames.filter(({ type }) => type === "tool-output-available")).toMatchObject([
      { toolCallId: small.toolCallId },
    ]);
    expect(frames.filter(({ type }) => type === "tool-approval-request")).toMatchObject([
      { toolCallId: large.toolCallId, approvalId: large.id },
    ]);

    await harness.decide(large, "deny", "finance", "Too much");
    await harness.ended(runId);
    expect(effects.map(({ input }) => input)).toEqual([{ id: "A-1", amount: 10 }]);

    const next = await harness.say("And B-1", threadId);
    const other = await harness.onlyPending();
    expect(other.input).toEqual({ id: "B-1", amount: 700 });
    const nextInputs = (await chatOf(harness, threadId, other.id)).filter(
      ({ type }) => type === "tool-input-available",
    );
    expect(nextInputs).toMatchObject([{ toolCallId: other.toolCallId, input: { amount: 700 } }]);
    await harness.decide(other, "approve");
    await harness.ended(next.runId);
    expect(effects.map(({ input }) => input)).toEqual([
      { id: "A-1", amount: 10 },
      { id: "B-1", amount: 700 },
    ]);

    // The ids are the same in the approvals, in the thread, and in what the model is sent.
    const ids = [small, large, other].map(({ toolCallId }) => toolCallId);
    expect(new Set(ids).size).toBe(3);
    expect(harness.model.requests.map(({ status, error }) => error ?? status)).toEqual(
      harness.model.requests.map(() => 200),
    );
    expect(resultsSent.at(-1)?.map(({ toolCallId }) => toolCallId)).toEqual(ids);
    const { messages } = await harness.countersign.threads.read(threadId, requester);
    const called = messages.flatMap((message) => ("toolCalls" in message ? message.toolCalls : []));
    expect(called).toMatchObject(
      [10, 500, 700].map((amount, index) => ({ id: ids[index], input: { amount } })),
    );
    const results = messages.flatMap((message) => (message.role === "tool" ? [message] : []));
    expect(results).toMatchObject([
      { toolCallId: ids[0], content: { data: { ok: true } } },
      { toolCallId: ids[1], content: { error: { code: "denied_by_person" } } },
      { toolCallId: ids[2], content: { data: { ok: true } } },
    ]);
  });
});
