import type { Approval, Principal } from "countersign";
import type { Sent } from "countersign/types";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { type RecordingOptions, recordingChannel } from "../support/recording-channel.js";
import { retentionVerbs } from "../support/store.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const second = 1_000;
const minute = 60 * second;
const terms = { after: 3, withinMs: minute };

async function openWorld(options: RecordingOptions = {}) {
  const test = recordingChannel({ roundup: terms, ...options });
  const desk = await openDeliveryDesk(test.channel);
  const propose = (given: Parameters<typeof proposeCall>[1] = {}): Promise<Approval[]> =>
    proposeCall(desk.store, { notify: ["test:#finance"], timeoutMs: 60 * minute, ...given });
  const decide = (call: Approval | undefined, type: "approve" | "deny" = "deny") => {
    if (!call) throw new Error("unreachable");
    const principal = { ...finance, tenantId: call.tenantId };
    return desk.store.decide({ approvalId: call.id, principal, type, digest: call.digest, reason: null });
  };
  /** The times between which each roundup was sent. */
  const sentWithin: { from: number; to: number }[] = [];
  const sendAll = async () => {
    const before = test.roundups.length;
    const from = Date.now() + desk.time.offset;
    await desk.sendAll();
    if (test.roundups.length > before) sentWithin.push({ from, to: Date.now() + desk.time.offset });
  };
  /** Sends everything that is due within some time. A roundup waits five seconds for further calls. */
  const pass = async (ms = 5 * second) => {
    await sendAll();
    desk.time.offset += ms;
    await sendAll();
  };
  /** How many calls each roundup said were waiting. */
  const counted = () => test.roundups.map(({ roundup }) => roundup.calls);
  const cards = () => [...test.shown.values()];
  return { ...desk, test, propose, decide, pass, sentWithin, counted, cards };
}

it("the first calls of a run have cards, and one roundup counts the others", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 9 });
  await world.propose({ calls: 5, toolName: "send_mail" });
  await world.pass();
  expect(world.cards()).toHaveLength(3);
  expect(world.test.roundups).toMatchObject([
    {
      event: "approval.pending",
      roundup: { tenantId: "acme", calls: 11, highRisk: 0, url: "https://desk.example.com/inbox" },
    },
  ]);
  const tools = world.test.roundups[0]?.roundup.tools ?? [];
  expect(tools.map(({ name }) => name).sort()).toEqual(["refund", "send_mail"]);
  expect(tools.reduce((sum, { calls }) => sum + calls, 0)).toBe(11);
  await world.pass(10 * minute);
  expect(world.counted()).toEqual([11]);
});

it("every waiting call has a card or is counted in the last roundup, of which there is one within the time", async () => {
  await using world = await openWorld();
  let proposed = 0;
  for (const calls of [2, 4, 1, 7, 1, 3, 1, 1, 5]) {
    await world.propose({ calls });
    proposed += calls;
    for (let step = 0; step < 4; step++) await world.pass();
  }
  await world.pass(minute);
  expect(world.cards().length + (world.counted().at(-1) ?? 0)).toBe(proposed);
  expect(new Set(world.test.roundups.map(({ messageId }) => messageId)).size).toBe(
    world.test.roundups.length,
  );
  expect(world.sentWithin.length).toBeGreaterThan(1);
  for (const [index, { to }] of world.sentWithin.slice(1).entries())
    expect(to - (world.sentWithin[index]?.from ?? 0)).toBeGreaterThanOrEqual(minute);
});

it("calls have cards again after the time", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 5 });
  await world.pass();
  await world.pass(minute);
  await world.propose();
  await world.pass();
  expect(world.cards()).toHaveLength(4);
  expect(world.counted()).toEqual([2]);
});

it("decided calls do not count towards a roundup", async () => {
  await using world = await openWorld();
  for (let run = 0; run < 7; run++) {
    const [call] = await world.propose();
    await world.sendAll();
    await world.decide(call);
    await world.sendAll();
  }
  await world.pass();
  expect(world.test.roundups).toEqual([]);
  expect(world.cards()).toHaveLength(7);
});

it("a card that changes again does not keep a new call from having one", async () => {
  await using world = await openWorld();
  const calls = await world.propose({ calls: 3, terms: { quorum: 2 } });
  await world.pass(5 * minute);
  for (const call of calls) await world.decide(call, "approve");
  await world.sendAll();
  await world.propose();
  await world.pass();
  expect(world.test.roundups).toEqual([]);
  expect(world.cards()).toHaveLength(4);
});

it("a few calls of high risk have cards beside a roundup of others", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 12, risk: "low" });
  await world.pass();
  await world.propose({ risk: "critical" });
  await world.propose({ calls: 2, risk: "high" });
  await world.pass();
  expect(
    world
      .cards()
      .map(({ risk }) => risk)
      .sort(),
  ).toEqual(["critical", "high", "high", "low", "low", "low"]);
  await world.propose({ risk: "high" });
  await world.pass(minute);
  expect(world.test.roundups.at(-1)?.roundup).toMatchObject({ calls: 10, highRisk: 1 });
});

it("a roundup counts the calls that wait when it is sent, and is not updated afterwards", async () => {
  await using world = await openWorld();
  const calls = await world.propose({ calls: 9 });
  await world.sendAll();
  const carded = new Set(world.cards().map(({ approvalId }) => approvalId));
  const others = calls.filter(({ id }) => !carded.has(id));
  await world.decide(others[0]);
  await world.pass();
  expect(world.counted()).toEqual([5]);
  for (const call of calls) if (call !== others[0]) await world.decide(call);
  await world.pass(10 * minute);
  expect(world.counted()).toEqual([5]);
  expect(world.cards().map(({ status }) => status)).toEqual(["denied", "denied", "denied"]);
});

it("a roundup is abandoned if all its calls end before it is sent", async () => {
  await using world = await openWorld({ roundupAnswers: [{ ok: false, error: "down" }] });
  const calls = await world.propose({ calls: 4 });
  await world.pass();
  for (const call of calls) await world.decide(call);
  await world.pass(10 * second);
  expect(world.test.roundups).toEqual([]);
  const carded = new Set(world.cards().map(({ approvalId }) => approvalId));
  const other = calls.find(({ id }) => !carded.has(id));
  expect(await world.store.listDeliveries("acme", other?.id ?? "")).toMatchObject([
    { state: "abandoned", inRoundup: true },
  ]);
});

it("concurrent attempts send no card too many and one roundup", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 12 });
  for (let round = 0; round < 10; round++) {
    const due = await world.due();
    await Promise.all([...due, ...due].map((id) => world.attempt(id)));
    world.time.offset += second;
  }
  expect(world.cards()).toHaveLength(3);
  expect(world.counted()).toEqual([9]);
});

it("a roundup whose sender dies is sent again with the same id, and counts every call", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 8 });
  await world.sendAll();
  world.time.offset += 5 * second;
  const [roundup] = await world.due();
  const claimed = await world.store.claimDelivery(roundup ?? "", ["test"], { test: terms });
  expect(claimed).toMatchObject({ id: roundup, attempt: 1 });
  world.time.offset += 61 * second;
  await world.sendAll();
  expect(world.test.roundups).toMatchObject([{ id: roundup, messageId: `${roundup}_5`, attempts: 1 }]);
  expect(world.counted()).toEqual([5]);
});

it("a call that comes during the attempt at a roundup is counted in a further one after the time", async () => {
  let answer: (sent: Sent) => void = () => {};
  let begun: () => void = () => {};
  const began = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const slow = () => {
    begun();
    return new Promise<Sent>((resolve) => {
      answer = resolve;
    });
  };
  await using world = await openWorld({ roundupAnswers: [slow] });
  await world.propose({ calls: 5 });
  await world.sendAll();
  world.time.offset += 5 * second;
  const sending = world.attempt((await world.due())[0] ?? "");
  await began;
  const [late] = await world.propose();
  // The first round finds the call's recipient. The second puts the call into the roundup.
  for (const id of await world.due()) await world.attempt(id);
  for (const id of await world.due()) await world.attempt(id);
  answer({ ok: true, reference: null });
  expect(await sending).toEqual({ againInMs: minute, due: [] });
  expect(await world.store.listDeliveries("acme", late?.id ?? "")).toMatchObject([{ state: "due" }]);
  await world.pass(minute);
  expect(world.counted()).toEqual([2, 3]);
});

it("a run that sends a roundup waits until the roundup is due", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 4 });
  const woken: string[] = [];
  for (let round = 0; round < 3; round++)
    for (const id of await world.due()) woken.push(...(await world.attempt(id)).due);
  const roundup = woken.at(-1) ?? "";
  const { againInMs } = await world.attempt(roundup);
  expect(againInMs).toBeGreaterThan(4 * second);
  expect(againInMs).toBeLessThanOrEqual(5 * second);
  world.time.offset += againInMs ?? 0;
  expect(await world.attempt(roundup)).toEqual({ againInMs: null, due: [] });
  expect(world.counted()).toEqual([1]);
});

it("a recipient that two tenants share gets cards and a roundup for each tenant", async () => {
  await using world = await openWorld({ recipients: () => [{ id: "#ops", label: "#ops" }] });
  await world.propose({ calls: 5, toolName: "refund" });
  await world.propose({ calls: 7, tenantId: "globex", toolName: "wire_money" });
  await world.pass();
  expect(world.cards().filter(({ tenantId }) => tenantId === "acme")).toHaveLength(3);
  const byTenant = new Map(world.test.roundups.map(({ roundup }) => [roundup.tenantId, roundup]));
  expect(world.test.roundups).toHaveLength(2);
  expect(byTenant.get("acme")).toMatchObject({ calls: 2, tools: [{ name: "refund", calls: 2 }] });
  expect(byTenant.get("globex")).toMatchObject({ calls: 4, tools: [{ name: "wire_money", calls: 4 }] });
});

it("a roundup says what the calls of a tool come to, in each unit, unless a rule hides an amount", async () => {
  await using world = await openWorld();
  const amounts = (call: Partial<Parameters<typeof proposeCall>[1] & object>) =>
    world.propose({ calls: 2, inputOf: (at) => ({ amount: 0.1 + at / 10, id: 77 }), ...call });
  await world.propose({ calls: 3 });
  await world.sendAll();
  const units = { amount: "EUR" };
  await amounts({ toolName: "refund_sum", terms: { units } });
  await amounts({ toolName: "no_unit" });
  await amounts({ toolName: "hidden", terms: { units, redact: ["amount"] } });
  await amounts({ toolName: "no_amount", terms: { units: { id: "items" } } });
  await amounts({ toolName: "mixed", terms: { units } });
  await amounts({ toolName: "mixed", terms: { units: { amount: "USD" } } });
  await world.pass();
  const tools = world.test.roundups[0]?.roundup.tools ?? [];
  expect(Object.fromEntries(tools.map(({ name, sum }) => [name, sum]))).toEqual({
    ...{ hidden: null, no_amount: null, no_unit: null },
    mixed: "0.30 EUR + 0.30 USD",
    refund_sum: "0.30 EUR",
  });
});

it("a roundup calls the calls of a tool what their rules call them, unless they call them differently", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 3 });
  await world.sendAll();
  await world.propose({ calls: 2, toolName: "issue_refund", terms: { label: "Refund" } });
  await world.propose({ toolName: "pay", terms: { label: "Pay supplier" } });
  await world.propose({ toolName: "pay" });
  await world.pass();
  const tools = world.test.roundups[0]?.roundup.tools ?? [];
  expect(tools.map(({ name }) => name).sort()).toEqual(["Refund", "pay"]);
});

it("calls that cannot be decided in the inbox have a card each", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 6, terms: { decideIn: ["test"] } });
  await world.pass();
  expect(world.test.roundups).toEqual([]);
  expect(world.cards().map(({ decisions }) => decisions)).toEqual(Array(6).fill(["approve", "deny"]));
});

it.each(["card", "events"] as const)(
  "reminders of calls without a card are one roundup in mode %s, and cards are reminded one by one",
  async (mode) => {
    await using world = await openWorld({ mode });
    const escalation = [{ afterMs: 5 * minute, escalateTo: [] }];
    const calls = await world.propose({ calls: 6, terms: { escalation } });
    await world.pass();
    world.time.offset += 5 * minute;
    await world.store.peek(calls[0]?.requestId ?? "", 1);
    await world.pass();
    await world.pass(minute);
    expect(world.test.roundups.map(({ event, roundup }) => [event, roundup.calls])).toEqual([
      ["approval.pending", 3],
      ["approval.reminded", 3],
    ]);
    const reminded = world.test.sent.filter(({ event }) => event === "approval.reminded");
    expect(new Set(reminded.map(({ card }) => card.approvalId)).size).toBe(3);
    for (const call of calls) await world.decide(call);
    await world.pass(minute);
    const ends = world.test.sent.filter(({ card }) => !card.open);
    expect(new Set(ends.map(({ card }) => card.approvalId)).size).toBe(3);
    expect(world.test.roundups).toHaveLength(2);
  },
);

it("a roundup still says that it is a reminder if a further call comes before it is sent", async () => {
  await using world = await openWorld();
  const escalation = [{ afterMs: 5 * minute, escalateTo: [] }];
  const calls = await world.propose({ calls: 6, terms: { escalation } });
  await world.pass();
  world.time.offset += 5 * minute;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await world.sendAll();
  await world.propose({ calls: 4 });
  await world.pass();
  expect(world.test.roundups.map(({ event, roundup }) => [event, roundup.calls])).toEqual([
    ["approval.pending", 3],
    ["approval.reminded", 4],
  ]);
});

it("an assignment of a call without a card is counted in a further roundup", async () => {
  await using world = await openWorld();
  const calls = await world.propose({ calls: 5 });
  await world.pass();
  const shown = new Set(world.cards().map(({ approvalId }) => approvalId));
  const hidden = calls.find(({ id }) => !shown.has(id));
  await world.store.assign({ approvalId: hidden?.id ?? "", principal: finance, to: "lead" });
  await world.pass(minute);
  expect(world.test.roundups.map(({ event, roundup }) => [event, roundup.calls])).toEqual([
    ["approval.pending", 2],
    ["approval.assigned", 2],
  ]);
});

it("an escalation sends the people whom it adds cards and a roundup of their own", async () => {
  let people = ["ada"];
  await using world = await openWorld({ recipients: () => people.map((id) => ({ id, label: id })) });
  const escalation = [{ afterMs: minute, escalateTo: ["lead"] }];
  const approvers = { roles: ["finance"], ids: [] };
  const calls = await world.propose({ calls: 5, terms: { escalation }, approvers });
  await world.pass();
  people = ["bob"];
  world.time.offset += minute;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await world.pass();
  await world.pass(minute);
  const to = (who: string) => ({
    cards: new Set(
      world.test.sent.filter(({ recipient }) => recipient.id === who).map(({ card }) => card.approvalId),
    ).size,
    roundups: world.test.roundups
      .filter(({ recipient }) => recipient.id === who)
      .map(({ event, roundup }) => [event, roundup.calls]),
  });
  expect(to("bob")).toEqual({ cards: 3, roundups: [["approval.escalated", 2]] });
  expect(to("ada")).toEqual({
    cards: 3,
    roundups: [
      ["approval.pending", 2],
      ["approval.escalated", 2],
    ],
  });
});

it("a reminder is a card if the channel has no roundups any more", async () => {
  await using world = await openWorld();
  const escalation = [{ afterMs: 5 * minute, escalateTo: [] }];
  const calls = await world.propose({ calls: 5, terms: { escalation } });
  await world.pass();
  Object.assign(world.test.channel, { roundup: undefined });
  world.time.offset += 5 * minute;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await world.sendAll(world.otherProcess());
  expect(world.cards()).toHaveLength(5);
  // Nor is the roundup taken for the card of the call in whose name it was sent.
  const roundups = new Set(world.test.roundups.map(({ id }) => id));
  expect(world.test.attempts.filter(({ reference }) => roundups.has(String(reference?.message)))).toEqual([]);
});

it("each call of a failed roundup lists its delivery, and an operator can replay it", async () => {
  await using world = await openWorld({
    roundupAnswers: [{ ok: false, error: "archived", permanent: true }],
  });
  const calls = await world.propose({ calls: 6 });
  await world.pass();
  const listed = (await Promise.all(calls.map(({ id }) => world.store.listDeliveries("acme", id)))).flat();
  const [failed, ...more] = listed.filter(({ inRoundup }) => inRoundup);
  expect(listed).toHaveLength(6);
  expect(failed).toMatchObject({ state: "failed", lastError: "archived" });
  expect(more.map(({ id, state }) => [id, state])).toEqual(Array(2).fill([failed?.id, "failed"]));
  await world.store.replayDelivery({ tenantId: "acme", by: finance, deliveryId: failed?.id ?? "" });
  await world.sendAll();
  expect(world.counted()).toEqual([3]);
});

it("the call in whose name a roundup is due is not pruned", async () => {
  await using world = await openWorld({ roundupAnswers: [{ ok: false, error: "down" }] });
  const proposed = [];
  for (let call = 0; call < 5; call++) proposed.push(...(await world.propose()));
  await world.pass();
  for (const call of proposed.slice(0, 4)) {
    await world.decide(call);
    await world.store.settle(call.requestId, 0);
  }
  const before = new Date(Date.now() + world.time.offset + minute);
  const deletable = async () => {
    const batch = { tenantId: "acme", kind: "requests", before, limit: 10, dryRun: true, by: null } as const;
    return (await retentionVerbs(world.store).pruneBatch(batch)).removed.approvals ?? 0;
  };
  const first = await deletable();
  world.time.offset += minute;
  await world.sendAll();
  expect(world.counted()).toHaveLength(1);
  expect(await deletable()).toBeGreaterThan(first);
});
