import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditor, rowOf, viewOf } from "../support/api-view.js";
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
  it("has each count as text and as fields", async () => {
    const { call } = await cardWith({ counts: [recordedCalls, recordedSum] });
    const view = await viewOf(desk, call);
    const { text: condition, ...fields } = recordedSum;
    expect(view.counts).toEqual([
      expect.objectContaining({ text: lines.calls, condition: recordedCalls.text, exceeds: false }),
      { ...fields, condition, text: lines.sum, unit: null, hidden: false, exceeds: true },
    ]);
  });

  it("hides a sum from all who do not see the amount", async () => {
    const { call } = await cardWith({ counts: [recordedSum], redact: ["amount"] });
    const hidden = await viewOf(desk, call);
    expect(hidden.counts).toMatchObject([
      { text: lines.hiddenSum, total: null, hidden: true, exceeds: false },
    ]);
    expect(JSON.stringify(hidden)).not.toMatch(figure("2340"));
    expect((await viewOf(desk, call, auditor)).counts).toMatchObject([
      { text: lines.sum, total: 2340.5, hidden: false, exceeds: true },
    ]);
  });

  it("leaves out the counts in a list that leaves out the arguments", async () => {
    const { call } = await cardWith({ counts: [recordedSum] });
    const row = await rowOf(desk, call);
    expect([row.counts, row.valuesOmitted]).toEqual([[], true]);
  });
});
