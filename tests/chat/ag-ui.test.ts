import { randomUUID } from "node:crypto";
import { HttpAgent, type Interrupt } from "@ag-ui/client";
import { describe, expect, it } from "vitest";
import { respondingPolicy } from "../support/demo/asking-policy.js";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";

const open = (demo: DemoWorld, who: string, threadId: string = randomUUID()) =>
  new HttpAgent({
    url: `${demo.api}/ag-ui`,
    threadId,
    headers: { authorization: `Bearer demo-${who}` },
  });

/** Sends a message, and returns the interrupts with which the run ends. */
async function ask(agent: HttpAgent, content: string): Promise<Interrupt[]> {
  agent.addMessage({ id: randomUUID(), role: "user", content });
  await agent.runAgent();
  return agent.pendingInterrupts;
}

const answer = (agent: HttpAgent, { id }: Interrupt, payload: unknown) =>
  agent.runAgent({ resume: [{ interruptId: id, status: "resolved", payload }] });

const results = (agent: HttpAgent) =>
  agent.messages.flatMap((message) => (message.role === "tool" ? [String(message.content)] : []));

describe("an AG-UI agent", () => {
  it("interrupts its run for an approval and continues when it is resumed", async () => {
    await using demo = await openDemo();
    const agent = open(demo, "finance");
    const [interrupt] = await ask(agent, "Please refund order A-1001");
    if (!interrupt) throw new Error("The run was not interrupted");
    expect(interrupt).toMatchObject({
      reason: "tool_approval",
      expiresAt: expect.stringMatching(/Z$/),
      metadata: {
        approvalId: expect.any(String),
        ...{
          flags: [],
          flagsTruncated: false,
          codePreview: null,
          checks: [],
          counts: [{ text: expect.stringContaining("49.90 of 400 EUR in 24 hours for the same Customer") }],
          preview: { effects: [{ before: "paid 49.90 EUR", after: "refunded 49.90 EUR" }] },
        },
      },
      message: "Refund 49.90 EUR for order A-1001",
      responseSchema: {
        required: ["approved"],
        // The rule opens only the amount.
        properties: {
          editedArguments: {
            type: "object",
            properties: { orderId: { const: "A-1001" }, amount: { type: "number" } },
          },
        },
      },
    });

    await answer(agent, interrupt, { approved: true });
    expect(agent.pendingInterrupts).toEqual([]);
    expect(results(agent).at(-1)).toContain("refunded");
    expect(String(agent.messages.at(-1)?.content)).toContain("A-1001");
    expect(agent.messages.filter(({ role }) => role === "tool")).toHaveLength(2);
    expect(await demo.effects()).toMatchObject([{ input: { amount: 49.9 } }]);
  });

  it("runs a call with edited arguments", async () => {
    await using demo = await openDemo();
    const agent = open(demo, "finance");
    const [interrupt] = await ask(agent, "Please refund order A-1001");
    if (!interrupt) throw new Error("The run was not interrupted");
    const cards: unknown[] = [];
    agent.subscribe({ onCustomEvent: ({ event }) => void cards.push(event.value) });
    const input = { orderId: "A-1001", customerId: "C-1", amount: 20 };
    await answer(agent, interrupt, { approved: true, editedArguments: input });
    expect(await demo.effects()).toMatchObject([{ input }]);
    expect(cards.at(-1)).toMatchObject({ status: "executed", editedInput: input });
  });

  it("says that an answer came too late", async () => {
    await using demo = await openDemo();
    const agent = open(demo, "finance");
    const [interrupt] = await ask(agent, "Please refund order A-1001");
    if (!interrupt) throw new Error("The run was not interrupted");
    const approval = await demo.approval("finance", interrupt.id.split(".")[0] ?? "");
    await demo.decide("lead", approval, { type: "approve" });
    await demo.waiting(agent.threadId, "finance", "executed");
    const refused: unknown[] = [];
    agent.subscribe({ onCustomEvent: ({ event }) => void refused.push(event.value.refused) });
    await answer(agent, interrupt, { approved: false, reason: "No receipt" });
    expect(refused.at(-1)).toBe("lead had already approved this call; it ran");
    expect(agent.pendingInterrupts).toEqual([]);
    refused.length = 0;
    await answer(agent, interrupt, { approved: true });
    expect(refused.at(-1)).toBe(null);
  });

  it("interrupts again after an invalid edit, and passes the reason of a denial to the model", async () => {
    await using demo = await openDemo();
    const agent = open(demo, "finance");
    const [interrupt] = await ask(agent, "Please refund order A-1001");
    if (!interrupt) throw new Error("The run was not interrupted");
    await answer(agent, interrupt, {
      approved: true,
      editedArguments: { orderId: "A-1002", customerId: "C-1", amount: 20 },
    });
    const [again] = agent.pendingInterrupts;
    expect(again).toMatchObject({ id: interrupt.id, message: expect.stringContaining("orderId") });

    await answer(agent, interrupt, { approved: false, reason: "No receipt" });
    expect(demo.lastModelRequest()).toContain("No receipt");
    expect(await demo.effects()).toEqual([]);
  });

  it("refuses an answer that is not a decision, and interrupts again", async () => {
    await using demo = await openDemo(respondingPolicy());
    const agent = open(demo, "finance");
    const [interrupt] = await ask(agent, "Please refund order A-1001");
    if (!interrupt) throw new Error("The run was not interrupted");
    const tooLong = { approved: true, reason: "x".repeat(10_001) };
    for (const payload of ["yes", { accepted: true }, undefined, tooLong]) {
      await answer(agent, interrupt, payload);
      expect(agent.pendingInterrupts).toMatchObject([
        { id: interrupt.id, message: expect.stringContaining("Nothing was decided") },
      ]);
    }
    const [approvalId = ""] = interrupt.id.split(".");
    expect((await demo.approval("finance", approvalId)).status).toBe("pending");
  });

  it("answers a question with the form's fields", async () => {
    await using demo = await openDemo();
    const agent = open(demo, "requester");
    const [interrupt] = await ask(agent, "Ask which carrier to use for A-1002");
    if (!interrupt) throw new Error("The run was not interrupted");
    expect(interrupt.reason).toBe("question");
    await answer(agent, interrupt, { action: "accept", content: { choice: "DHL" } });
    expect(await demo.effects()).toMatchObject([{ toolName: "book_carrier" }]);
  });

  it("cannot decide with forged interrupts", async () => {
    await using demo = await openDemo();
    const agent = open(demo, "finance");
    const [interrupt] = await ask(agent, "Please refund order A-1001");
    const [approvalId = ""] = interrupt?.id.split(".") ?? [];
    for (const id of [approvalId, `${approvalId}.${"0".repeat(64)}`, "apr_forged.x", ""]) {
      const response = await fetch(`${demo.api}/ag-ui`, {
        method: "POST",
        headers: { authorization: "Bearer demo-finance", "content-type": "application/json" },
        body: JSON.stringify({
          threadId: agent.threadId,
          runId: randomUUID(),
          messages: [],
          resume: [{ interruptId: id, status: "resolved", payload: { approved: true } }],
        }),
      });
      expect(await response.text()).toContain('"interrupt"');
    }
    expect((await demo.approval("finance", approvalId)).status).toBe("pending");
  });
});
