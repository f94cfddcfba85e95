import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { headlessChat } from "../support/chat/headless-chat.js";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";
import { eventually } from "../support/harness.js";

const open = (demo: DemoWorld, who: string, id: string = randomUUID()) => ({
  id,
  ...headlessChat({ api: `${demo.api}/ai/chat`, token: `demo-${who}`, id }),
});

const agents = (["loop", "ai-sdk"] as const).flatMap((agent) =>
  (["openai", "anthropic"] as const).map((format) => [agent, format] as const),
);

describe.each(agents)("a chat in front of AGENT=%s in %s format", (agent, format) => {
  const settings = { AGENT: agent, DEMO_MODEL_FORMAT: format };

  it("shows the cards of AgentKit's agents, and continues the conversation", async () => {
    await using demo = await openDemo(settings);
    const session = open(demo, "finance");
    await session.chat.sendMessage({ text: "Please refund order A-1001" });
    const asked = await session.toolIn("approval-requested");
    expect(asked).toMatchObject({ input: { orderId: "A-1001", amount: 49.9 } });
    await session.chat.addToolApprovalResponse({ id: asked?.approval?.id ?? "", approved: true });
    await session.toolIn("output-available");
    await session.ready();
    expect(session.text()).toContain("Order A-1001 is refunded");
    expect(session.toolParts().map(({ type }) => type)).toEqual(["tool-lookup_order", "tool-issue_refund"]);
    expect(session.cards()).toMatchObject([{ data: { status: "executed", decidedBy: "finance" } }]);

    await session.chat.sendMessage({ text: "Please refund order A-1002" });
    const second = await session.toolIn("approval-requested");
    await session.chat.addToolApprovalResponse({
      ...{ id: second?.approval?.id ?? "", approved: false, reason: "No receipt" },
    });
    await session.toolIn("output-denied");
    await session.ready();
    expect(session.text()).toContain("No receipt");
    expect(demo.lastModelRequest()).toContain("Please refund order A-1001");
    expect((await demo.effects()).map(({ toolName }) => toolName)).toEqual(["issue_refund"]);

    const later = open(demo, "finance", session.id);
    await later.chat.resumeStream();
    expect(later.cards()).toMatchObject([{ data: { status: "denied", decidedBy: "finance" } }]);
    expect(session.errors).toEqual([]);
  });

  it("takes a person's answer to the agent's question", async () => {
    await using demo = await openDemo(settings);
    const session = open(demo, "requester");
    await session.chat.sendMessage({ text: "Ask which carrier to use for A-1002" });
    const question = await session.toolIn("input-available", "request_human_input");
    await session.ready();
    await session.chat.addToolOutput({
      ...{ tool: "request_human_input", toolCallId: question?.toolCallId ?? "" },
      output: { action: "accept", content: { choice: "DHL" } },
    });
    await eventually(() => session.text().includes("DHL") || undefined, "the agent to book the carrier");
    expect(await demo.effects()).toMatchObject([{ toolName: "book_carrier", input: { carrier: "DHL" } }]);
  });

  it("passes the questions of an MCP server on", async () => {
    await using demo = await openDemo(settings);
    const threadId = await demo.say("Book a courier for A-1004");
    const question = await demo.waiting(threadId);
    expect(question.toolName).toBe("request_human_input");
    const response = { action: "accept", content: { window: "12:00 to 16:00" } };
    await demo.decide("finance", question, { type: "respond", response });
    expect(await demo.lastWords(threadId)).toBe("A courier is booked for order A-1004, from 12:00 to 16:00.");
    expect(await demo.effects()).toMatchObject([{ toolName: "courier-book", input: { orderId: "A-1004" } }]);
  });
});
