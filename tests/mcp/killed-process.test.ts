import { expect, it } from "vitest";
import { eventually } from "../support/harness.js";
import { killableDesk } from "../support/mcp/killable-desk.js";
import { tripSite } from "../support/mcp/trip-site.js";
import { v1TripSite } from "../support/mcp/v1-trip-site.js";

const aisle = { action: "accept", content: { seat: "aisle" } };

it("after kill -9 while a question waits, a new process sends the same request once, byte for byte", async () => {
  await using site = await tripSite();
  await using desk = await killableDesk(site);
  await desk.start();
  await desk.say();
  const before = await desk.question();
  await desk.kill();

  await desk.start();
  const after = await desk.question();
  expect(after).toEqual(before);
  expect((await desk.respond(after, aisle)).status).toBe(200);
  expect(await desk.modelInput()).toContain("booked Oslo, aisle");
  expect(site.deeds).toHaveLength(1);
  const [first, again, ...more] = site.calls();
  expect(more).toEqual([]);
  expect(again?.requestState).toBe(site.states()[0]);
  expect({ ...again, requestState: undefined, inputResponses: undefined }).toEqual(first);
});

it("after kill -9 during the retry, a new process repeats the request byte for byte", async () => {
  await using site = await tripSite();
  await using desk = await killableDesk(site);
  await desk.start();
  await desk.say();
  const question = await desk.question();
  const received: unknown[] = [];
  site.before = async (request) => {
    const { method, params } = JSON.parse(await request.text());
    if (method !== "tools/call") return undefined;
    received.push(params);
    if (received.length > 1) return undefined;
    await desk.kill();
    return new Response(null, { status: 500 });
  };
  // The connection may break, because the process dies.
  await desk.respond(question, aisle).catch(() => undefined);
  await eventually(() => received[0], "the retry");
  await desk.kill();

  await desk.start();
  expect(await desk.modelInput()).toContain("booked Oslo, aisle");
  expect(received).toHaveLength(2);
  expect(received[1]).toEqual(received[0]);
  expect(site.deeds).toHaveLength(1);
});

it("after kill -9 while a server of SDK v1 waits, the answer is not delivered and the model reads that", async () => {
  await using site = await v1TripSite();
  await using desk = await killableDesk(site);
  await desk.start();
  await desk.say();
  const question = await desk.question();
  await desk.kill();

  await desk.start();
  expect((await desk.respond(question, aisle)).status).toBe(200);
  expect(await desk.modelInput()).toContain("over a connection that was lost before the answer came");
  expect(site.deeds.filter(({ answer }) => answer === "accept")).toEqual([]);
});
