import { afterAll, beforeAll, expect, it } from "vitest";
import { approvalView } from "../../packages/countersign/src/api/approval-view.js";
import { descriptorOf } from "../../packages/countersign/src/chat/chat-approval.js";
import { finance, giveBudget, hundred, proposeOne } from "../support/budgets.js";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { recordingChannel } from "../support/recording-channel.js";

const { channel, sent } = recordingChannel();
let desk: Awaited<ReturnType<typeof openDeliveryDesk>>;
beforeAll(async () => {
  desk = await openDeliveryDesk(channel);
  await giveBudget(desk.store, hundred);
});
afterAll(() => desk[Symbol.asyncDispose]());

const why = "A grant covers such calls, but 0 of 100 EUR are used, and this call asks for 800 EUR.";

it("a card says why a call is asked that does not fit into a budget, and so does a chat", async () => {
  const call = await proposeOne(desk.store, 800, { announce: true, notify: [channel.name] });
  await desk.sendAll();
  expect(sent.find(({ card }) => card.approvalId === call.id)?.card.reasons).toEqual([why]);
  const view = approvalView(call, finance, { seesEverything: false, stops: [] });
  expect(descriptorOf(view, null).reasons).toEqual([why]);
});

it("a list that leaves out the arguments leaves out what the call asks for", async () => {
  const call = await proposeOne(desk.store, 800, { announce: true });
  const view = approvalView(call, finance, { seesEverything: true, stops: [], omitValues: true });
  expect(view.overBudget).toBeNull();
});
