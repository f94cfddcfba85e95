import { randomUUID } from "node:crypto";
import { HttpAgent } from "@ag-ui/client";
import type { ChatApproval } from "@countersign/chat/ai-sdk";
import { onDecidedElsewhere } from "@countersign/chat/ai-sdk/client";
import { createApprovalsClient } from "countersign/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headlessChat } from "../support/chat/headless-chat.js";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";
import { eventually } from "../support/harness.js";

let demo: DemoWorld;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo[Symbol.asyncDispose]());

const token = "demo-finance";
const question = "Ask which carrier to use for A-1002";

/** Answers the question of the thread's agent, which then books the carrier without asking. */
async function booked(threadId: string) {
  const asked = await demo.waiting(threadId);
  await demo.decide("lead", asked, {
    type: "respond",
    response: { action: "accept", content: { choice: "UPS" } },
  });
  await demo.lastWords(threadId);
  return demo.waiting(threadId, "finance", "executed");
}

/** Asks for the undo of a call as a card shows it. */
const undo = ({ approvalId, digest }: ChatApproval) =>
  createApprovalsClient({ baseUrl: demo.api, token }).undo({ id: approvalId, body: { digest } });

/** A chat of finance in which a carrier was booked, with the card of the booking. */
async function bookingChat() {
  const id = randomUUID();
  const api = `${demo.api}/ai/chat`;
  const session = headlessChat({ api, token, id });
  const watch = (onDecided: () => void) => {
    const headers = { authorization: `Bearer ${token}` };
    return onDecidedElsewhere({ api, id, messages: session.chat.messages, request: { headers } }, onDecided);
  };
  await session.chat.sendMessage({ text: question });
  const booking = await booked(id);
  await session.chat.resumeStream();
  const card = () =>
    session.cards().find(({ id: approvalId }) => approvalId === booking.id)?.data as ChatApproval | undefined;
  return { ...session, booking, card, watch };
}

describe("an AI SDK chat", () => {
  it("shows until when a call may be undone, and that it was, once somebody has asked for it with the card's digest", async () => {
    const chat = await bookingChat();
    const before = chat.card();
    expect(before).toMatchObject({
      ...{ status: "executed", digest: chat.booking.digest },
      undo: {
        within: "10m",
        until: expect.stringMatching(/Z$/),
        mayUndo: true,
        undoId: null,
        undoneAt: null,
      },
    });
    if (!before) throw new Error("unreachable");
    const undone = new Promise<void>((resolve) => void chat.watch(resolve));
    const { undoes, status } = await undo(before);
    expect([undoes, status]).toEqual([chat.booking.id, "approved"]);
    await undone;
    await chat.chat.resumeStream();
    expect(chat.card()).toMatchObject({
      undo: {
        mayUndo: false,
        until: null,
        undoId: expect.any(String),
        undoneAt: expect.stringMatching(/Z$/),
      },
    });
    expect(chat.chat.messages).toHaveLength(2);
    chat.watch(() => expect.unreachable("Nothing can change any longer"))();
  });

  it("refuses the undo of a call that is not the one that was shown", async () => {
    const { card } = await bookingChat();
    const shown = card();
    if (!shown) throw new Error("unreachable");
    await expect(undo({ ...shown, digest: "0".repeat(64) })).rejects.toMatchObject({
      code: "digest_mismatch",
    });
    const { code } = await undo({ ...shown, approvalId: "apr_other" }).catch((error) => error);
    expect(code).toBe("not_found");
  });
});

describe("an AG-UI agent", () => {
  it("has in the event of a call whether it may be undone, and that it was", async () => {
    const threadId = randomUUID();
    const headers = { authorization: `Bearer ${token}` };
    const agent = new HttpAgent({ url: `${demo.api}/ag-ui`, threadId, headers });
    const cards: ChatApproval[] = [];
    agent.subscribe({ onCustomEvent: ({ event }) => void cards.push(event.value) });
    agent.addMessage({ id: randomUUID(), role: "user", content: question });
    await agent.runAgent();
    const { id } = await booked(threadId);
    const [interrupt] = agent.pendingInterrupts;
    const shown = async () => {
      cards.length = 0;
      const cancelled = { interruptId: interrupt?.id ?? "", status: "cancelled" as const };
      await agent.runAgent(agent.pendingInterrupts.length > 0 ? { resume: [cancelled] } : {});
      return cards.findLast(({ approvalId }) => approvalId === id);
    };
    const before = await shown();
    expect(before).toMatchObject({ status: "executed", undo: { within: "10m", mayUndo: true } });
    if (before) await undo(before);
    await eventually(async () => ((await shown())?.undo?.undoneAt ? true : undefined), "the call is undone");
  });
});
