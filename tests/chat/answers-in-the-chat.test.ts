import { ask, definePolicy, notify } from "countersign";
import { describe, expect, it } from "vitest";
import { openChattingDesk } from "../support/chat/chatting-desk.js";
import { inTurns } from "../support/desk-tools.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const email = { name: "email", input: { to: "a@example.com", text: "On its way" } };

describe("An approval in a chat", () => {
  it("is sent although a call beside it is approved already", async () => {
    await using desk = await openChattingDesk({
      policy: definePolicy({
        tools: { email: notify(), refund: ask({ approvers: { roles: ["requester", "finance"] } }) },
      }),
      reply: inTurns({ toolCalls: [email, refund] }),
    });
    const session = desk.open();
    await session.chat.sendMessage({ text: "Refund A-1 and tell the customer" });
    const asked = await session.toolIn("approval-requested", "refund");
    expect(session.toolParts()).toHaveLength(1);
    expect(session.cards()).toMatchObject([
      { data: { toolName: "email", status: "approved" } },
      { data: { toolName: "refund", status: "pending" } },
    ]);

    await session.chat.addToolApprovalResponse({ id: asked.approval?.id ?? "", approved: true });
    expect(session.posted).toHaveLength(2);
    await session.toolIn("output-available", "refund");
    await session.toolIn("output-available", "email");
    await session.ready();
    expect(desk.effects.map(({ tool }) => tool)).toEqual(["email", "refund"]);
  });
});
