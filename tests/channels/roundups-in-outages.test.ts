import type { Approval, Principal } from "countersign";
import type { RoundupSent } from "countersign/types";
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
  /** Lets ten attempts fail. The next one is then about 43 minutes away. */
  const failTenTimes = async () => {
    for (let count = 0; count < 10; count++) {
      world.time.offset += 45 * minute;
      await world.sendAll();
    }
  };
  /** The roundups that recipients see. */
  const seen = () => [...test.shownRoundups.values()];
  const world = { ...desk, test, propose, failTenTimes, seen };
  return world;
}

it("a call that joins an unsent roundup makes the roundup due at once", async () => {
  await using world = await openWorld({ roundupAnswers: failures(10) });
  await world.propose({ calls: 4 });
  await world.failTenTimes();
  expect(world.test.roundupAnswers).toEqual([]);
  world.time.offset += minute;
  await world.sendAll();
  expect(world.seen()).toEqual([]);
  await world.propose({ timeoutMs: 30 * minute });
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 5 }]);
});

it("a call that joins a roundup during a failing attempt makes it due without a pause", async () => {
  let answer: (sent: RoundupSent) => void = () => {};
  let begun: () => void = () => {};
  const began = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const slow = () => {
    begun();
    return new Promise<RoundupSent>((resolve) => {
      answer = resolve;
    });
  };
  await using world = await openWorld({ roundupAnswers: [...failures(10), slow] });
  await world.propose({ calls: 4 });
  await world.failTenTimes();
  world.time.offset += 45 * minute;
  const sending = world.attempt((await world.due())[0] ?? "");
  await began;
  await world.propose();
  // The first round finds the call's recipient. The second adds the call to the recipient's roundup.
  for (const id of await world.due()) await world.attempt(id);
  for (const id of await world.due()) await world.attempt(id);
  answer({ ok: false, error: "down" });
  expect(await sending).toMatchObject({ againInMs: 0 });
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 5 }]);
});

it("calls that keep joining an unsent roundup do not exhaust its retries", async () => {
  await using world = await openWorld({ roundupAnswers: failures(99) });
  await world.propose({ calls: 4 });
  await world.sendAll();
  for (let run = 0; run < 40; run++) {
    await world.propose();
    await world.sendAll();
  }
  world.test.roundupAnswers.length = 0;
  world.time.offset += 10_000;
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 44 }]);
});

it("calls after a delayed message are sent at once, in one roundup with it", async () => {
  const principal: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
  await using world = await openWorld({ answers: failures(10) });
  const [old] = await world.propose({ terms: { quorum: 2 } });
  if (!old) throw new Error("unreachable");
  await world.failTenTimes();
  await world.propose({ calls: 4 });
  for (const id of await world.due()) await world.attempt(id);
  const voted = { approvalId: old.id, principal, digest: old.digest, reason: null };
  expect(await world.store.decide({ ...voted, type: "approve" })).toMatchObject({ outcome: "voted" });
  // The vote's event reaches the delayed message.
  const ofVote = (await world.rows()).find(({ event }) => event === "approval.voted");
  const { due } = await world.attempt(String(ofVote?.id));
  expect(due).toHaveLength(1);
  for (const id of due) await world.attempt(id);
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 5 }]);
});
