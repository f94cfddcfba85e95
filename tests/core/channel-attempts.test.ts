import { email } from "@countersign/channels/email";
import type { Approval, Principal } from "countersign";
import type { Sent } from "countersign/types";
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

/** A promise, and the function that resolves it. */
function deferred<T>() {
  let settle: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

it("a call whose rule notifies no channel writes no delivery", async () => {
  await using world = await openWorld();
  await world.decide(await world.propose({ notify: [] }));
  expect(await world.rows()).toEqual([]);
});

it("concurrent attempts send a message once", async () => {
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

it("another sender takes over after a dead sender's lease ends, and the message keeps its ids", async () => {
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

it("a sender whose lease has ended does not overwrite its successor's result", async () => {
  await using world = await openWorld();
  const call = await world.propose();
  await world.attempt((await world.due())[0] ?? "");
  const [message = ""] = await world.due();
  const slow = await world.store.claimDelivery(message, ["test"]);
  if (typeof slow === "string" || "roundups" in slow) throw new Error("unreachable");
  world.time.offset += 61_000;
  await world.attempt(message);
  const failed = { end: "failed", error: "late", retryInMs: null, uncertain: false } as const;
  expect(await world.store.endAttempt(slow, failed)).toEqual({ againInMs: null, recipient: null });
  expect(await world.listed(call)).toMatchObject([{ state: "sent", lastError: null, attempts: 2 }]);
});

it("an event during an attempt makes the message due again with the newest card", async () => {
  const [begun, answer] = [deferred<void>(), deferred<Sent>()];
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

it("several events between two attempts cause one message", async () => {
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

it("a failing delivery is retried with growing pauses for about a day, then logged as failed once", async () => {
  const down = { ok: false, error: "no\u202Eroute" } as const;
  await using world = await openWorld({ answers: Array.from({ length: 999 }, () => down) });
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
  expect(Math.max(...pauses)).toBeGreaterThan(290_000);
  expect(Math.max(...pauses)).toBeLessThan(310_000);
  expect(world.time.offset).toBeGreaterThan(20 * hour);
  expect(world.time.offset).toBeLessThan(30 * hour);
  expect(await world.listed(call)).toMatchObject([{ state: "failed", lastError: "no⟨U+202E⟩route" }]);
  const trail = await world.store.auditTrail("acme", call.id);
  expect(trail.filter(({ type }) => type === "delivery.failed")).toMatchObject([
    { data: { channel: "test", target: "#finance", event: "approval.pending" } },
  ]);
});

it("retries follow Retry-After and the channel's own schedule, and stop at a permanent failure", async () => {
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

it("a failed card is sent again with the next event and then shows the outcome", async () => {
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

it("an error thrown by a channel is recorded by name and code, never by its message", async () => {
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

it("a card whose first attempt had an unknown outcome is sent again and shows the decision", async () => {
  await using world = await openWorld({ answers: [new Error("the connection broke")] });
  const call = await world.propose();
  await world.sendAll();
  await world.decide(call, "deny");
  world.time.offset += 10_000;
  await world.sendAll();
  expect(world.test.sent).toMatchObject([{ card: { status: "denied", decisions: [] } }]);
});

it("an unsent message is abandoned when its call ends, unless stopsWhenClosed returns false", async () => {
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

it("a recipient gets the messages about a call in order, each with the reference of the previous one", async () => {
  const [begun, answer] = [deferred<void>(), deferred<Sent>()];
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

it("a configuration error, such as an unknown recipient, is recorded with its message", async () => {
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

it("a recipient look-up that fails is retried and delays no other channel", async () => {
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

it("an escalation adds recipients, and all recipients are notified of the decision", async () => {
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
  const eventsFor = (who: string) =>
    world.test.sent.filter(({ recipient }) => recipient.id === who).map(({ event }) => event);
  expect(eventsFor("ada")).toEqual(["approval.pending", "approval.escalated", "approval.decided"]);
  expect(eventsFor("bob")).toEqual(["approval.escalated", "approval.decided"]);
});

it("a failed escalation message is still sent as an escalation after a vote in between", async () => {
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
  const events = world.test.sent.map(({ event }) => event);
  expect(events).toEqual(["approval.pending", "approval.escalated", "approval.decided"]);
});

it("a decision replaces a reminder that could not be sent", async () => {
  await using world = await openWorld();
  const call = await world.propose({ terms: { escalation: [{ afterMs: 60_000, escalateTo: [] }] } });
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

it("a recipient that several targets resolve to gets one card", async () => {
  await using world = await openWorld({ recipients: () => [{ id: "ada", label: "Ada" }] });
  await world.propose({ notify: ["test:#finance", "test:#leads", "test"] });
  await world.sendAll();
  expect(new Set(world.test.sent.map(({ id }) => id)).size).toBe(1);
});

it("a call denied by the policy is reported only to channels with everyApproval", async () => {
  const all = recordingChannel({ name: "all", mode: "events", everyApproval: true });
  const named = recordingChannel();
  await using desk = await openDeliveryDesk(all.channel, named.channel);
  await proposeCall(desk.store, { verdict: "deny", notify: ["all", "test"], announce: false });
  await desk.sendAll();
  expect(all.sent).toMatchObject([{ event: "approval.decided", card: { status: "denied" } }]);
  expect(named.attempts).toEqual([]);
});

it("a call with the verdict notify gets a card without decisions", async () => {
  await using world = await openWorld();
  await world.propose({ verdict: "notify", announce: false });
  await world.sendAll();
  expect(world.test.sent).toMatchObject([
    { card: { status: "approved", decisions: [], outcome: { text: "Allowed by the policy" } } },
  ]);
});

it("deliveries of a channel that no process has configured fail after a day", async () => {
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

it("deliveries to a host's history that no process knows fail after 30 days", async () => {
  await using world = await openWorld();
  const call = await world.propose({ notify: ["network-history/support"], timeoutMs: 90 * hour });
  world.time.offset += 29 * 24 * hour;
  await world.store.failUnclaimed([]);
  expect(await world.listed(call)).toMatchObject([{ state: "due" }]);
  world.time.offset += 2 * 24 * hour;
  await world.store.failUnclaimed([]);
  expect(await world.listed(call)).toMatchObject([{ state: "failed" }]);
});

it("a failed message is sent again when an operator replays it", async () => {
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
