import type { ApprovalView } from "countersign/hono";
import { expect, it } from "vitest";
import { tripProgram } from "../support/mcp/programs.js";
import { tripDesk } from "../support/mcp/trip-desk.js";
import { tripSite } from "../support/mcp/trip-site.js";

it("questions of one response wait side by side, and the server gets all answers in one request", async () => {
  await using site = await tripSite();
  await using desk = await tripDesk({
    server: site,
    call: { name: "trips-book_and_pay", input: { trip: "Oslo" } },
  });
  const questions = await desk.harness.pending(3);
  const asking = (message: string) => {
    const question = questions.find(({ input }) => Object(input).message === message);
    return { question: question as ApprovalView };
  };
  expect(new Set(questions.map(({ requestId }) => requestId)).size).toBe(1);
  await desk.respond({ action: "accept" }, asking("Pay"));
  await desk.respond({ action: "decline" }, asking("Which meal?"));
  expect(site.calls()).toHaveLength(1);
  await desk.respond({ action: "accept", content: { seat: "window" } }, asking("Which seat?"));
  expect(await desk.modelInput()).toContain("seat: accept, meal: decline, payment: accept");
  expect(site.calls().at(-1)?.inputResponses).toEqual({
    seat: { action: "accept", content: { seat: "window" } },
    meal: { action: "decline" },
    payment: { action: "accept" },
  });
  expect(site.calls()).toHaveLength(2);
});

it("a server of SDK v2 over stdio can ask twice in one call, even if it is restarted in between", async () => {
  const program = tripProgram("v2");
  await using desk = await tripDesk({
    server: program.server,
    call: { name: "trips-book_return", input: { trip: "Rome" } },
  });
  const there = await desk.question();
  await desk.closeConnections();
  await desk.respond({ action: "accept", content: { day: "2027-01-02" } });
  await desk.harness.nextPending(there);
  await desk.closeConnections();
  await desk.respond({ action: "accept", content: { day: "2027-01-09" } });
  expect(await desk.modelInput()).toContain("booked Rome: 2027-01-02 to 2027-01-09");
  expect(program.deeds()).toHaveLength(1);
});

it.each(["accept", "decline", "cancel"])(
  "a server of SDK v2 over stdio that asks to open an address is answered with %s",
  async (action) => {
    const program = tripProgram("v2");
    await using desk = await tripDesk({
      server: program.server,
      call: { name: "trips-pay", input: { trip: "Oslo" } },
    });
    const { input } = await desk.question();
    expect(input).toMatchObject({ url: "https://pay.example.com/trips?id=Oslo" });
    await desk.respond({ action });
    expect(await desk.modelInput()).toContain(`payment: ${action}`);
  },
);

it("a server that never stops asking is cut off after ten rounds, and the model reads that", async () => {
  await using site = await tripSite();
  site.before = async (request) => {
    const { id, method, params } = JSON.parse(await request.text());
    if (method !== "tools/call") return undefined;
    const round = Number(params.requestState ?? 0);
    const asks = {
      method: "elicitation/create",
      params: { message: `Round ${round}`, requestedSchema: anyForm },
    };
    const result = {
      resultType: "input_required",
      inputRequests: { q: asks },
      requestState: String(round + 1),
    };
    return Response.json({ jsonrpc: "2.0", id, result });
  };
  await using desk = await tripDesk({ server: site });
  for (let round = 0; round < 10; round++) {
    await expect.poll(async () => Object((await desk.question()).input).message).toBe(`Round ${round}`);
    await desk.respond({ action: "decline" });
  }
  expect(await desk.modelInput()).toContain("asked more than 10 times in one call");
});

const anyForm = { type: "object", properties: { word: { type: "string" } } };
