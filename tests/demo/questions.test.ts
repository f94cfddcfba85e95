import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";

let demo: DemoWorld;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo[Symbol.asyncDispose]());

const askForCarrier = "Ask which carrier to use for A-1002";
const askForAddress = "Ask for the customer's new address for A-1003";

describe("a question of the support agent", () => {
  it("offers choices, and the agent books the carrier that was chosen", async () => {
    const threadId = await demo.say(askForCarrier);
    const question = await demo.waiting(threadId);
    expect(question).toMatchObject({
      toolName: "request_human_input",
      verdict: "manual",
      input: { message: expect.stringContaining("A-1002"), choices: ["DHL", "UPS", "GLS"] },
    });
    const answer = (choice: string) =>
      demo.decide("lead", question, { type: "respond", response: { action: "accept", content: { choice } } });
    expect(await answer("Pigeon")).toMatchObject({ status: 400, body: { code: "invalid_response" } });
    expect((await answer("UPS")).status).toBe(200);

    expect(await demo.lastWords(threadId)).toMatch(
      /The answer: UPS\. The booking of UPS for order A-1002 is done/,
    );
    expect(await demo.effects()).toMatchObject([
      { toolName: "book_carrier", input: { orderId: "A-1002", carrier: "UPS" } },
    ]);
    expect(await demo.waiting(threadId, "finance", "executed")).toMatchObject({
      toolName: "book_carrier",
      verdict: "notify",
      decision: { type: "approve", decidedBy: null },
    });
  });

  it("has a form that checks each field, and the agent changes the address to the answer", async () => {
    const threadId = await demo.say(askForAddress);
    const question = await demo.waiting(threadId, "requester");
    expect(question.input).toMatchObject({
      form: { type: "object", required: ["street", "postcode", "city", "country"] },
    });
    const address = {
      street: "Ringstrasse 5",
      postcode: "1010",
      city: "Wien",
      country: "AT",
      floor: 3,
      leaveAtDoor: true,
    };
    const answer = (content: object) =>
      demo.decide("requester", question, { type: "respond", response: { action: "accept", content } });
    for (const [field, value] of [
      ["country", "FR"],
      ["floor", "third"],
      ["leaveAtDoor", "yes"],
      ["postcode", "1"],
      ["street", undefined],
    ] as const) {
      expect(await answer({ ...address, [field]: value }), field).toMatchObject({
        status: 400,
        body: { code: "invalid_response", errors: [{ field: `response.content.${field}` }] },
      });
    }
    expect((await answer(address)).status).toBe(200);

    expect(await demo.lastWords(threadId)).toContain("The change of address for order A-1003 is done.");
    expect((await demo.effects()).at(-1)).toMatchObject({
      toolName: "change_address",
      input: { orderId: "A-1003", ...address },
    });
  });

  it.each([
    ["decline", "declined to answer"],
    ["cancel", "closed the question without an answer"],
  ])("accepts %s as an answer, and the agent says so and does nothing", async (action, words) => {
    const before = await demo.effects();
    const threadId = await demo.say(askForCarrier);
    const question = await demo.waiting(threadId);
    const { status } = await demo.decide("finance", question, { type: "respond", response: { action } });
    expect(status).toBe(200);
    expect(await demo.lastWords(threadId)).toContain(words);
    expect(await demo.effects()).toEqual(before);
  });

  it("expires if nobody answers in time, and the agent says so", async () => {
    await using expiring = await openDemo({ COUNTERSIGN_TIMEOUT: "1s" });
    const threadId = await expiring.say(askForCarrier);
    expect(await expiring.lastWords(threadId)).toMatch(
      /^Nobody answered in time: Which carrier .* nothing was changed/,
    );
    expect(await expiring.waiting(threadId, "finance", "expired")).toMatchObject({
      toolName: "request_human_input",
    });
    expect(expiring.lastModelRequest()).toContain("approval_expired");
    expect(await expiring.effects()).toEqual([]);
  });

  it("lets the agent continue with the rest of the request after the answer", async () => {
    const threadId = await demo.say(`${askForCarrier}, then look up A-1003`);
    const question = await demo.waiting(threadId);
    const content = { choice: "GLS" };
    await demo.decide("finance", question, { type: "respond", response: { action: "accept", content } });
    const words = await demo.lastWords(threadId);
    expect(words).toContain("The booking of GLS for order A-1002 is done.");
    expect(words).toContain("Order A-1003 of customer C-2");
  });
});
