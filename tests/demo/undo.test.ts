import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";
import { eventually } from "../support/harness.js";

let demo: DemoWorld;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo[Symbol.asyncDispose]());

describe("a booking of the support agent", () => {
  it("can be cancelled for ten minutes by the people who are told about it", async () => {
    const threadId = await demo.say("Ask which carrier to use for A-1002");
    const question = await demo.waiting(threadId);
    const response = { action: "accept", content: { choice: "UPS" } };
    await demo.decide("lead", question, { type: "respond", response });
    await demo.lastWords(threadId);
    const booking = await demo.waiting(threadId, "finance", "executed");
    expect(booking).toMatchObject({ toolName: "book_carrier", undo: { within: "10m", mayUndo: true } });
    const body = { digest: booking.digest, reason: "The customer comes to fetch it" };
    const asked = await demo.call("finance", `/approvals/${booking.id}/undo`, body);
    expect(asked).toMatchObject({
      status: 200,
      body: { summary: "Cancel the booking of UPS for order A-1002", undoes: booking.id },
    });
    const effects = await eventually(async () => {
      const found = await demo.effects();
      return found.length > 1 ? found : undefined;
    }, "the cancellation");
    expect(effects).toMatchObject([
      { toolName: "book_carrier" },
      { toolName: "book_carrier.undo", input: { orderId: "A-1002", carrier: "UPS" } },
    ]);
  });
});
