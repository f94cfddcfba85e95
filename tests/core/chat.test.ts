import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { headlessChat } from "../support/chat/headless-chat.js";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";
import { eventually } from "../support/harness.js";

const open = (demo: DemoWorld, who: string, id: string = randomUUID()) => ({
  id,
  ...headlessChat({ api: `${demo.api}/ai/chat`, token: `demo-${who}`, id }),
});

/** Opens a chat in which finance has requested a refund that waits for its approval. */
async function refundAsked(demo: DemoWorld) {
  const session = open(demo, "finance");
  await session.chat.sendMessage({ text: "Please refund order A-1001" });
  const asked = await session.toolIn("approval-requested");
  const approvalId = asked?.approval?.id ?? "";
  return { ...session, asked, approvalId };
}

describe("an AI SDK chat", () => {
  it("shows a waiting call, approves it and shows its result", async () => {
    await using demo = await openDemo();
    const session = await refundAsked(demo);

    expect(session.asked).toMatchObject({
      type: "tool-issue_refund",
      input: { orderId: "A-1001", amount: 49.9 },
      approval: {
        descriptor: {
          digest: expect.any(String),
          risk: "medium",
          checks: [],
          counts: [
            {
              text: expect.stringContaining("of 400 EUR in 24 hours for"),
              exceeds: false,
            },
          ],
          preview: { effects: [{ before: "paid 49.90 EUR", after: "refunded 49.90 EUR" }] },
        },
      },
    });
    expect(session.chat.status).toBe("ready");

    await session.chat.addToolApprovalResponse({ id: session.approvalId, approved: true });
    await session.toolIn("output-available");
    await session.ready();
    expect(session.text()).toContain("A-1001");
    expect(session.toolParts()).toHaveLength(2);
    expect(session.chat.messages).toHaveLength(2);
    expect(session.cards()).toMatchObject([{ data: { status: "executed", decidedBy: "finance" } }]);
    expect(await demo.effectsOf(session.approvalId)).toHaveLength(1);
    expect(session.errors).toEqual([]);
  });

  it("denies a call with the person's reason", async () => {
    await using demo = await openDemo();
    const session = await refundAsked(demo);

    await session.chat.addToolApprovalResponse({
      id: session.approvalId,
      approved: false,
      reason: "Not without a receipt",
    });
    await session.toolIn("output-denied");
    await session.ready();

    expect(session.cards()).toMatchObject([{ data: { status: "denied", reason: "Not without a receipt" } }]);
    expect(demo.lastModelRequest()).toContain("Not without a receipt");
    expect(await demo.effectsOf(session.approvalId)).toEqual([]);
  });

  it("continues with a second message", async () => {
    await using demo = await openDemo();
    const session = await refundAsked(demo);
    await session.chat.addToolApprovalResponse({ id: session.approvalId, approved: true });
    await session.toolIn("output-available");
    await session.ready();

    await session.chat.sendMessage({ text: "Please refund order A-1002" });
    const second = await session.toolIn("approval-requested");

    expect(session.chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(second?.approval?.id).not.toBe(session.approvalId);
    expect(new Set(session.chat.messages.map(({ id }) => id)).size).toBe(4);
  });

  it("follows a call that another person decides, and does not offer it to the requester", async () => {
    await using demo = await openDemo();
    const session = open(demo, "requester");
    const sending = session.chat.sendMessage({ text: "Please refund order A-1001" });
    const [card] = await eventually(
      async () => (session.cards()[0]?.data.status === "pending" ? session.cards() : undefined),
      "the card of the waiting call",
    );
    expect(card?.data).toMatchObject({
      decidableHere: false,
      mayDecide: false,
      approvers: { roles: ["admin", "finance", "lead"] },
      url: expect.stringContaining("/inbox/"),
    });
    expect(session.toolParts().map(({ type }) => type)).toEqual(["tool-lookup_order"]);
    expect(session.chat.status).toBe("streaming");

    const waiting = await demo.waiting(session.id);
    await demo.decide("finance", waiting, { type: "approve" });
    await sending;
    expect(await session.toolIn("output-available")).toMatchObject({ input: { amount: 49.9 } });
    expect(session.text()).toContain("A-1001");
  });

  it("shows an error for a reason that is too long, and asks again", async () => {
    await using demo = await openDemo();
    const session = await refundAsked(demo);
    await session.chat.addToolApprovalResponse({
      id: session.approvalId,
      approved: true,
      reason: "x".repeat(10_001),
    });
    await session.toolIn("approval-requested");
    await session.ready();
    expect(session.cards()).toMatchObject([
      { data: { status: "pending", refused: expect.stringContaining("at most 10,000 characters") } },
    ]);

    await session.chat.addToolApprovalResponse({ id: session.approvalId, approved: true });
    await session.toolIn("output-available");
    await session.ready();
  });

  it("shows the other decision when the call was already decided in the inbox", async () => {
    await using demo = await openDemo();
    const session = await refundAsked(demo);
    await demo.decide("lead", await demo.approval("finance", session.approvalId), {
      type: "deny",
      reason: "Too late",
    });

    await session.chat.addToolApprovalResponse({ id: session.approvalId, approved: true });
    await session.toolIn("output-denied");
    await session.ready();

    expect(session.cards()).toMatchObject([
      { data: { status: "denied", decidedBy: "lead", refused: "lead had already denied this call" } },
    ]);
    expect(await demo.effectsOf(session.approvalId)).toEqual([]);
  });

  it("says that a denial came too late, and shows no denial beside a call that ran", async () => {
    await using demo = await openDemo();
    const session = await refundAsked(demo);
    await demo.decide("lead", await demo.approval("finance", session.approvalId), { type: "approve" });
    await eventually(
      async () => (await demo.approval("finance", session.approvalId)).status === "executed" || undefined,
      "the refund",
    );

    await session.chat.addToolApprovalResponse({ id: session.approvalId, approved: false, reason: "No" });
    const ran = await session.toolIn("output-available");
    await session.ready();
    expect(ran?.approval).not.toHaveProperty("approved");
    expect(session.cards()).toMatchObject([
      { data: { status: "executed", refused: "lead had already approved this call; it ran" } },
    ]);
  });

  it("does not refuse an answer that is sent again, or that agrees with the decision", async () => {
    await using demo = await openDemo();
    const session = await refundAsked(demo);
    const tabs = [open(demo, "finance", session.id), open(demo, "finance", session.id)];
    for (const { chat } of tabs) await chat.resumeStream();
    for (const tab of [session, ...tabs]) {
      await tab.chat.addToolApprovalResponse({ id: session.approvalId, approved: true });
      await tab.toolIn("output-available");
      await tab.ready();
      expect(tab.cards()).toMatchObject([{ data: { status: "executed", refused: null } }]);
    }
  });

  it("shows the arguments that ran when another person edited them", async () => {
    await using demo = await openDemo();
    const session = await refundAsked(demo);
    const edit = { type: "edit", input: { orderId: "A-1001", customerId: "C-1", amount: 20 } };
    await demo.decide("lead", await demo.approval("finance", session.approvalId), edit);

    await session.chat.addToolApprovalResponse({ id: session.approvalId, approved: true });
    expect(await session.toolIn("output-available")).toMatchObject({ input: edit.input });
    await session.ready();
    expect(session.toolParts()).toHaveLength(2);
    expect(session.cards()).toMatchObject([
      {
        data: {
          status: "executed",
          decidedBy: "lead",
          editedInput: edit.input,
          refused: expect.stringContaining("lead had already approved this call with changes"),
        },
      },
    ]);
    expect(await demo.effects()).toMatchObject([{ input: edit.input }]);
  });

  it("resumes after a reload, and the approval can still be given", async () => {
    await using demo = await openDemo();
    const before = await refundAsked(demo);

    const after = open(demo, "finance", before.id);
    await after.chat.resumeStream();
    const asked = await after.toolIn("approval-requested");
    expect(asked?.approval).toEqual(before.asked?.approval);
    await after.chat.addToolApprovalResponse({ id: before.approvalId, approved: true });
    await after.toolIn("output-available");
    await after.ready();
    expect(await demo.effectsOf(before.approvalId)).toHaveLength(1);

    const later = open(demo, "finance", before.id);
    await later.chat.resumeStream();
    expect(later.cards()).toMatchObject([{ data: { status: "executed", decidedBy: "finance" } }]);
  });

  it("asks for both calls of a response, and decides them when both are answered", async () => {
    await using demo = await openDemo();
    const session = open(demo, "finance");
    await session.chat.sendMessage({ text: "Please refund orders A-1001 and A-1002" });
    const asked = session.toolParts().filter(({ state }) => state === "approval-requested");
    expect(asked).toHaveLength(2);

    const [first, second] = asked.map(({ approval }) => approval?.id ?? "");
    await session.chat.addToolApprovalResponse({ id: first ?? "", approved: true });
    expect((await demo.approval("finance", first ?? "")).status).toBe("pending");
    await session.chat.addToolApprovalResponse({ id: second ?? "", approved: false });
    await session.toolIn("output-denied");
    await session.toolIn("output-available");
    await session.ready();
    expect(await demo.effectsOf(first ?? "")).toHaveLength(1);
    expect(await demo.effectsOf(second ?? "")).toEqual([]);
  });
});

describe("a question in a chat", () => {
  it("is answered through the tool's output, and asked again after an invalid answer", async () => {
    await using demo = await openDemo();
    const session = open(demo, "requester");
    await session.chat.sendMessage({ text: "Ask which carrier to use for A-1002" });
    const question = await session.toolIn("input-available", "request_human_input");
    expect(question?.input).toMatchObject({ message: expect.any(String), choices: expect.any(Array) });
    await session.ready();
    const answer = async (content: object) =>
      session.chat.addToolOutput({
        tool: "request_human_input",
        toolCallId: question?.toolCallId ?? "",
        output: { action: "accept", content },
      });

    await answer({ choice: "By pigeon" });
    await eventually(() => session.cards()[0]?.data.refused ?? undefined, "the answer to be refused");
    await session.ready();
    expect(session.toolParts().at(-1)).toMatchObject({ state: "input-available" });

    await answer({ choice: "DHL" });
    await eventually(() => session.text().includes("DHL") || undefined, "the agent to book the carrier");
    await session.ready();
    expect(await demo.effects()).toMatchObject([{ toolName: "book_carrier", input: { carrier: "DHL" } }]);
  });

  it("shows the answer that counted to a person whose answer came too late", async () => {
    await using demo = await openDemo();
    const session = open(demo, "requester");
    await session.chat.sendMessage({ text: "Ask which carrier to use for A-1002" });
    const question = await session.toolIn("input-available", "request_human_input");
    await session.ready();
    const waiting = await demo.waiting(session.id, "requester");
    const counted = { action: "accept", content: { choice: "DHL" } };
    await demo.decide("requester", waiting, { type: "respond", response: counted });
    await session.chat.addToolOutput({
      tool: "request_human_input",
      toolCallId: question?.toolCallId ?? "",
      output: { action: "accept", content: { choice: "UPS" } },
    });
    await eventually(() => session.text().includes("DHL") || undefined, "the agent to book the carrier");
    await session.ready();
    const [card] = session.cards();
    expect(card).toMatchObject({ data: { refused: "You had already answered this call" } });
    const answered = await session.toolIn("output-available", "request_human_input");
    expect(JSON.stringify(answered)).not.toContain('"choice":"UPS"');
    expect(session.toolParts().filter(({ type }) => type === "tool-request_human_input")).toHaveLength(1);
  });
});

describe("an approval that expires in a chat", () => {
  it("is shown as an error, and a late answer changes nothing", async () => {
    await using demo = await openDemo({ COUNTERSIGN_TIMEOUT: "1 second" });
    const session = await refundAsked(demo);
    await eventually(
      async () => (await demo.approval("finance", session.approvalId)).status === "expired" || undefined,
      "the approval to expire",
    );

    await session.chat.addToolApprovalResponse({ id: session.approvalId, approved: true });
    expect(await session.toolIn("output-error")).toMatchObject({ errorText: "Nobody decided in time" });
    await session.ready();
    expect(session.cards()).toMatchObject([
      { data: { refused: "Nobody had decided in time. This call did not run" } },
    ]);
    expect(await demo.effectsOf(session.approvalId)).toEqual([]);
  });
});
