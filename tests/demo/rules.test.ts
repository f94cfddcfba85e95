import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";
import { figure } from "../support/figure.js";

let demo: DemoWorld;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo[Symbol.asyncDispose]());

const sentTo = async (customer: string) =>
  (await demo.effects()).filter(({ input }) => JSON.stringify(input).includes(`${customer}@example.com`));

describe("the demo's rules", () => {
  it("let a person make a phone call, and report its result to the agent", async () => {
    const threadId = await demo.say("Call customer C-3 about A-1005");
    const call = await demo.waiting(threadId);
    expect(call).toMatchObject({
      verdict: "manual",
      summary: "Call customer C-3 about “order A-1005”",
      decisions: ["deny", "respond"],
    });
    expect((await demo.decide("finance", call, { type: "approve" })).status).toBe(409);
    await demo.decide("finance", call, { type: "respond", response: "She wants a voucher instead." });
    expect(await demo.lastWords(threadId)).toBe(
      "The call to customer C-3 was answered with: She wants a voucher instead.",
    );
    expect(await demo.effectsOf(call.id)).toEqual([]);
  });

  it("send further emails of a conversation under a grant, but none of another conversation", async () => {
    const threadId = await demo.say("Email customer C-3");
    const first = await demo.waiting(threadId);
    const grant = { scope: "thread", arguments: "any", expiresIn: "1h" };
    expect((await demo.decide("finance", first, { type: "approve", grant })).status).toBe(200);
    await demo.lastWords(threadId);
    expect(await sentTo("customer-3")).toHaveLength(1);

    await demo.say("Email customer C-4", threadId);
    await expect.poll(() => sentTo("customer-4"), { timeout: 45_000 }).toHaveLength(1);
    const { body } = await demo.call("finance", "/grants?live=true");
    expect(body.items).toMatchObject([{ scope: "thread", scopeId: threadId, usesTaken: 1 }]);

    const elsewhere = await demo.say("Email customer C-5");
    expect(await demo.waiting(elsewhere)).toMatchObject({ toolName: "send_email" });
    expect(await sentTo("customer-5")).toEqual([]);
  });

  it("let a colleague decide an email only after it was assigned to them", async () => {
    const threadId = await demo.say("Email customer C-6");
    const email = await demo.waiting(threadId);
    expect((await demo.decide("legal", email, { type: "approve" })).status).toBe(404);
    expect((await demo.call("finance", `/approvals/${email.id}/assign`, { to: "legal" })).status).toBe(200);
    expect((await demo.decide("legal", email, { type: "approve" })).status).toBe(200);
    expect(await demo.lastWords(threadId)).toBe("The email to customer-6@example.com is done.");
  });

  it("allow one extension of a refund's deadline", async () => {
    const threadId = await demo.say("Please refund order A-1001");
    const refund = await demo.waiting(threadId);
    const extend = () => demo.call("finance", `/approvals/${refund.id}/extend`, { by: "10m" });
    const extended = await extend();
    expect(extended.status).toBe(200);
    expect(Date.parse(extended.body.expiresAt) - Date.parse(String(refund.expiresAt))).toBe(600_000);
    expect(await extend()).toMatchObject({ status: 409, body: { code: "no_extension_left" } });
  });

  it("hide the card number in an email from the approver, and send it in full", async () => {
    const threadId = await demo.say("Email customer C-1 about A-1001");
    const email = await demo.waiting(threadId);
    expect(JSON.stringify(email)).not.toMatch(figure("1111"));
    await demo.decide("finance", email, { type: "approve" });
    await demo.lastWords(threadId);
    expect(await demo.effectsOf(email.id)).toMatchObject([
      { input: { body: expect.stringContaining("your card ending in 1111") } },
    ]);
  });

  it("forbid deleting a customer", async () => {
    const threadId = await demo.say("Delete customer C-7");
    expect(await demo.lastWords(threadId)).toMatch(/the policy does not allow it.*data team only/);
  });
});
