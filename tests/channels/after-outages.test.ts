import type { Approval, Principal } from "countersign";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { type RecordingOptions, recordingChannel } from "../support/recording-channel.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

/** A channel that fails while `outage.now` is true, and whose recipients are the targets. */
async function openWorld(options: RecordingOptions = {}) {
  const outage = { now: false };
  const test = recordingChannel(options);
  const { send } = test.channel;
  test.channel.send = (delivery, signal) =>
    outage.now ? Promise.resolve({ ok: false, error: "down" }) : send(delivery, signal);
  const desk = await openDeliveryDesk(test.channel);
  const propose = async (given: Parameters<typeof proposeCall>[1] = {}): Promise<Approval> => {
    const [call] = await proposeCall(desk.store, { notify: ["test:#finance"], timeoutMs: day, ...given });
    if (!call) throw new Error("unreachable");
    return call;
  };
  const deny = ({ id, digest, tenantId }: Approval) =>
    desk.store.decide({
      ...{ approvalId: id, principal: { ...finance, tenantId }, type: "deny", digest, reason: null },
    });
  /** Lets time pass, with an attempt whenever one is due. */
  const pass = async (ms: number) => {
    const until = desk.time.offset + ms;
    while (desk.time.offset < until) {
      desk.time.offset = Math.min(desk.time.offset + minute, until);
      await desk.sendAll();
    }
  };
  const shown = (call: Approval) =>
    [...test.shown.values()].filter(({ approvalId }) => approvalId === call.id).map(({ status }) => status);
  return { ...desk, test, outage, propose, deny, pass, shown };
}

it("after an outage, a message that is sent wakes the waiting messages to its recipient", async () => {
  await using world = await openWorld();
  const decided = await world.propose();
  await world.sendAll();
  world.outage.now = true;
  const calls = [await world.propose(), await world.propose()];
  await world.deny(decided);
  await world.pass(44 * minute);
  world.outage.now = false;
  calls.push(await world.propose());
  await world.sendAll();
  expect(calls.map(world.shown)).toEqual([["pending"], ["pending"], ["pending"]]);
  expect(world.shown(decided)).toEqual(["denied"]);
});

it("after an outage, many waiting messages are all woken", async () => {
  await using world = await openWorld();
  world.outage.now = true;
  const calls: Approval[] = [];
  for (let index = 0; index < 15; index++) {
    calls.push(await world.propose({ notify: [`test:#${index % 4}`] }));
    await world.pass(2 * minute);
  }
  world.outage.now = false;
  await world.propose();
  await world.sendAll();
  // Shorter pauses are left as they are.
  await world.pass(30 * second);
  expect(calls.flatMap(world.shown)).toEqual(Array(15).fill("pending"));
});

it("a message of one tenant does not wake waiting messages of another tenant", async () => {
  await using world = await openWorld();
  world.outage.now = true;
  const foreign = await world.propose({ tenantId: "globex" });
  await world.pass(44 * minute);
  world.outage.now = false;
  await world.propose();
  await world.sendAll();
  expect(world.shown(foreign)).toEqual([]);
  await world.pass(5 * minute);
  expect(world.shown(foreign)).toEqual(["pending"]);
});

it("a success of one endpoint does not wake messages to another endpoint", async () => {
  const recipients = (target: string | null) => [{ id: target ?? "", label: target ?? "" }];
  await using world = await openWorld({ disableAfterMs: 5 * day, recipients });
  world.outage.now = true;
  const mine = await world.propose({ notify: ["test:a"] });
  const other = await world.propose({ notify: ["test:b"] });
  await world.pass(44 * minute);
  world.outage.now = false;
  await world.propose({ notify: ["test:a"] });
  await world.sendAll();
  expect(world.shown(mine)).toEqual(["pending"]);
  expect(world.shown(other)).toEqual([]);
});

it("a pause after failures lasts five minutes at most, and a quarter of the time left for a decision", async () => {
  await using world = await openWorld();
  world.outage.now = true;
  const pauseOf = async (call: Approval) => {
    const [row] = await world.store.listDeliveries("acme", call.id);
    return (row?.nextAttemptAt?.getTime() ?? 0) - Date.now() - world.time.offset;
  };
  const long = await world.propose();
  const short = await world.propose({ timeoutMs: 12 * minute });
  await world.sendAll();
  for (let passed = 0; passed < 10 * minute; passed += minute) {
    await world.pass(minute);
    const left = (short.expiresAt?.getTime() ?? 0) - Date.now() - world.time.offset;
    expect(await pauseOf(short)).toBeLessThan(left / 4 + minute);
    expect(await pauseOf(long)).toBeLessThanOrEqual(5 * minute);
  }
  await world.pass(30 * minute);
  world.outage.now = false;
  await world.pass(5 * minute + 5 * second);
  expect(world.shown(long)).toEqual(["pending"]);
});

it("woken messages that keep failing do not use up their retries", async () => {
  const limited = { now: true };
  await using world = await openWorld({ retryDelayMs: (failures) => (failures > 5 ? null : 10 * minute) });
  const { send } = world.test.channel;
  world.test.channel.send = async (delivery, signal) =>
    limited.now && delivery.card.toolName === "poison" ? { ok: false, error: "no" } : send(delivery, signal);
  const poison = await world.propose({ toolName: "poison" });
  await world.sendAll();
  for (let run = 0; run < 20; run++) {
    await world.propose();
    await world.pass(minute);
  }
  limited.now = false;
  await world.pass(11 * minute);
  expect(world.shown(poison)).toEqual(["pending"]);
});
