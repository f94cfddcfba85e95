import { describe, expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";
import { decideCall, waysToEnd } from "../support/ways-to-end.js";

async function openWorld(options: Parameters<typeof recordingChannel>[0] = {}) {
  const test = recordingChannel(options);
  const desk = await openDeliveryDesk(test.channel);
  const [call] = await proposeCall(desk.store, {
    notify: ["test:#finance"],
    terms: { decisions: ["approve", "deny", "respond"], decideIn: ["inbox", "test"] },
  });
  if (!call) throw new Error("unreachable");
  return { ...desk, call, test };
}

describe.each(Object.entries(waysToEnd))("the end of a call (%s)", (_, { end, status, text }) => {
  it("is shown on the call's card, which then has no buttons", async () => {
    await using world = await openWorld();
    await world.sendAll();
    const [open] = [...world.test.shown.values()];
    expect(open).toMatchObject({ status: "pending", open: true, outcome: null });
    expect(open?.decisions).toEqual(["approve", "deny"]);
    await end(world);
    await world.sendAll();
    expect(world.test.shown.size).toBe(1);
    const [closed] = [...world.test.shown.values()];
    expect(closed).toMatchObject({ status, open: false, decisions: [], outcome: { text } });
    expect(closed?.version).toBeGreaterThan(open?.version ?? 0);
    expect(await world.due()).toEqual([]);
  });

  it("posts no card if none was sent before", async () => {
    await using world = await openWorld();
    await end(world);
    await world.sendAll();
    expect(world.test.attempts).toEqual([]);
  });

  it("is reported by a channel of events, which no longer reports the call as pending", async () => {
    await using world = await openWorld({ mode: "events" });
    await end(world);
    await world.sendAll();
    const events = world.test.sent.map(({ event }) => event);
    expect(events).not.toContain("approval.pending");
    expect(events.length).toBeGreaterThan(0);
    expect(world.test.sent.at(-1)?.card).toMatchObject({ status, outcome: { text } });
  });
});

it("a transition that is rolled back writes no delivery", async () => {
  await using world = await openWorld();
  await world.sendAll();
  const before = await world.rows();
  await world.database.admin`create function countersign.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'no'; end $$`;
  await world.database.admin`create trigger refuse before insert on countersign.audit_entries
    execute function countersign.refuse()`;
  await expect(decideCall(world, "approve")).rejects.toThrow(/database query of "decide" failed/);
  expect(await world.rows()).toEqual(before);
});
