import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { headlessChat } from "../support/chat/headless-chat.js";
import { freshPostgres } from "../support/databases.js";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";
import { eventually } from "../support/harness.js";

let demo: DemoWorld;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo[Symbol.asyncDispose]());

const message = "Book a courier for A-1004";
const accept = (content: object) => ({ type: "respond", response: { action: "accept", content } });

describe("the courier's MCP server", () => {
  it("asks the staff for the delivery window, not the requester, and books their answer", async () => {
    const threadId = await demo.say(message);
    const question = await demo.waiting(threadId);
    expect(question).toMatchObject({
      toolName: "request_human_input",
      verdict: "manual",
      requesterId: "requester",
      approvers: { roles: ["admin", "finance", "lead"] },
      input: {
        server: "courier",
        tool: "book",
        message: "When should the courier deliver order A-1004?",
        form: { required: ["window"] },
      },
    });
    const window = "12:00 to 16:00";
    expect((await demo.decide("requester", question, accept({ window }))).status).toBe(403);
    expect(await demo.decide("finance", question, accept({ window: "at night" }))).toMatchObject({
      status: 400,
      body: { code: "invalid_response", errors: [{ field: "response.content.window" }] },
    });
    expect((await demo.decide("finance", question, accept({ window, note: "Ring twice" }))).status).toBe(200);

    expect(await demo.lastWords(threadId)).toBe("A courier is booked for order A-1004, from 12:00 to 16:00.");
    expect(await demo.effects()).toMatchObject([
      { toolName: "courier-book", input: { orderId: "A-1004", window, note: "Ring twice" } },
    ]);
  });

  it.each(["decline", "cancel"])("books nothing if the staff answer with %s", async (action) => {
    const before = await demo.effects();
    const threadId = await demo.say(message);
    const question = await demo.waiting(threadId);
    await demo.decide("lead", question, { type: "respond", response: { action } });
    expect(await demo.lastWords(threadId)).toBe("No courier was booked for order A-1004.");
    expect(await demo.effects()).toEqual(before);
  });

  it("has its question shown in the chat, first pending and then answered", async () => {
    const session = headlessChat({ api: `${demo.api}/ai/chat`, token: "demo-requester", id: "courier" });
    const sent = session.chat.sendMessage({ text: message });
    const question = await demo.waiting("courier");
    const card = await eventually(() => session.cards()[0]?.data, "the question in the chat");
    expect(card).toMatchObject({
      toolName: "request_human_input",
      summary: "“When should the courier deliver order A-1004?”",
      status: "pending",
      decidableHere: false,
    });
    await demo.decide("admin", question, accept({ window: "8:00 to 12:00" }));
    await sent;
    expect(session.text()).toBe("A courier is booked for order A-1004, from 8:00 to 12:00.");
    expect(session.cards()).toMatchObject([{ data: { status: "responded", decidedBy: "admin" } }]);
    expect(session.errors).toEqual([]);
  });
});

it("the demo books a courier with an answer that is given after a restart", async () => {
  await using database = await freshPostgres(1);
  const folder = mkdtempSync(join(tmpdir(), "courier-"));
  const open = () => openDemo({ DATABASE_URL: database.url, DATA_DIR: folder });
  const first = await open();
  const threadId = await first.say(message);
  const question = await first.waiting(threadId);
  await first[Symbol.asyncDispose]();
  await using second = await open();
  await second.decide("finance", question, accept({ window: "16:00 to 20:00" }));
  expect(await second.lastWords(threadId)).toBe("A courier is booked for order A-1004, from 16:00 to 20:00.");
  expect(await second.effects()).toHaveLength(1);
});
