import { expect, it } from "vitest";
import { tripDesk } from "../support/mcp/trip-desk.js";
import { tripSite } from "../support/mcp/trip-site.js";

const aisle = { action: "accept", content: { seat: "aisle" } };

it.each([undefined, "each-step", "each-planned-step"] as const)(
  "a question survives a restart of the process (replaying: %s)",
  async (replaying) => {
    await using site = await tripSite();
    await using desk = await tripDesk({ server: site, ...(replaying && { replaying }) });
    await desk.question();
    await desk.restart();
    await desk.harness.clock.advance("10m");
    await desk.respond(aisle);
    expect(await desk.modelInput()).toContain("booked Oslo, aisle");
    expect(site.deeds).toHaveLength(1);
    expect(new Set(site.calls().map(({ _meta }) => Object(_meta)["countersign/call-id"])).size).toBe(1);
  },
);

it("an answer waits while its server is down, and is sent once when the server is back", async () => {
  await using site = await tripSite();
  await using desk = await tripDesk({ server: site });
  await desk.question();
  await site.stop();
  await desk.respond(aisle);
  await desk.sleeps();
  await site.start();
  await desk.harness.clock.advance("11s");
  expect(await desk.modelInput()).toContain("booked Oslo, aisle");
  expect(site.deeds).toHaveLength(1);
});

it("a call ends with an error for the model if its server stays down", async () => {
  await using site = await tripSite();
  await using desk = await tripDesk({ server: site });
  await desk.question();
  await site.stop();
  await desk.respond(aisle);
  for (const _pause of ["10s", "30s", "1m", "5m", "15m"]) {
    await desk.sleeps();
    await desk.harness.clock.advance("16m");
  }
  expect(await desk.modelInput()).toContain("could not be reached, so nothing was sent");
});
