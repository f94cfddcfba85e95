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
  expect(await desk.modelInput()).toContain("accept: aisle");
  expect(program.deeds()).toMatchObject([{ tool: "book", answer: "accept", seat: "aisle" }]);
});

it("a server of SDK v1 over stdio can ask a person to open an address", async () => {
  const program = tripProgram("v1");
  await using desk = await tripDesk({
    server: program.server,
    call: { name: "trips-pay", input: { trip: "Oslo" } },
  });
  expect((await desk.question()).input).toMatchObject({ url: "https://pay.example.com/" });
  await desk.respond({ action: "accept" });
  expect(await desk.modelInput()).toContain("payment: accept");
});

it("an answer whose step is repeated does not answer the next question", async () => {
  const program = tripProgram("v1");
  let repeated = 0;
  await using desk = await tripDesk({
    server: program.server,
    call: { name: "trips-book_return", input: { trip: "Oslo" } },
    replaying: "each-planned-step",
    async onRequest(request, handle) {
      const again = request.clone();
      const response = await handle(request);
      if (!/"op":"StepRun".*:call:1"/s.test(await response.clone().text())) return response;
      repeated += 1;
      return handle(again);
    },
  });
  const first = await desk.question();
  await desk.respond({ action: "accept", content: { day: "Monday" } });
  const second = await desk.harness.nextPending(first);
  expect(second.input).toMatchObject({ message: "Which day back?" });
  await desk.respond({ action: "accept", content: { day: "Friday" } }, { question: second });
  expect(await desk.modelInput()).toContain("booked Oslo: Monday to Friday");
  expect(repeated).toBe(1);
});

it("a question is withdrawn when its server stops waiting, and the run continues", async () => {
  const program = tripProgram("v1", { PATIENCE_MS: "1500" });
  await using desk = await tripDesk({ server: program.server });
  const question = await desk.question();
  expect(await desk.modelInput()).toContain("none (-32001)");
  expect(await desk.harness.approval(question.id)).toMatchObject({
    status: "withdrawn",
    withdrawalCause: "asker_gone",
  });
});

it("a question is withdrawn when its connection is lost, and a later answer is refused", async () => {
  const program = tripProgram("v1");
  await using desk = await tripDesk({ server: program.server });
  const question = await desk.question();
  await desk.closeConnections();
  const modelInput = await desk.modelInput();
  expect(modelInput).toMatch(/gave no usable answer|connection that was lost/);
  expect(await desk.respond(aisle, { question })).toMatchObject({
    status: 409,
    body: { code: "withdrawn" },
  });
  expect(await desk.harness.approval(question.id)).toMatchObject({ status: "withdrawn" });
  expect(program.deeds()).toEqual([]);
});

it("a question of a server of SDK v2 over stdio holds no connection open", async () => {
  const program = tripProgram("v2");
  await using desk = await tripDesk({ server: program.server });
  const question = await desk.question();
  const waits = Date.parse(question.expiresAt ?? "") - Date.parse(question.announcedAt ?? "");
  expect(waits).toBe(30 * 60_000);
  // The server's process ends, as after a restart of Countersign. The answer goes to a new process.
  await desk.closeConnections();
  await desk.respond(aisle);
  expect(await desk.modelInput()).toContain("booked Oslo, aisle");
  expect(program.deeds()).toMatchObject([{ tool: "book", answer: "accept", seat: "aisle" }]);
});

it("a server over stdio that refuses with -32042 is not called again after a person declines", async () => {
  const program = tripProgram("v1");
  await using desk = await tripDesk({
    server: program.server,
    call: { name: "trips-buy", input: { trip: "Oslo" } },
  });
  expect((await desk.question()).input).toMatchObject({ url: "https://pay.example.com/buy?id=Oslo" });
  await desk.respond({ action: "decline" });
  expect(await desk.modelInput()).toContain("A person declined to open it");
  expect(program.deeds()).toHaveLength(1);
});
