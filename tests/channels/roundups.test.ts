import type { Approval, Principal } from "countersign";
import type { RoundupSent } from "countersign/types";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { type RecordingOptions, recordingChannel } from "../support/recording-channel.js";
import { retentionVerbs } from "../support/store.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const minute = 60_000;
const notify = ["test:#finance"];

async function openWorld(options: RecordingOptions = {}) {
  const test = recordingChannel({ roundup: { after: 3, withinMs: minute }, ...options });
  const desk = await openDeliveryDesk(test.channel);
  const propose = (given: Parameters<typeof proposeCall>[1] = {}): Promise<Approval[]> =>
    proposeCall(desk.store, { notify, timeoutMs: 60 * minute, ...given });
  const decide = (call: Approval | undefined, type: "approve" | "deny" = "deny") => {
    if (!call) throw new Error("unreachable");
    const principal = { ...finance, tenantId: call.tenantId };
    return desk.store.decide({ approvalId: call.id, principal, type, digest: call.digest, reason: null });
  };
  /** The roundups that recipients see. */
  const seen = () => [...test.shownRoundups.values()];
  return { ...desk, test, propose, decide, seen };
}

it("many calls of one run are sent as one roundup", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 14 });
  await world.sendAll();
  expect(world.test.attempts).toEqual([]);
  expect(world.test.roundups).toHaveLength(1);
  expect(world.seen()).toMatchObject([
    {
      ...{ tenantId: "acme", open: 14, closed: 0, highRisk: 0 },
      tools: [{ name: "refund", calls: 14 }],
      url: "https://desk.example.com/inbox",
    },
  ]);
  const [roundup] = world.seen();
  expect(roundup?.calls).toHaveLength(10);
  expect(roundup?.calls.every(({ decisions }) => decisions.length === 0)).toBe(true);
});

it("calls of several runs share a roundup within its time window, and later calls do not join it", async () => {
  await using world = await openWorld();
  for (let run = 0; run < 6; run++) {
    await world.propose();
    await world.sendAll();
  }
  // The fourth call has a card as well, until the fifth joins it.
  expect(world.test.shown.size).toBe(4);
  expect(world.seen()).toMatchObject([{ open: 3 }]);
  world.time.offset += minute + 1_000;
  await world.propose();
  await world.sendAll();
  expect(world.test.shown.size).toBe(5);
  expect(world.seen()).toMatchObject([{ open: 3 }]);
});

it("the fourth call within the time is sent alone, and its message becomes a roundup when a fifth comes", async () => {
  await using world = await openWorld();
  const terms = { decideIn: ["inbox", "test"] };
  await world.propose({ calls: 3, terms });
  await world.sendAll();
  expect([world.test.shown.size, world.test.roundups]).toEqual([3, []]);
  const [fourth] = await world.propose({ terms });
  await world.sendAll();
  const card = [...world.test.shown.values()].find(({ approvalId }) => approvalId === fourth?.id);
  expect(card).toMatchObject({
    decisions: ["approve", "deny"],
    url: expect.stringContaining(card?.approvalId ?? "-"),
  });
  const [fifth] = await world.propose({ terms });
  await world.sendAll();
  expect(world.test.roundups).toMatchObject([
    {
      id: world.test.sent.find(({ card }) => card.approvalId === fourth?.id)?.id,
      reference: { message: expect.any(String) },
      roundup: { open: 2, newest: [{ position: 1 }, { position: 2, card: { approvalId: fifth?.id } }] },
    },
  ]);
});

it("decided calls do not count towards a roundup", async () => {
  await using world = await openWorld();
  for (let run = 0; run < 7; run++) {
    const [call] = await world.propose();
    await world.sendAll();
    await world.decide(call);
    await world.sendAll();
  }
  expect(world.test.roundups).toEqual([]);
  expect(world.test.shown.size).toBe(7);
});

it("a few calls of high risk have messages of their own beside a roundup of others", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 12, risk: "low" });
  await world.sendAll();
  const [critical] = await world.propose({ risk: "critical" });
  await world.propose({ calls: 2, risk: "high" });
  await world.propose({ risk: "low" });
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 13, highRisk: 0 }]);
  expect([...world.test.shown.values()].map(({ risk }) => risk).sort()).toEqual(["critical", "high", "high"]);
  await world.decide(critical);
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 13, closed: 0 }]);
});

it("a call of low risk does not turn the message of a call of high risk into a roundup", async () => {
  await using world = await openWorld();
  for (let run = 0; run < 4; run++) {
    await world.propose({ risk: "high" });
    await world.sendAll();
  }
  await world.propose({ calls: 3, risk: "low" });
  await world.sendAll();
  expect(world.test.roundups).toEqual([]);
  await world.propose({ risk: "high" });
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 2, highRisk: 2 }]);
});

it("a roundup is updated after each decision and counts decided calls as closed", async () => {
  await using world = await openWorld();
  const calls = await world.propose({ calls: 5 });
  await world.sendAll();
  for (const [index, call] of calls.entries()) {
    await world.decide(call);
    await world.sendAll();
    expect(world.seen()).toMatchObject([{ open: 4 - index, closed: index + 1 }]);
    expect(world.seen()[0]?.calls.map(({ approvalId }) => approvalId)).not.toContain(call.id);
  }
  expect(world.test.shownRoundups.size).toBe(1);
  expect(world.test.attempts).toEqual([]);
  expect(new Set(world.test.roundups.slice(1).map(({ reference }) => reference?.message)).size).toBe(1);
});

it("a roundup counts expired calls as closed", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 4, timeoutMs: 2 * minute });
  await world.sendAll();
  world.time.offset += 3 * minute;
  await world.store.sweep();
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 0, closed: 4, oldest: null }]);
});

it("concurrent attempts make one roundup", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 12 });
  for (let round = 0; round < 10; round++) {
    const due = await world.due();
    await Promise.all([...due, ...due].map((id) => world.attempt(id)));
  }
  expect(new Set(world.test.roundups.map(({ id }) => id)).size).toBe(1);
  expect(world.test.attempts).toEqual([]);
  expect(world.seen()).toMatchObject([{ open: 12 }]);
});

it("a process that dies while it sends a roundup loses no call and causes no second roundup", async () => {
  await using world = await openWorld();
  const calls = await world.propose({ calls: 8 });
  for (const id of await world.due()) await world.attempt(id);
  const due = await world.due();
  expect(due).toHaveLength(8);
  // The process dies after the claim, which has added the other seven calls to the roundup.
  const claimed = await world.store.claimDelivery(due[0] ?? "", ["test"], {
    test: { after: 3, withinMs: minute },
  });
  expect(claimed).toMatchObject({ id: due[0] });
  await world.sendAll();
  expect(world.test.roundups).toEqual([]);
  await world.decide(calls[3]);
  world.time.offset += 61_000;
  await world.sendAll();
  expect(new Set(world.test.roundups.map(({ id }) => id))).toEqual(new Set([due[0]]));
  expect(world.seen()).toMatchObject([{ open: 7, closed: 1 }]);
  expect(world.test.attempts).toEqual([]);
});

it("a call that joins a roundup during an attempt is included in the next attempt", async () => {
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
  await using world = await openWorld({ roundupAnswers: [slow] });
  await world.propose({ calls: 4 });
  for (const id of await world.due()) await world.attempt(id);
  const sending = world.attempt((await world.due())[0] ?? "");
  await began;
  await world.propose();
  // The first round finds the call's recipient. The second adds the call to the recipient's roundup.
  for (const id of await world.due()) await world.attempt(id);
  for (const id of await world.due()) await world.attempt(id);
  answer({ ok: true, reference: { ts: "1" } });
  expect(await sending).toMatchObject({ againInMs: 0 });
  await world.sendAll();
  expect(world.test.roundups.map(({ roundup, reference }) => [roundup.open, reference])).toEqual([
    [4, null],
    [5, { ts: "1" }],
  ]);
});

it("a recipient that two tenants share gets one roundup for each tenant", async () => {
  await using world = await openWorld({ recipients: () => [{ id: "#ops", label: "#ops" }] });
  await world.propose({ calls: 4, toolName: "refund" });
  const theirs = await world.propose({ calls: 5, tenantId: "globex", toolName: "wire_money" });
  await world.sendAll();
  const byTenant = () => new Map(world.seen().map((roundup) => [roundup.tenantId, roundup]));
  expect(world.test.shownRoundups.size).toBe(2);
  expect(byTenant().get("acme")).toMatchObject({ open: 4, tools: [{ name: "refund", calls: 4 }] });
  expect(byTenant().get("globex")).toMatchObject({ open: 5, tools: [{ name: "wire_money", calls: 5 }] });
  await world.decide(theirs[0]);
  await world.sendAll();
  expect(byTenant().get("acme")).toMatchObject({ open: 4, closed: 0 });
  expect(byTenant().get("globex")).toMatchObject({ open: 4, closed: 1 });
});

it("a roundup counts calls of high risk, lists them first, and hides values that a rule redacts", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 12, risk: "low", terms: { redact: ["id"] }, input: { id: "secret-77" } });
  await world.propose({ calls: 3, risk: "high" });
  await world.propose({ risk: "critical", toolName: "delete_account", summary: "Delete account 7" });
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 16, highRisk: 4 }]);
  expect(world.seen()[0]?.calls[0]).toMatchObject({ risk: "critical", summary: "Delete account 7" });
  expect(JSON.stringify(world.test.roundups)).not.toContain("secret-77");
});

it("calls that cannot be decided in the inbox get a message each instead of a roundup", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 6, terms: { decideIn: ["test"] } });
  const [call] = await world.propose({ calls: 5, terms: { decideIn: ["inbox", "test"] } });
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 5 }]);
  const cards = [...world.test.shown.values()];
  expect(cards.map(({ decisions }) => decisions)).toEqual(Array(6).fill(["approve", "deny"]));
  expect(cards.map(({ requestId }) => requestId)).not.toContain(call?.requestId);
});

it("a roundup still reports a reminder if a decision comes before it is sent", async () => {
  await using world = await openWorld();
  const escalation = [{ afterMs: 5 * minute, escalateTo: [] }];
  const calls = await world.propose({ calls: 6, terms: { escalation } });
  await world.sendAll();
  world.time.offset += 5 * minute + 1_000;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  for (const id of await world.due()) await world.attempt(id);
  await world.decide(calls[0]);
  await world.sendAll();
  const events = world.test.roundups.map(({ event }) => event);
  expect(events[0]).toBe("approval.pending");
  expect(events).toContain("approval.reminded");
  expect(world.test.attempts).toEqual([]);
  expect(world.seen()).toMatchObject([{ open: 5, closed: 1 }]);
});

it("an escalation of calls in a roundup sends further recipients their own roundup", async () => {
  let people = ["ada"];
  await using world = await openWorld({ recipients: () => people.map((id) => ({ id, label: id })) });
  const escalation = [{ afterMs: minute, escalateTo: ["lead"] }];
  const approvers = { roles: ["finance"], ids: [] };
  const calls = await world.propose({ calls: 5, terms: { escalation }, approvers });
  await world.sendAll();
  people = ["bob"];
  world.time.offset += minute + 1_000;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await world.sendAll();
  people = [];
  for (const call of calls) await world.decide(call);
  await world.sendAll();
  const roundupsTo = (who: string) => world.test.roundups.filter(({ recipient }) => recipient.id === who);
  expect(new Set(roundupsTo("ada").map(({ id }) => id)).size).toBe(1);
  expect(new Set(roundupsTo("bob").map(({ id }) => id)).size).toBe(1);
  expect(roundupsTo("ada").at(-1)?.roundup).toMatchObject({ open: 0, closed: 5 });
  expect(roundupsTo("bob").at(-1)?.roundup).toMatchObject({ open: 0, closed: 5 });
  expect(world.test.attempts).toEqual([]);
});

it("a roundup is abandoned if all its calls end before it is sent", async () => {
  await using world = await openWorld({ roundupAnswers: [{ ok: false, error: "down" }] });
  const calls = await world.propose({ calls: 4 });
  await world.sendAll();
  for (const call of calls) await world.decide(call);
  world.time.offset += 10_000;
  await world.sendAll();
  expect(world.test.roundups).toEqual([]);
  expect(await world.store.listDeliveries("acme", calls[2]?.id ?? "")).toMatchObject([
    { state: "abandoned", inRoundup: true },
  ]);
});

it("calls whose messages failed during an outage are sent as one roundup afterwards", async () => {
  const down = () => Array.from({ length: 99 }, () => ({ ok: false, error: "down" }) as const);
  await using world = await openWorld({ answers: down(), roundupAnswers: down() });
  for (let run = 0; run < 6; run++) {
    await world.propose();
    await world.sendAll();
    world.time.offset += minute + 1_000;
  }
  world.test.answers.length = 0;
  world.test.roundupAnswers.length = 0;
  world.time.offset += 10 * minute;
  await world.sendAll();
  expect(world.test.sent).toEqual([]);
  expect(world.seen()).toMatchObject([{ open: 6 }]);
});

it("each call of a failed roundup lists its delivery, and an operator can replay it", async () => {
  await using world = await openWorld({
    roundupAnswers: [{ ok: false, error: "archived", permanent: true }],
  });
  const calls = await world.propose({ calls: 4 });
  await world.sendAll();
  const listed = await Promise.all(calls.map(({ id }) => world.store.listDeliveries("acme", id)));
  expect(listed.map((rows) => rows.length)).toEqual([1, 1, 1, 1]);
  expect(new Set(listed.flat().map(({ id }) => id)).size).toBe(1);
  expect(listed[3]).toMatchObject([
    { state: "failed", lastError: "archived", inRoundup: true, approvalId: calls[3]?.id },
  ]);
  await world.store.replayDelivery({ tenantId: "acme", by: finance, deliveryId: listed[3]?.[0]?.id ?? "" });
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 4 }]);
});

it("approvals in a roundup are not pruned until all calls of the roundup are over", async () => {
  await using world = await openWorld();
  const [first] = await world.propose({ calls: 4 });
  const [last] = await world.propose({ timeoutMs: 90 * 24 * 60 * minute });
  await world.sendAll();
  expect(world.seen()).toMatchObject([{ open: 5 }]);
  world.time.offset += 2 * 60 * minute;
  await world.store.settle(first?.requestId ?? "", 0);
  await world.sendAll();
  const before = new Date(Date.now() + world.time.offset + 60_000);
  const deletable = async () => {
    const batch = { tenantId: "acme", kind: "requests", before, limit: 10, dryRun: true, by: null } as const;
    return (await retentionVerbs(world.store).pruneBatch(batch)).removed.approvals ?? 0;
  };
  expect(await deletable()).toBe(0);
  await world.decide(last);
  await world.sendAll();
  expect(await deletable()).toBeGreaterThanOrEqual(4);
});
