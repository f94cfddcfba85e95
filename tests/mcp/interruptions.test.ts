import { expect, it } from "vitest";
import type { HarnessOptions } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { tripProgram } from "../support/mcp/programs.js";
import { tripDesk } from "../support/mcp/trip-desk.js";
import { tripSite } from "../support/mcp/trip-site.js";

const aisle = { action: "accept", content: { seat: "aisle" } };

it.each([undefined, "each-planned-step"] as const)(
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

/** Calls `beforeDecision` when an answer has arrived and is about to be recorded. */
const whenAnswered = (beforeDecision: () => Promise<void>): Pick<HarnessOptions, "between"> => ({
  between: (store) =>
    interceptedStore(store, {
      async decide(carryOut, ...args) {
        await beforeDecision();
        return carryOut(...args);
      },
    }),
});

it("an answer to a question that expires meanwhile is refused, and the server gets cancel", async () => {
  await using site = await tripSite();
  await using desk = await tripDesk({
    server: site,
    ...whenAnswered(() => desk.harness.clock.advance("31m")),
  });
  const question = await desk.question();
  expect(await desk.respond(aisle, { question })).toMatchObject({ status: 410, body: { code: "expired" } });
  expect(await desk.modelInput()).toContain("not booked: cancel");
  expect(site.deeds).toMatchObject([{ tool: "book", answer: "cancel" }]);
  expect(await desk.harness.approval(question.id)).toMatchObject({ status: "expired", decision: null });
});

it("an answer to a pushed question that expires meanwhile is refused, and the server gets cancel", async () => {
  const program = tripProgram("v1");
  await using desk = await tripDesk({
    server: program.server,
    ...whenAnswered(() => desk.harness.clock.advance("6m")),
  });
  const question = await desk.question();
  expect(await desk.respond(aisle, { question })).toMatchObject({ status: 410, body: { code: "expired" } });
  expect(await desk.modelInput()).toContain("cancel: no seat");
  expect(program.deeds()).toMatchObject([{ tool: "book", answer: "cancel" }]);
});

it("an answer that was recorded in time reaches its server after the question's deadline", async () => {
  await using site = await tripSite();
  await using desk = await tripDesk({
    server: site,
    // Without its wake-up the run reads the answer only when its wait ends, after the deadline.
    onEvent: ({ name }) => (name === "countersign/request.wake-up" ? "drop" : "deliver"),
  });
  const question = await desk.question();
  expect((await desk.respond(aisle, { question })).status).toBe(200);
  await desk.harness.clock.advance("31m");
  expect(await desk.modelInput()).toContain("booked Oslo, aisle");
  expect(site.deeds).toMatchObject([{ tool: "book", answer: "accept", seat: "aisle" }]);
});
