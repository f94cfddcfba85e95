import { expect, it } from "vitest";
import { tripProgram } from "../support/mcp/programs.js";
import { tripDesk } from "../support/mcp/trip-desk.js";

const aisle = { action: "accept", content: { seat: "aisle" } };

it("a server of SDK v1 over stdio gets the answer on the connection on which it asked", async () => {
  const program = tripProgram("v1");
  await using desk = await tripDesk({ server: program.server });
  const question = await desk.question();
  expect(question).toMatchObject({ mcpServer: "trips", input: { message: "Which seat for Oslo?" } });
  const waits = Date.parse(question.expiresAt ?? "") - Date.parse(question.announcedAt ?? "");
  expect(waits).toBe(5 * 60_000);
  await desk.respond(aisle);
  expect(await desk.told()).toContain("accept: aisle");
  expect(program.deeds()).toMatchObject([{ tool: "book", answer: "accept", seat: "aisle" }]);
});

it.each(["decline", "cancel"])("a server of SDK v1 reads %s", async (action) => {
  const program = tripProgram("v1");
  await using desk = await tripDesk({ server: program.server });
  await desk.respond({ action });
  expect(await desk.told()).toContain(`${action}: no seat`);
});

it("a server of SDK v1 asks for an address to be opened", async () => {
  const program = tripProgram("v1");
  await using desk = await tripDesk({
    server: program.server,
    call: { name: "trips-pay", input: { trip: "Oslo" } },
  });
  expect((await desk.question()).input).toMatchObject({ url: "https://pay.example.com/" });
  await desk.respond({ action: "accept" });
  expect(await desk.told()).toContain("payment: accept");
});

it("a question is withdrawn when its server stops waiting, and the run goes on", async () => {
  const program = tripProgram("v1", { PATIENCE_MS: "1500" });
  await using desk = await tripDesk({ server: program.server });
  const question = await desk.question();
  expect(await desk.told()).toContain("none (-32001)");
  expect(await desk.harness.approval(question.id)).toMatchObject({
    status: "withdrawn",
    withdrawalCause: "asker_gone",
  });
});

it("an answer that comes after the connection was lost is not delivered, and the model reads that", async () => {
  const program = tripProgram("v1");
  await using desk = await tripDesk({ server: program.server });
  const question = await desk.question();
  await desk.closeConnections();
  const told = await desk.told();
  expect(told).toMatch(/gave no usable answer|connection that was lost/);
  expect(await desk.harness.approval(question.id)).toMatchObject({ status: "withdrawn" });
  expect(program.deeds()).toEqual([]);
});

it("a server of SDK v2 over stdio asks without holding anything", async () => {
  const program = tripProgram("v2");
  await using desk = await tripDesk({ server: program.server });
  const question = await desk.question();
  const waits = Date.parse(question.expiresAt ?? "") - Date.parse(question.announcedAt ?? "");
  expect(waits).toBe(30 * 60_000);
  // Its process ends, as with a restart of ours; the answer goes to a new one.
  await desk.closeConnections();
  await desk.respond(aisle);
  expect(await desk.told()).toContain("booked Oslo, aisle");
  expect(program.deeds()).toMatchObject([{ tool: "book", answer: "accept", seat: "aisle" }]);
});

it("a server of 2025-11-25 over stdio that refuses with -32042 is not called again when nobody opens the address", async () => {
  const program = tripProgram("v1");
  await using desk = await tripDesk({
    server: program.server,
    call: { name: "trips-buy", input: { trip: "Oslo" } },
  });
  expect((await desk.question()).input).toMatchObject({ url: "https://pay.example.com/buy?id=Oslo" });
  await desk.respond({ action: "decline" });
  expect(await desk.told()).toContain("A person declined to open it");
  expect(program.deeds()).toHaveLength(1);
});
