import type { Approval, Principal, Sent } from "countersign";
import { email } from "countersign/email";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { type RecordingOptions, recordingChannel } from "../support/recording-channel.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const hour = 3_600_000;
const notify = ["test:#finance"];

async function openWorld(options: RecordingOptions = {}) {
  const test = recordingChannel(options);
  const desk = await openDeliveryDesk(test.channel);
  const propose = async (given: Parameters<typeof proposeCall>[1] = {}): Promise<Approval> => {
    const [call] = await proposeCall(desk.store, { notify, timeoutMs: 24 * hour, ...given });
    if (!call) throw new Error("unreachable");
    return call;
  };
  const decide = (call: Approval, type: "approve" | "deny" = "approve") =>
    desk.store.decide({ approvalId: call.id, principal: finance, type, digest: call.digest, reason: null });
  const listed = (call: Approval) => desk.store.listDeliveries("acme", call.id);
  return { ...desk, test, propose, decide, listed };
}

/** A promise and what settles it. */
function held<T>() {
  let settle: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

it("calls about which no channel hears write no delivery", async () => {
  await using world = await openWorld();
  await world.decide(await world.propose({ notify: [] }));
  expect(await world.rows()).toEqual([]);
});

it("two senders at once send one message", async () => {
  await using world = await openWorld();
  const call = await world.propose();
  const [announced] = await world.due();
  await Promise.all([world.attempt(announced ?? ""), world.attempt(announced ?? "")]);
  const [message, ...others] = await world.due();
  expect(others).toEqual([]);
  await Promise.all(Array.from({ length: 8 }, () => world.attempt(message ?? "")));
  expect(world.test.attempts).toHaveLength(1);
  expect(await world.listed(call)).toMatchObject([{ state: "sent", attempts: 1, lastError: null }]);
});

it("a sender that died is replaced after its lease, and the message keeps its ids", async () => {
  await using world = await openWorld();
  await world.propose();
  await world.attempt((await world.due())[0] ?? "");
  const [message = ""] = await world.due();
  expect(await world.store.claimDelivery(message, ["test"])).toMatchObject({ attempt: 1 });
  await world.attempt(message);
  expect(world.test.attempts).toEqual([]);
  world.time.offset += 61_000;
  await world.attempt(message);
  expect(world.test.sent).toMatchObject([{ id: message, messageId: `${message}_1`, attempts: 1 }]);
});

it("a sender whose lease has ended records nothing over its successor's result", async () => {
  await using world = await openWorld();
  const call = await world.propose();
  await world.attempt((await world.due())[0] ?? "");
  const [message = ""] = await world.due();
  const slow = await world.store.claimDelivery(message, ["test"]);
  if (typeof slow === "string" || "joined" in slow) throw new Error("unreachable");
  world.time.offset += 61_000;
  await world.attempt(message);
  const failed = { end: "failed", error: "late", retryInMs: null, uncertain: false } as const;
  expect(await world.store.endAttempt(slow, failed)).toEqual({ againInMs: null, recipient: null });
  expect(await world.listed(call)).toMatchObject([{ state: "sent", lastError: null, attempts: 2 }]);
});

it("an event during an attempt makes the message due again, with the newest card", async () => {
  const [begun, answer] = [held<void>(), held<Sent>()];
  const slow = () => {
    begun.settle();
    return answer.promise;
  };
  await using world = await openWorld({ answers: [slow] });
  const call = await world.propose();
  await world.attempt((await world.due())[0] ?? "");
  const sending = world.attempt((await world.due())[0] ?? "");
  await begun.promise;
  await world.decide(call);
  await world.sendAll();
  expect(world.test.attempts).toHaveLength(1);
  answer.settle({ ok: true, reference: { ts: "1" } });
  expect(await sending).toMatchObject({ againInMs: 0 });
  await world.sendAll();
  expect(
    world.test.sent.map(({ card, reference, messageId }) => [card.status, reference, messageId]),
  ).toEqual([
    ["pending", null, expect.stringMatching(/_1$/)],
    ["approved", { ts: "1" }, expect.stringMatching(/_2$/)],
  ]);
});

it("several events between two attempts are one message", async () => {
  await using world = await openWorld();
  const call = await world.propose();
  await world.sendAll();
  await world.store.extend({ approvalId: call.id, principal: finance, byMs: 120_000 });
  await world.store.assign({ approvalId: call.id, principal: finance, to: "lead" });
  await world.decide(call);
  const events = await world.due();
  for (const id of events) await world.attempt(id);
  await world.sendAll();
  expect(events).toHaveLength(3);
  expect(world.test.sent.map(({ event }) => event)).toEqual(["approval.pending", "approval.decided"]);
});

it("failures are retried later and later for a day, then fail once in the audit log", async () => {
  const down = { ok: false, error: "no\u202Eroute" } as const;
  await using world = await openWorld({ answers: Array.from({ length: 99 }, () => down) });
  const call = await world.propose({ timeoutMs: 90 * hour });
  await world.sendAll();
  const pauses: number[] = [];
  for (let from = world.time.offset; world.test.answers.length > 0; ) {
    const [row] = await world.listed(call);
    if (row?.state !== "due") break;
    world.time.offset = (row.nextAttemptAt?.getTime() ?? 0) - Date.now() + 100;
    pauses.push(world.time.offset - from);
    from = world.time.offset;
    await world.sendAll();
  }
  expect(pauses[0]).toBeGreaterThan(3_000);
  expect(Math.max(...pauses)).toBeGreaterThan(hour - 60_000);
  expect(world.time.offset).toBeGreaterThan(20 * hour);
  expect(world.time.offset).toBeLessThan(30 * hour);
  expect(await world.listed(call)).toMatchObject([{ state: "failed", lastError: "no⟨U+202E⟩route" }]);
  const trail = await world.store.auditTrail("acme", call.id);
  expect(trail.filter(({ type }) => type === "delivery.failed")).toMatchObject([
    { data: { channel: "test", target: "#finance", event: "approval.pending" } },
  ]);
});

it("a channel's own schedule, its server's Retry-After and permanent failures are kept", async () => {
  const answers: Sent[] = [
    { ok: false, error: "busy", retryAfterMs: 90_000 },
    { ok: false, error: "busy" },
    { ok: false, error: "gone", permanent: true },
  ];
  await using world = await openWorld({ answers, retryDelayMs: (failures) => failures * 1_000 });
  await world.propose();
  await world.attempt((await world.due())[0] ?? "");
  const [message = ""] = await world.due();
  expect(await world.attempt(message)).toMatchObject({ againInMs: 90_000 });
  world.time.offset += 90_100;
  expect(await world.attempt(message)).toMatchObject({ againInMs: 2_000 });
  world.time.offset += 2_100;
  expect(await world.attempt(message)).toMatchObject({ againInMs: null });
  expect(await world.rows()).toMatchObject([{}, { state: "failed", last_error: "gone" }]);
});

it("a failed card is tried again with the next event, so that it shows the end", async () => {
  await using world = await openWorld();
  const call = await world.propose();
  await world.sendAll();
  world.test.answers.push({ ok: false, error: "archived", permanent: true });
  await world.store.extend({ approvalId: call.id, principal: finance, byMs: 120_000 });
  await world.sendAll();
  expect(await world.listed(call)).toMatchObject([{ state: "failed" }]);
  await world.decide(call);
  await world.sendAll();
  expect([...world.test.shown.values()]).toMatchObject([{ status: "approved", decisions: [] }]);
});

it("what a channel throws reaches neither rows nor logs, except its kind and code", async () => {
  const secret = Object.assign(new TypeError("xoxb-secret at https://hooks.example.com/T1"), {
    code: "ECONNREFUSED",
  });
  await using world = await openWorld({ answers: [secret] });
  const call = await world.propose();
  await world.sendAll();
  expect(await world.listed(call)).toMatchObject([
    { state: "due", lastError: "The channel threw TypeError (ECONNREFUSED)" },
  ]);
  expect(JSON.stringify([await world.rows(), world.logged])).not.toContain("xoxb");
  expect(world.logged).toHaveLength(1);
});

it("a card whose first attempt ended without an answer shows the end", async () => {
  await using world = await openWorld({ answers: [new Error("the connection broke")] });
  const call = await world.propose();
  await world.sendAll();
  await world.decide(call, "deny");
  world.time.offset += 10_000;
  await world.sendAll();
  expect(world.test.sent).toMatchObject([{ card: { status: "denied", decisions: [] } }]);
});

it("an unsent message that stops with the call is abandoned, and one that does not is sent", async () => {
  const down = { ok: false, error: "down" } as const;
  await using world = await openWorld({ mode: "events", answers: [down] });
  const call = await world.propose();
  await world.sendAll();
  await world.decide(call);
  world.time.offset += 10_000;
  await world.sendAll();
  expect((await world.listed(call)).map(({ event, state }) => [event, state])).toEqual([
    ["approval.pending", "abandoned"],
    ["approval.decided", "sent"],
  ]);

  await using all = await openWorld({ mode: "events", answers: [down], stopsWhenClosed: () => false });
  const other = await all.propose();
  await all.sendAll();
  await all.decide(other);
  all.time.offset += 10_000;
  await all.sendAll();
  expect(new Set(all.test.sent.map(({ event }) => event))).toEqual(
    new Set(["approval.pending", "approval.decided"]),
  );
});

it("messages about one call reach a recipient one after the other, in order, each with the last reference", async () => {
  const [begun, answer] = [held<void>(), held<Sent>()];
  const slow = () => {
    begun.settle();
    return answer.promise;
  };
  await using world = await openWorld({ mode: "events", answers: [slow] });
  const call = await world.propose();
  await world.attempt((await world.due())[0] ?? "");
  const [pending = ""] = await world.due();
  const sending = world.attempt(pending);
  await begun.promise;
  await world.decide(call);
  await world.attempt((await world.due())[0] ?? "");
  const [decided = ""] = await world.due();
  expect(await world.attempt(decided)).toMatchObject({ againInMs: 1_000 });
  answer.settle({ ok: true, reference: { messageId: "<1@desk>" } });
  await sending;
  await world.attempt(decided);
  expect(world.test.sent.map(({ event, reference }) => [event, reference])).toEqual([
    ["approval.pending", null],
    ["approval.decided", { messageId: "<1@desk>" }],
  ]);
});

it("an error of ours, such as an unknown entry of a table, says what is wrong", async () => {
  const mail = email({
    transport: "smtp://127.0.0.1:9",
    from: "approvals@example.com",
    recipients: { finance: "finance@example.com" },
  });
  await using desk = await openDeliveryDesk(mail);
  const [call] = await proposeCall(desk.store, { notify: ["email:finanse"] });
  await desk.sendAll();
  expect(await desk.store.listDeliveries("acme", call?.id ?? "")).toMatchObject([
    {
      recipient: null,
      lastError: expect.stringContaining('recipients: has no entry "finanse"; did you mean "finance"?'),
    },
  ]);
});

it("a directory that cannot be reached is asked again, and delays no other channel", async () => {
  let broken = true;
  const recipients = () => {
    if (broken) throw new Error("ldap://secret");
    return [{ id: "ada", label: "Ada" }];
  };
  const other = recordingChannel({ name: "other" });
  const test = recordingChannel({ recipients });
  await using desk = await openDeliveryDesk(test.channel, other.channel);
  const [call] = await proposeCall(desk.store, { notify: ["test", "other"] });
  await desk.sendAll();
  expect(other.sent).toHaveLength(1);
  expect(await desk.store.listDeliveries("acme", call?.id ?? "")).toContainEqual(
    expect.objectContaining({ recipient: null, state: "due", lastError: "The channel threw Error" }),
  );
  broken = false;
  desk.time.offset += 10_000;
  await desk.sendAll();
  expect(test.sent).toMatchObject([{ recipient: { id: "ada" } }]);
});

it("people who were told earlier hear the end, and an escalation reaches further ones", async () => {
  let people = ["ada"];
  await using world = await openWorld({ recipients: () => people.map((id) => ({ id, label: id })) });
  const escalation = [{ afterMs: 60_000, escalateTo: ["lead"] }];
  const call = await world.propose({ terms: { escalation }, approvers: { roles: ["finance"], ids: [] } });
  await world.sendAll();
  people = ["bob"];
  world.time.offset += 61_000;
  await world.store.peek(call.requestId, 1);
  await world.sendAll();
  people = [];
  await world.decide(call);
  await world.sendAll();
  const told = (who: string) =>
    world.test.sent.filter(({ recipient }) => recipient.id === who).map(({ event }) => event);
  expect(told("ada")).toEqual(["approval.pending", "approval.escalated", "approval.decided"]);
  expect(told("bob")).toEqual(["approval.escalated", "approval.decided"]);
});

it("an escalation that could not be sent is told by the next attempt, whatever happened meanwhile", async () => {
  await using world = await openWorld();
  const escalation = [{ afterMs: 60_000, escalateTo: ["lead"] }];
  const approvers = { roles: ["finance"], ids: [] };
  const call = await world.propose({ terms: { escalation, quorum: 2 }, approvers });
  await world.sendAll();
  world.test.answers.push({ ok: false, error: "down" });
  world.time.offset += 61_000;
  await world.store.peek(call.requestId, 1);
  await world.sendAll();
  const failed = world.test.attempts.at(-1);
  expect(failed).toMatchObject({ event: "approval.escalated" });
  expect(await world.decide(call)).toMatchObject({ outcome: "voted" });
  await world.sendAll();
  world.time.offset += 5_000;
  await world.sendAll();
  expect(world.test.sent.at(-1)).toMatchObject({
    ...{ event: "approval.escalated", occurredAt: failed?.occurredAt },
    card: { quorum: { approved: 1 } },
  });
  await world.decide(call, "deny");
  await world.sendAll();
  const told = world.test.sent.map(({ event }) => event);
  expect(told).toEqual(["approval.pending", "approval.escalated", "approval.decided"]);
});

it("an end replaces a reminder that could not be sent", async () => {
  await using world = await openWorld();
  const call = await world.propose({ terms: { escalation: [{ afterMs: 60_000 }] as never } });
  await world.sendAll();
  world.test.answers.push({ ok: false, error: "down" });
  world.time.offset += 61_000;
  await world.store.peek(call.requestId, 1);
  await world.sendAll();
  await world.decide(call);
  world.time.offset += 5_000;
  await world.sendAll();
  expect(world.test.sent.map(({ event }) => event)).toEqual(["approval.pending", "approval.decided"]);
});

it("a recipient whom two targets name gets one card", async () => {
  await using world = await openWorld({ recipients: () => [{ id: "ada", label: "Ada" }] });
  await world.propose({ notify: ["test:#finance", "test:#leads", "test"] });
  await world.sendAll();
  expect(new Set(world.test.sent.map(({ id }) => id)).size).toBe(1);
});

it("calls that nobody was asked about reach only channels that hear of everything", async () => {
  const all = recordingChannel({ name: "all", mode: "events", everyApproval: true });
  const named = recordingChannel();
  await using desk = await openDeliveryDesk(all.channel, named.channel);
  await proposeCall(desk.store, { verdict: "deny", notify: ["all", "test"], announce: false });
  await desk.sendAll();
  expect(all.sent).toMatchObject([{ event: "approval.decided", card: { status: "denied" } }]);
  expect(named.attempts).toEqual([]);
});

it("a call about which the policy only notifies people gets a card", async () => {
  await using world = await openWorld();
  await world.propose({ verdict: "notify", announce: false });
  await world.sendAll();
  expect(world.test.sent).toMatchObject([
    { card: { status: "approved", decisions: [], outcome: { text: "Allowed by the policy" } } },
  ]);
});

it("deliveries of a channel that nobody has any more fail after a day", async () => {
  await using world = await openWorld();
  const call = await world.propose({ notify: ["gone"], timeoutMs: 90 * hour });
  await world.store.failUnclaimed(["test"]);
  expect(await world.listed(call)).toMatchObject([{ state: "due" }]);
  world.time.offset += 25 * hour;
  await world.store.failUnclaimed(["gone"]);
  expect(await world.listed(call)).toMatchObject([{ state: "due" }]);
  await world.store.failUnclaimed(["test"]);
  expect(await world.listed(call)).toMatchObject([
    { state: "failed", lastError: "No running process has this channel" },
  ]);
});

it("a failed message is sent again when an operator asks for it", async () => {
  await using world = await openWorld({ answers: [{ ok: false, error: "no", permanent: true }] });
  const call = await world.propose();
  await world.sendAll();
  const [failed] = await world.listed(call);
  const replay = { tenantId: "acme", by: finance, deliveryId: failed?.id ?? "" };
  expect(await world.store.replayDelivery({ ...replay, deliveryId: "dlv_other" })).toBeUndefined();
  expect(await world.store.replayDelivery(replay)).toMatchObject({ state: "due" });
  await world.sendAll();
  expect(await world.listed(call)).toMatchObject([{ state: "sent" }]);
  expect(await world.store.replayDelivery(replay)).toMatchObject({ state: "sent" });
  const trail = await world.store.auditTrail("acme", call.id);
  expect(trail.filter(({ type }) => type === "delivery.replayed")).toHaveLength(1);
});
