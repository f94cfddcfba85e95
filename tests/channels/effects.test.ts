import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowOf, viewOf } from "../support/api-view.js";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { hostileEffects, recordedPreview } from "../support/previews.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const { channel, sent } = recordingChannel();
let desk: Awaited<ReturnType<typeof openDeliveryDesk>>;
beforeAll(async () => {
  desk = await openDeliveryDesk(channel);
});
afterAll(() => desk[Symbol.asyncDispose]());

type Terms = NonNullable<Parameters<typeof proposeCall>[1]>["terms"];

/** The card of a call that the rule lets people decide in the channel. */
async function cardWith(terms: Terms, input: Record<string, unknown> = { id: "A-1" }) {
  const decideIn = ["inbox", channel.name];
  const [call] = await proposeCall(desk.store, {
    notify: [channel.name],
    input,
    terms: { ...terms, decideIn },
  });
  await desk.sendAll();
  const card = sent.find(({ card: { approvalId } }) => approvalId === call?.id)?.card;
  if (!call || !card) throw new Error("No card was sent");
  return { call, card };
}

describe("a card", () => {
  it("says what the call would change and may be approved if all of it is there", async () => {
    const preview = recordedPreview([{ target: "order A-1", before: "paid", after: "refunded" }], false);
    expect((await cardWith({ preview })).card).toMatchObject({
      effects: ["order A-1: paid → refunded"],
      reversible: "This cannot be undone.",
      noPreview: null,
      decisions: ["approve", "deny"],
      notWhole: null,
    });
  });

  it("says nothing of effects if the tool has no preview", async () => {
    expect((await cardWith({})).card).toMatchObject({ effects: [], reversible: null, noPreview: null });
  });

  it("says that the effects are unknown if the preview failed", async () => {
    expect((await cardWith({ preview: { failed: "late" } })).card).toMatchObject({
      effects: [],
      noPreview: "No preview: the tool took too long to say what this would change.",
      decisions: ["approve", "deny"],
    });
  });

  it.each([
    ["more than ten effects", Array.from({ length: 11 }, (_, at) => ({ target: `row ${at}` }))],
    ["a value that is cut", [{ target: "note", after: "x".repeat(301) }]],
  ])("offers no approval with %s, and says why", async (_what, effects) => {
    const { card } = await cardWith({ preview: recordedPreview(effects) });
    expect([card.decisions, card.notWhole]).toEqual([["deny"], "some effects do not fit"]);
  });

  it("hides in the effects what the rule hides in the arguments", async () => {
    const preview = recordedPreview([{ target: "card 4242-4242", after: "charge 4242-4242" }]);
    const { card } = await cardWith({ preview, redact: ["card"] }, { card: "4242-4242", amount: 5 });
    expect(card.effects).toEqual(["[hidden]"]);
  });

  it("offers no approval if only the effects have something hidden", async () => {
    const preview = recordedPreview([{ target: "cards", after: "4242-4242", count: 42 }]);
    const { card } = await cardWith({ preview, redactPatterns: ["4242-4242", "42"] });
    expect(card.effects).toEqual(["“cards (count: [hidden])”: nothing → [hidden]"]);
    expect([card.decisions, card.notWhole]).toEqual([["deny"], "some values are hidden"]);
  });

  it("names what effects hide, keeps each on its line, and warns of texts that mislead", async () => {
    const { card } = await cardWith({ preview: recordedPreview(hostileEffects) });
    expect(card.effects).toHaveLength(hostileEffects.length);
    for (const [index, { shows }] of hostileEffects.entries()) {
      expect(card.effects[index]).toContain(shows);
      expect(card.effects[index]).not.toMatch(/[\n\u202e]| {3}/);
    }
    expect(card.effects[3]).toBe("“arrow: paid → open”: nothing → “paid → refunded”");
    expect(card.warnings).toEqual([
      "effect 1.after has 60 line breaks in a row",
      "effect 2.after has characters that change the text direction: U+202E",
      "effect 3.after is unusually large: 1e+21",
      "effect 5.target has 400 spaces in a row",
    ]);
    expect([card.decisions, card.notWhole]).toEqual([["deny"], "some texts could mislead you"]);
  });

  it("leaves out the effects of arguments that an edit has replaced", async () => {
    const { call } = await cardWith({
      ...{ preview: recordedPreview([{ target: "gone\u202e" }]), editable: ["id"] },
      decisions: ["edit"],
    });
    const edited = { inputJson: '{"id":"A-2"}', digest: "d" };
    await desk.store.decide({
      ...{ approvalId: call.id, principal: { id: "ada", tenantId: "acme", roles: [] } },
      ...{ type: "edit", digest: call.digest, edited, reason: null },
    });
    await desk.sendAll();
    const last = sent.findLast(({ card: { approvalId } }) => approvalId === call.id)?.card;
    expect(last).toMatchObject({ status: "approved", effects: [], reversible: null, warnings: [] });
  });
});

describe("an approval of the API", () => {
  it("has the preview and flags what misleads in it", async () => {
    const { call } = await cardWith({ preview: recordedPreview(hostileEffects, "30m") });
    const view = await viewOf(desk, call);
    expect(view.preview).toEqual({ failed: null, reversible: "30m", effects: hostileEffects });
    expect(view.flags.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      "effects.0.after line_breaks",
      "effects.1.after direction",
      "effects.2.after large_number",
      "effects.4.target blanks",
    ]);
  });

  it("leaves out the effects in a list that leaves out the arguments", async () => {
    const { call } = await cardWith({ preview: recordedPreview([{ target: "order" }]) });
    const row = await rowOf(desk, call);
    expect([row.preview, row.valuesOmitted]).toEqual([null, true]);
  });
});
