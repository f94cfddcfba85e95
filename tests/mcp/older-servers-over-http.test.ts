import { expect, it } from "vitest";
import { tripDesk } from "../support/mcp/trip-desk.js";
import { v1TripSite } from "../support/mcp/v1-trip-site.js";

const aisle = { action: "accept", content: { seat: "aisle" } };

it("a server of SDK v1 over HTTP gets the answer on the stream of its call", async () => {
  await using site = await v1TripSite();
  await using desk = await tripDesk({ server: site });
  const question = await desk.question();
  expect(question).toMatchObject({ mcpServer: "trips", input: { message: "Which seat for Oslo?" } });
  await desk.respond(aisle);
  expect(await desk.modelInput()).toContain("accept: aisle");
  expect(site.deeds).toMatchObject([{ tool: "book", answer: "accept", seat: "aisle" }]);
});

it("a server of SDK v1 over HTTP can ask twice in one call, and each answer goes to its question", async () => {
  await using site = await v1TripSite();
  await using desk = await tripDesk({
    server: site,
    call: { name: "trips-book_return", input: { trip: "Rome" } },
  });
  const there = await desk.question();
  await desk.respond({ action: "accept", content: { day: "Monday" } });
  const back = await desk.harness.nextPending(there);
  expect(back.input).toMatchObject({ message: "Which day back?" });
  await desk.respond({ action: "accept", content: { day: "Friday" } }, { question: back });
  expect(await desk.modelInput()).toContain("booked Rome: Monday to Friday");
  expect(site.deeds).toHaveLength(1);
});

it("a server that refuses with -32042 gets the call again after a person opened the address", async () => {
  await using site = await v1TripSite();
  await using desk = await tripDesk({
    server: site,
    call: { name: "trips-buy", input: { trip: "Oslo" } },
  });
  const question = await desk.question();
  expect(question.input).toMatchObject({
    message: "Pay for Oslo",
    url: "https://pay.example.com/buy?id=Oslo",
  });
  // No connection is held open: the question has the usual timeout, and the call can use a new connection.
  const waits = Date.parse(question.expiresAt ?? "") - Date.parse(question.announcedAt ?? "");
  expect(waits).toBe(30 * 60_000);
  await desk.closeConnections();
  site.paid.add("Oslo");
  await desk.respond({ action: "accept" });
  expect(await desk.modelInput()).toContain("bought Oslo");
  expect(site.deeds.map(({ paid }) => paid)).toEqual([false, true]);
});

it("a server that refuses with -32042 is not called again after cancel, and the model reads that", async () => {
  await using site = await v1TripSite();
  await using desk = await tripDesk({
    server: site,
    call: { name: "trips-buy", input: { trip: "Oslo" } },
  });
  await desk.question();
  await desk.respond({ action: "cancel" });
  expect(await desk.modelInput()).toContain("Nobody opened it");
  expect(site.deeds).toHaveLength(1);
});

it("a call after a restart of the server uses a new session", async () => {
  await using site = await v1TripSite();
  await using desk = await tripDesk({ server: site });
  await desk.question();
  await desk.respond(aisle);
  await desk.modelInput();
  await site.forgetSessions();
  await desk.harness.say("Book it again", desk.threadId);
  await desk.question();
  await desk.respond(aisle);
  await expect.poll(() => site.deeds).toHaveLength(2);
});

it("an answer after a restart of a server of SDK v1 is not delivered, and the model reads that", async () => {
  await using site = await v1TripSite();
  await using desk = await tripDesk({
    server: { url: site.url, holdFor: "4s", requestTimeout: "4s" },
  });
  const question = await desk.question();
  await site.forgetSessions();
  await desk.respond(aisle, { question });
  expect(await desk.modelInput()).toMatch(/gave no usable answer|connection that was lost/);
  expect(site.deeds.filter(({ answer }) => answer === "accept")).toEqual([]);
});
