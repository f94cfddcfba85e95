import type { Approval } from "countersign";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { type RecordingOptions, recordingChannel } from "../support/recording-channel.js";

const minute = 60_000;
const failures = (count: number) =>
  Array.from({ length: count }, () => ({ ok: false, error: "down" }) as const);

async function openWorld(options: RecordingOptions) {
  const test = recordingChannel({ roundup: { after: 3, withinMs: minute }, ...options });
  const desk = await openDeliveryDesk(test.channel);
  const propose = (given: Parameters<typeof proposeCall>[1] = {}): Promise<Approval[]> =>
    proposeCall(desk.store, { notify: ["test:#finance"], timeoutMs: 24 * 60 * minute, ...given });
  /** How many calls each roundup said were waiting. */
  const counted = () => test.roundups.map(({ roundup }) => roundup.calls);
  return { ...desk, test, propose, counted };
}

it.each([
  ["fail", { ok: false, error: "down" } as const],
  ["have an unknown outcome", { ok: false, error: "timeout", uncertain: true } as const],
])(
  "calls whose messages %s during an outage are a few cards and one roundup afterwards",
  async (_, answer) => {
    const down = () => Array.from({ length: 99 }, () => answer);
    await using world = await openWorld({ answers: down(), roundupAnswers: down() });
    for (let run = 0; run < 9; run++) {
      await world.propose();
      await world.sendAll();
      world.time.offset += minute + 1_000;
    }
    world.test.answers.length = 0;
    world.test.roundupAnswers.length = 0;
    world.time.offset += 10 * minute;
    await world.sendAll();
    expect(world.test.shown.size).toBe(3);
    expect(world.counted()).toEqual([6]);
  },
);

it("a further call makes a roundup due at once that waits after failures", async () => {
  await using world = await openWorld({ roundupAnswers: failures(8) });
  await world.propose({ calls: 5 });
  await world.sendAll();
  for (let count = 0; count < 8; count++) {
    world.time.offset += 5 * minute;
    await world.sendAll();
  }
  expect(world.test.roundupAnswers).toEqual([]);
  expect(await world.due()).toEqual([]);
  await world.propose({ calls: 4 });
  await world.sendAll();
  expect(world.counted()).toEqual([3]);
});

it("further calls do not exhaust the attempts at a roundup", async () => {
  await using world = await openWorld({ roundupAnswers: failures(400) });
  await world.propose({ calls: 4 });
  for (let run = 0; run < 40; run++) {
    await world.propose();
    await world.sendAll();
    world.time.offset += 10_000;
  }
  world.test.roundupAnswers.length = 0;
  world.time.offset += 5 * minute;
  await world.sendAll();
  expect(world.test.shown.size + (world.counted()[0] ?? 0)).toBe(44);
  expect(world.counted()).toHaveLength(1);
});
