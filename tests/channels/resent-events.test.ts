import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const minute = 60_000;

/** A card that is due, and the ids of the events that the relay would send for it. */
async function openDueCard(...answers: NonNullable<Parameters<typeof recordingChannel>[0]>["answers"] & {}) {
  const test = recordingChannel({ answers });
  const desk = await openDeliveryDesk(test.channel);
  await proposeCall(desk.store, { notify: ["test"] });
  const resendIds = async () => {
    const overdue = await desk.store.overdueDeliveries(["test"], 10);
    return overdue.map(({ resendId }) => resendId);
  };
  return { ...desk, test, resendIds };
}

it("the relay repeats the event of a due message after 1, 3 and 7 minutes, not on every round", async () => {
  await using desk = await openDueCard();
  const ids: (string | undefined)[] = [];
  for (let minutes = 0; minutes <= 8; minutes++) {
    desk.time.offset = minutes * minute + 10_000;
    const [id, ...others] = await desk.resendIds();
    expect(others).toEqual([]);
    ids.push(id);
  }
  expect(new Set(ids).size).toBe(4);
  expect(ids.map((id) => ids.indexOf(id))).toEqual([0, 1, 1, 3, 3, 3, 3, 7, 7]);
});

it("the relay uses a new event id for a message after each attempt", async () => {
  await using desk = await openDueCard({ ok: false, error: "down" }, { ok: false, error: "down" });
  const seen = new Set<string>();
  for (let round = 0; round < 3; round++) {
    desk.time.offset += minute;
    for (const id of await desk.resendIds()) seen.add(id);
    for (const id of await desk.due()) await desk.attempt(id);
    for (const id of await desk.due()) await desk.attempt(id);
  }
  expect(desk.test.attempts.length).toBeGreaterThanOrEqual(2);
  expect(seen.size).toBe(3);
});
