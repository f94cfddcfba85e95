import { slack } from "@countersign/channels/slack";
import type { Approval, Principal } from "countersign";
import { expect, it, onTestFinished } from "vitest";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { proposeCall } from "../../support/proposals.js";
import { startFakeSlack } from "../../support/slack/fake-slack.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const minute = 60_000;

async function openWorld(options: { within?: string } = {}) {
  const fake = await startFakeSlack();
  onTestFinished(() => fake.close());
  const { id: conversation } = fake.workspace.addChannel("finance");
  const channel = slack({
    token: fake.token,
    signingSecret: fake.signingSecret,
    apiUrl: fake.apiUrl,
    identify: () => finance,
    roundup: { after: 3, ...options },
  });
  const desk = await openDeliveryDesk(channel);
  const propose = (given: Parameters<typeof proposeCall>[1] = {}): Promise<Approval[]> =>
    proposeCall(desk.store, { notify: [`slack:${conversation}`], timeoutMs: 60 * minute, ...given });
  const deny = (call: Approval) =>
    desk.store.decide({
      ...{ approvalId: call.id, principal: finance, type: "deny", digest: call.digest, reason: null },
    });
  return { ...desk, fake, messages: fake.workspace.messages, propose, deny };
}

const textsOf = (blocks: unknown): string => JSON.stringify(blocks);

it("many calls are posted as one message, which is updated until all are over", async () => {
  await using world = await openWorld();
  const terms = { decideIn: ["inbox", "slack"] };
  const calls = await world.propose({ calls: 10, terms });
  calls.push(...(await world.propose({ calls: 5, toolName: "send_mail", risk: "high", terms })));
  await world.sendAll();
  expect(world.messages).toHaveLength(1);
  const [message] = world.messages;
  const text = () => textsOf(message?.blocks);
  expect(text()).toContain("15 calls wait for a decision");
  expect(text()).toContain("10 × refund, 5 × send_mail");
  expect(text()).toContain("5 of high or critical risk");
  expect(text()).toContain("And 5 more");
  const buttons = (message?.blocks ?? []).flatMap((block) =>
    block.type === "actions" ? block.elements : [],
  );
  expect(buttons).toMatchObject([{ url: "https://desk.example.com/inbox" }]);
  expect(text()).not.toContain("countersign_approve");
  for (const call of calls.slice(0, 3)) {
    await world.deny(call);
    await world.sendAll();
  }
  expect(text()).toContain("12 calls wait for a decision");
  expect(text()).toContain("3 are over");
  for (const call of calls.slice(3)) await world.deny(call);
  await world.sendAll();
  expect(text()).toContain("All 15 calls are over");
  expect(text()).not.toContain("refund");
  expect(world.messages).toHaveLength(1);
});

it("reminders of many calls in a roundup are sent as one reply in the thread", async () => {
  await using world = await openWorld();
  const escalation = [{ afterMs: 5 * minute, escalateTo: [] }];
  const calls = await world.propose({ calls: 20, terms: { escalation } });
  await world.sendAll();
  world.time.offset += 5 * minute + 1_000;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await world.sendAll();
  const [message, ...replies] = world.messages;
  expect(replies).toMatchObject([
    { threadTs: message?.ts, broadcast: true, text: "Reminder: 20 calls wait for a decision." },
  ]);
});

it("calls that join a roundup are announced by one reply after the time window", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 4 });
  await world.sendAll();
  world.time.offset += 20_000;
  await world.propose({ summary: "Refund B-5" });
  await world.sendAll();
  await world.propose({ summary: "Refund B-6" });
  await world.sendAll();
  expect(world.messages).toHaveLength(1);
  expect(textsOf(world.messages[0]?.blocks)).toContain("6 calls wait for a decision");
  world.time.offset += 41_000;
  await world.sendAll();
  const replies = [
    {
      ...{ threadTs: world.messages[0]?.ts, broadcast: true },
      text: "2 calls joined. 6 calls wait for a decision.",
    },
  ];
  expect(world.messages.slice(1)).toMatchObject(replies);
  const listed = textsOf(world.messages[1]?.blocks);
  for (const text of ["Refund B-5", "Refund B-6"]) expect(listed).toContain(text);
  expect(listed).not.toContain("Refund A-1");
  world.time.offset += 2 * minute;
  await world.sendAll();
  expect(world.messages.slice(1)).toMatchObject(replies);
});

it("the fourth call within a minute keeps its buttons until a fifth joins it, which a reply announces", async () => {
  await using world = await openWorld();
  const terms = { decideIn: ["inbox", "slack"] };
  for (const calls of [3, 1]) {
    await world.propose({ calls, terms });
    await world.sendAll();
  }
  await world.propose({ terms });
  await world.sendAll();
  const [fourth, reply, ...more] = world.messages.slice(3);
  expect(more).toEqual([]);
  expect(textsOf(fourth?.earlier[0])).toContain("countersign_approve");
  expect(textsOf(fourth?.blocks)).toContain("2 calls wait for a decision");
  expect(textsOf(fourth?.blocks)).not.toContain("countersign_approve");
  const text = "Further call: Refund A-1 2 calls wait for a decision.";
  expect(reply).toMatchObject({ threadTs: fourth?.ts, broadcast: true, text });
});

it("no reply is sent about a call that joined a roundup and was decided before", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 4 });
  await world.sendAll();
  const [joined] = await world.propose();
  await world.sendAll();
  if (joined) await world.deny(joined);
  await world.sendAll();
  world.time.offset += 2 * minute;
  await world.sendAll();
  expect(world.messages).toHaveLength(1);
});

it("an escalation within the time window is announced when the window ends", async () => {
  await using world = await openWorld({ within: "1h" });
  const terms = { escalation: [{ afterMs: 40 * minute, escalateTo: ["lead"] }] };
  const approvers = { roles: ["finance"], ids: [] };
  const calls = await world.propose({ calls: 4, timeoutMs: 90 * minute, terms, approvers });
  await world.sendAll();
  world.time.offset += 40 * minute + 1_000;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await world.sendAll();
  expect(world.messages).toHaveLength(1);
  world.time.offset += 20 * minute;
  await world.sendAll();
  expect(world.messages.slice(1)).toMatchObject([{ text: "Escalated: 4 calls wait for a decision." }]);
});

it("a roundup is updated while its reply waits, and no reply is sent once all calls are over", async () => {
  await using world = await openWorld({ within: "1h" });
  const calls = await world.propose({ calls: 4 });
  await world.sendAll();
  calls.push(...(await world.propose()));
  await world.sendAll();
  for (const [index, call] of calls.entries()) {
    world.time.offset += minute;
    await world.deny(call);
    await world.sendAll();
    const words = ["4 calls wait", "3 calls wait", "2 calls wait", "1 call waits", "All 5 calls are over"];
    expect(textsOf(world.messages[0]?.blocks)).toContain(words[index]);
  }
  world.time.offset += 60 * minute;
  await world.sendAll();
  expect(world.messages).toHaveLength(1);
});

it("a reminder a few seconds after the roundup sends no reply", async () => {
  await using world = await openWorld();
  const calls = await world.propose({
    calls: 4,
    terms: { escalation: [{ afterMs: 5_000, escalateTo: [] }] },
  });
  await world.sendAll();
  world.time.offset += 5_500;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await world.sendAll();
  world.time.offset += 2 * minute;
  await world.sendAll();
  expect(world.messages).toHaveLength(1);
});

it("a roundup with an unknown outcome is still posted as closed after all its calls end", async () => {
  await using world = await openWorld();
  world.fake.workspace.scopes.add("channels:history");
  world.fake.fail("chat.postMessage", { status: 500 });
  const calls = await world.propose({ calls: 4 });
  await world.sendAll();
  expect(world.messages).toEqual([]);
  for (const call of calls) await world.deny(call);
  world.time.offset += 10_000;
  await world.sendAll();
  expect(textsOf(world.messages.at(-1)?.blocks)).toContain("All 4 calls are over");
});

it("tool names and summaries cannot become markup in a roundup", async () => {
  await using world = await openWorld();
  const summary = "<!channel> *bold* <https://evil.example|click>";
  await world.propose({ calls: 4, toolName: "<@U000000001>", summary });
  await world.sendAll();
  const [message] = world.messages;
  expect(textsOf(message?.blocks)).toContain("<!channel> *bold*");
  for (const block of message?.blocks ?? []) {
    const texts = "text" in block && block.text ? [block.text] : "elements" in block ? block.elements : [];
    const marked = texts.filter(({ type }) => type === "mrkdwn");
    expect(textsOf(marked)).not.toMatch(/<!channel>|evil|U000000001/);
  }
  expect(message?.text).not.toContain("<@");
});

it("a channel with the option roundup set to false posts each call", async () => {
  const fake = await startFakeSlack();
  onTestFinished(() => fake.close());
  const { id } = fake.workspace.addChannel("finance");
  const { token, signingSecret, apiUrl } = fake;
  const channel = slack({ token, signingSecret, apiUrl, identify: () => finance, roundup: false });
  await using desk = await openDeliveryDesk(channel);
  await proposeCall(desk.store, { calls: 6, notify: [`slack:${id}`] });
  await desk.sendAll();
  expect(fake.workspace.messages).toHaveLength(6);
});

it.each([
  [{ after: 0 }, "roundup.after: must be a whole number from 1 to 100"],
  [{ after: 3, within: "2h" }, "roundup.within: must be a duration from 1 second to 1 hour"],
  [{ after: 3, within: "soon" }, "roundup.within: must be a duration"],
  [true, "roundup: must be false, or an object"],
])("the option roundup is refused if it is %j", (roundup, words) => {
  const options = { token: "xoxb-12345678", signingSecret: "12345678", identify: () => null };
  expect(() => slack({ ...options, roundup: roundup as never })).toThrow(words);
});
