import type { RecordedRequest, Reply } from "@countersign/testing";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { type Harness, openHarness } from "../support/harness.js";

const lookup = { name: "lookup", input: { id: "A-1" } };
const refundFirst = { name: "refund", input: { id: "A-1", amount: 80 } };
const refundSecond = { name: "refund", input: { id: "A-2", amount: 20 } };
const erase = { name: "erase", input: { id: "C-7" } };

type ModelMessage = { role: string; content: unknown; tool_call_id?: string };

/** The tool results in a recorded request, in order: the call's id and the text. */
function results(request: RecordedRequest | undefined): { id: string; text: string }[] {
  if (!request) throw new Error("The model did not receive that many requests");
  const { messages } = request.body as { messages: ModelMessage[] };
  return messages.flatMap((message) => {
    if (message.role === "tool") return [{ id: message.tool_call_id ?? "", text: String(message.content) }];
    if (!Array.isArray(message.content)) return [];
    return message.content.flatMap((block: { type: string; tool_use_id?: string; content?: unknown }) =>
      block.type === "tool_result" ? [{ id: block.tool_use_id ?? "", text: String(block.content) }] : [],
    );
  });
}

async function decideByAmount(harness: Harness): Promise<void> {
  const waiting = await harness.pending(2);
  for (const approval of waiting) {
    const approve = (approval.input as { amount: number }).amount === 80;
    await harness.decide(approval, approve ? "approve" : "deny", "lead", approve ? undefined : "Too late");
  }
}

describe.each(["openai", "anthropic"] as const)("tool calls in %s format", (format) => {
  it("of one response get one result each, in order, with the reason when they did not run", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const reply = inTurns({ text: "I will do that.", toolCalls: [lookup, refundFirst, refundSecond, erase] });
    await using harness = await openHarness({ database, tools, format, reply });
    const { runId } = await harness.say("Do all of it");
    await decideByAmount(harness);
    await harness.ended(runId);

    expect(effects).toEqual([{ tool: "refund", input: refundFirst.input }]);
    expect(harness.model.requests.map(({ status, error }) => error ?? status)).toEqual([200, 200]);
    const texts = results(harness.model.requests[1]).map(({ text }) => text);
    expect(texts).toEqual([
      expect.stringContaining('"total":80'),
      expect.stringContaining('"ok":true'),
      expect.stringMatching(/denied_by_person.*Their reason: Too late/),
      expect.stringMatching(/denied_by_policy.*does not allow this call of erase.*Never/),
    ]);
  });

  it("of two responses get one result each, in order", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const reply = inTurns({ toolCalls: [erase, refundFirst] }, { toolCalls: [refundSecond, lookup] });
    await using harness = await openHarness({ database, tools, format, reply });
    const { runId } = await harness.say("Do it step by step");
    const first = await harness.onlyPending();
    await harness.decide(first, "approve");
    await harness.decide(await harness.nextPending(first), "deny");
    await harness.ended(runId);

    expect(effects).toEqual([{ tool: "refund", input: refundFirst.input }]);
    expect(harness.model.requests.map(({ status, error }) => error ?? status)).toEqual([200, 200, 200]);
    const codes = results(harness.model.requests[2]).map(({ text }) => JSON.parse(text).error?.code ?? "ran");
    expect(codes).toEqual(["denied_by_policy", "ran", "denied_by_person", "ran"]);
  });

  it("let the run complete when the policy denies all of them", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({
      database,
      tools,
      format,
      reply: inTurns({ toolCalls: [erase] }),
    });
    const { runId } = await harness.say("Delete C-7");
    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(harness.model.requests.map(({ status, error }) => error ?? status)).toEqual([200, 200]);
  });

  it("with unknown tools or invalid arguments are refused without failing the run", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const wrong = { name: "refund", input: { id: "A-1", amount: "eighty" } };
    const reply: Reply = { toolCalls: [{ name: "wire_money", input: {} }, wrong] };
    await using harness = await openHarness({ database, tools, format, reply: inTurns(reply) });
    const { runId } = await harness.say("Try");
    await harness.ended(runId);
    expect(effects).toEqual([]);
    const texts = results(harness.model.requests[1]).map(({ text }) => text);
    expect(texts).toEqual([
      expect.stringMatching(/unknown_tool.*There is no tool named wire_money.*lookup, refund/),
      expect.stringMatching(/invalid_input.*amount: /),
    ]);
  });
});

it("calls whose provider ids are empty or repeated get approvals and results of their own", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const calls = [
    { ...refundFirst, id: "" },
    { ...refundSecond, id: "same" },
    { name: "refund", input: { id: "A-3", amount: 30 }, id: "same" },
  ];
  await using harness = await openHarness({ database, tools, reply: inTurns({ toolCalls: calls }) });
  const { runId } = await harness.say("Refund them");
  const waiting = await harness.pending(3);
  expect(new Set(waiting.map(({ id }) => id)).size).toBe(3);
  for (const [index, approval] of waiting.entries())
    await harness.decide(approval, index === 1 ? "deny" : "approve");
  await harness.ended(runId);
  expect(effects).toHaveLength(2);
  expect(harness.model.requests.map(({ status, error }) => error ?? status)).toEqual([200, 200]);
  expect(new Set(results(harness.model.requests[1]).map(({ id }) => id)).size).toBe(3);
});
