import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";

let demo: DemoWorld;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo[Symbol.asyncDispose]());

const askForCarrier = "Ask which carrier to use for A-1002";
const askForAddress = "Ask for the customer's new address for A-1003";

describe("the desk's agent asks a person", () => {
  it("to choose, and books what was chosen", async () => {
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

  it("to fill in a form, and changes the address to what stands in it", async () => {
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
  ])("who may %s, and then does nothing and says so", async (action, words) => {
    const before = await demo.effects();
    const threadId = await demo.say(askForCarrier);
    const question = await demo.waiting(threadId);
    const { status } = await demo.decide("finance", question, { type: "respond", response: { action } });
    expect(status).toBe(200);
    expect(await demo.lastWords(threadId)).toContain(words);
    expect(await demo.effects()).toEqual(before);
  });

  it("and says so when nobody answers in time", async () => {
    await using hasty = await openDemo({ COUNTERSIGN_TIMEOUT: "1s" });
    const threadId = await hasty.say(askForCarrier);
    expect(await hasty.lastWords(threadId)).toMatch(
      /^Nobody answered in time: Which carrier .* nothing was changed/,
    );
    expect(await hasty.waiting(threadId, "finance", "expired")).toMatchObject({
      toolName: "request_human_input",
    });
    expect(hasty.lastModelRequest()).toContain("approval_expired");
    expect(await hasty.effects()).toEqual([]);
  });

  it("and goes on with the rest of what it was asked to do", async () => {
    const threadId = await demo.say(`${askForCarrier}, then look up A-1003`);
    const question = await demo.waiting(threadId);
    const content = { choice: "GLS" };
    await demo.decide("finance", question, { type: "respond", response: { action: "accept", content } });
    const words = await demo.lastWords(threadId);
    expect(words).toContain("The booking of GLS for order A-1002 is done.");
    expect(words).toContain("Order A-1003 of customer C-2");
  });
});
