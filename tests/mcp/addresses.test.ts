import { expect, it } from "vitest";
import { tripDesk } from "../support/mcp/trip-desk.js";
import { tripSite } from "../support/mcp/trip-site.js";

const call = { name: "trips-pay", input: { trip: "Oslo" } };

it("a person confirms that they opened an address, and an answer with content is refused", async () => {
  await using site = await tripSite();
  await using desk = await tripDesk({ server: site, call });
  const question = await desk.question();
  expect(question).toMatchObject({
    mcpServer: "trips",
    input: { message: "Pay for Oslo", url: "https://pay.example.com/trips?id=Oslo", server: "trips" },
  });
  const words = await desk.respond({ action: "accept", content: { answer: "paid" } });
  expect(words).toMatchObject({ status: 400, body: { code: "invalid_response" } });
  expect((await desk.respond({ action: "accept" })).status).toBe(200);
  expect(await desk.modelInput()).toContain("payment: accept");
  expect(site.calls().at(-1)?.inputResponses).toEqual({ payment: { action: "accept" } });
});

it("a server reads that a person declined to open its address", async () => {
  await using site = await tripSite();
  await using desk = await tripDesk({ server: site, call });
  await desk.respond({ action: "decline" });
  expect(await desk.modelInput()).toContain("payment: decline");
});
