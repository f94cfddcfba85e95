import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";
import { decideCall, waysToEnd } from "../support/ways-to-end.js";

/** A channel of cards, and one of events. */
async function openWorld() {
  const cards = recordingChannel();
  const events = recordingChannel({ name: "events", mode: "events" });
  const desk = await openDeliveryDesk(cards.channel, events.channel);
  async function propose() {
    const [call] = await proposeCall(desk.store, {
      notify: ["test:#finance", "events"],
      terms: { decisions: ["approve", "deny", "respond"], decideIn: ["inbox", "test"] },
    });
    if (!call) throw new Error("unreachable");
    return call;
  }
  return { ...desk, cards, events, propose };
}

it.each(Object.entries(waysToEnd))(
  "the end of a call (%s) closes its card, or posts none, and is told as an event",
  async (_, { end, status, text }) => {
    await using world = await openWorld();
    const { cards, events } = world;
    const shown = await world.propose();
    await world.sendAll();
    const [open] = [...cards.shown.values()];
    expect(open).toMatchObject({ status: "pending", open: true, outcome: null });
    expect(open?.decisions).toEqual(["approve", "deny"]);
    await end({ ...world, call: shown });
    await world.sendAll();
    expect(cards.shown.size).toBe(1);
    const [closed] = [...cards.shown.values()];
    expect(closed).toMatchObject({ status, open: false, decisions: [], outcome: { text } });
    expect(closed?.version).toBeGreaterThan(open?.version ?? 0);
    expect(await world.due()).toEqual([]);

    // Another call, which ends before any message about it was sent.
    const posted = cards.attempts.length;
    const call = await world.propose();
    await end({ ...world, call });
    await world.sendAll();
    expect(cards.attempts).toHaveLength(posted);
    const told = events.sent.filter(({ card }) => card.approvalId === call.id);
    expect(told.map(({ event }) => event)).not.toContain("approval.pending");
    expect(told.at(-1)?.card).toMatchObject({ status, outcome: { text } });
  },
);

it("a transition that is rolled back writes no delivery", async () => {
  await using world = await openWorld();
  const call = await world.propose();
  await world.sendAll();
  const before = await world.rows();
  await world.database.admin`create function countersign.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no'; end $$`;
  await world.database.admin`create trigger refuse before insert on countersign.audit_entries
    execute function countersign.refuse()`;
  await expect(decideCall({ ...world, call }, "approve")).rejects.toThrow(
    /database query of "decide" failed/,
  );
  expect(await world.rows()).toEqual(before);
});
