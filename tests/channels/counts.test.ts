import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { approvalView } from "../../packages/countersign/src/api/approval-view.js";
import { cardOf, descriptorOf } from "../../packages/countersign/src/chat/chat-approval.js";
import { hostileCount, lines, recordedCalls, recordedSum } from "../support/counts.js";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { figure } from "../support/figure.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const { channel, sent } = recordingChannel();
let desk: Awaited<ReturnType<typeof openDeliveryDesk>>;
beforeAll(async () => {
  desk = await openDeliveryDesk(channel);
});
afterAll(() => desk[Symbol.asyncDispose]());

const input = { id: "A-1", amount: 480, customerId: "ada" };
const reader = { id: "ada", tenantId: "acme", roles: [] };

/** The card of a call that the rule lets people decide in the channel. */
async function cardWith(terms: NonNullable<Parameters<typeof proposeCall>[1]>["terms"]) {
  const [call] = await proposeCall(desk.store, {
    ...{ notify: [channel.name], input },
    terms: { ...terms, decideIn: ["inbox", channel.name] },
  });
  await desk.sendAll();
  const card = sent.find(({ card: { approvalId } }) => approvalId === call?.id)?.card;
  if (!call || !card) throw new Error("No card was sent");
  return { call, card };
}

describe("a card", () => {
  it("says what limits over time counted, with hidden characters named", async () => {
    const { card } = await cardWith({ counts: [recordedCalls, recordedSum, hostileCount] });
    expect(card.counts).toEqual([lines.calls, lines.sum, lines.hostile]);
    expect([card.decisions, card.notWhole]).toEqual([["approve", "deny"], null]);
  });

  it("says nothing if nothing was counted", async () => {
    expect((await cardWith({})).card.counts).toEqual([]);
  });

  it.each([
    ["the rule hides the amount", { redact: ["amount"] }],
    ["a pattern matches the amount", { redactPatterns: ["480"] }],
    ["a pattern matches only the sum", { redactPatterns: ["2340.5"] }],
  ])("shows no sum if %s, and offers no approval", async (_what, hiding) => {
    const { card } = await cardWith({ ...hiding, counts: [recordedCalls, recordedSum] });
    expect(card.counts).toEqual([lines.calls, lines.hiddenSum]);
    expect([card.decisions, card.notWhole]).toEqual([["deny"], "some values are hidden"]);
  });

  it("leaves out what was counted for arguments that an edit has replaced", async () => {
    const { call } = await cardWith({
      ...{ counts: [recordedCalls, recordedSum], editable: ["amount"] },
      decisions: ["edit"],
    });
    const edited = { inputJson: JSON.stringify({ ...input, amount: 1 }), digest: "d" };
    await desk.store.decide({
      ...{ approvalId: call.id, principal: reader, type: "edit", digest: call.digest, edited, reason: null },
    });
    await desk.sendAll();
    const last = sent.findLast(({ card: { approvalId } }) => approvalId === call.id)?.card;
    expect(last).toMatchObject({ status: "approved", counts: [] });
  });
});

describe("an approval of the API", () => {
  const viewOf = async (
    terms: Parameters<typeof cardWith>[0],
    options: { seesEverything?: boolean; omitValues?: boolean } = {},
  ) => approvalView((await cardWith(terms)).call, reader, { seesEverything: false, stops: [], ...options });

  it("has each count as text and as fields, and the chat has the same", async () => {
    const view = await viewOf({ counts: [recordedCalls, recordedSum] });
    const { text: condition, ...fields } = recordedSum;
    expect(view.counts).toEqual([
      expect.objectContaining({ text: lines.calls, condition: recordedCalls.text, exceeds: false }),
      { ...fields, condition, text: lines.sum, unit: null, hidden: false, exceeds: true },
    ]);
    const card = cardOf({ approval: view, asks: true }, { urlOf: () => null, refusals: new Map() });
    expect([descriptorOf(view, null).counts, card?.counts]).toEqual([view.counts, view.counts]);
  });

  it("hides a sum from all who do not see the amount", async () => {
    const hiding = { counts: [recordedSum], redact: ["amount"] };
    const hidden = await viewOf(hiding);
    expect(hidden.counts).toMatchObject([
      { text: lines.hiddenSum, total: null, hidden: true, exceeds: false },
    ]);
    expect(JSON.stringify(hidden)).not.toMatch(figure("2340"));
    expect((await viewOf(hiding, { seesEverything: true })).counts).toMatchObject([
      { text: lines.sum, total: 2340.5, hidden: false, exceeds: true },
    ]);
  });

  it("leaves out the counts in a list that leaves out the arguments", async () => {
    const view = await viewOf({ counts: [recordedSum] }, { seesEverything: true, omitValues: true });
    expect([view.counts, view.valuesOmitted]).toEqual([[], true]);
  });
});
