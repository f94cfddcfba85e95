import { afterAll, beforeAll, expect, it } from "vitest";
import { rowOf, viewOf } from "../support/api-view.js";
import { giveBudget, hundred, proposeOne } from "../support/budgets.js";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { recordingChannel } from "../support/recording-channel.js";

const { channel, sent } = recordingChannel();
let desk: Awaited<ReturnType<typeof openDeliveryDesk>>;
beforeAll(async () => {
  desk = await openDeliveryDesk(channel);
  await giveBudget(desk.store, hundred);
});
afterAll(() => desk[Symbol.asyncDispose]());

const why =
  "A standing permission covers this kind, but 0 of 100 EUR are used, and this one asks for 800 EUR.";

it("a card says why a call is asked that does not fit into a budget, and the API has the numbers", async () => {
  const call = await proposeOne(desk.store, 800, { announce: true, notify: [channel.name] });
  await desk.sendAll();
  expect(sent.find(({ card }) => card.approvalId === call.id)?.card.reasons).toEqual([why]);
  expect((await viewOf(desk, call)).overBudget).toMatchObject({
    total: 100,
    used: 0,
    unit: "EUR",
    amount: 800,
  });
});

it("a list that leaves out the arguments leaves out what the call asks for", async () => {
  const call = await proposeOne(desk.store, 800, { announce: true });
  expect((await rowOf(desk, call)).overBudget).toBeNull();
});
