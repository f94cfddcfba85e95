import { type SlackOptions, slack } from "@countersign/channels/slack";
import type { Approval, Principal } from "countersign";
import { expect, it, onTestFinished } from "vitest";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { proposeCall } from "../../support/proposals.js";
import { startFakeSlack } from "../../support/slack/fake-slack.js";
import type { SlackMessage } from "../../support/slack/workspace.js";

const finance: Principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const minute = 60_000;

async function openWorld(options: Partial<SlackOptions> = {}) {
  const fake = await startFakeSlack();
  onTestFinished(() => fake.close());
  const { id: conversation } = fake.workspace.addChannel("finance");
  const channel = slack({
    token: fake.token,
    signingSecret: fake.signingSecret,
    apiUrl: fake.apiUrl,
    identify: () => finance,
    roundup: { after: 3 },
    ...options,
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

/** Sends everything that is due within some time. A roundup waits five seconds for further calls. */
async function pass({ sendAll, time }: Awaited<ReturnType<typeof openWorld>>, ms = 5_000): Promise<void> {
  await sendAll();
  time.offset += ms;
  await sendAll();
}

const textsOf = (blocks: unknown): string => JSON.stringify(blocks);
/** The addresses beside the lines of a roundup. */
const linksOf = (message: SlackMessage | undefined) =>
  (message?.blocks ?? []).flatMap((block) => (block.type === "section" ? (block.accessory?.url ?? []) : []));
const isRoundup = ({ blocks }: SlackMessage) => textsOf(blocks).includes("more waiting");

it("the first calls are cards, and one message says how many more wait, without buttons", async () => {
  await using world = await openWorld();
  const terms = { decideIn: ["inbox", "slack"], units: { amount: "EUR" } };
  const calls = await world.propose({ calls: 10, terms });
  calls.push(...(await world.propose({ calls: 5, toolName: "send_mail", risk: "high", terms })));
  await pass(world);
  const [roundup, ...more] = world.messages.filter(isRoundup);
  expect(more).toEqual([]);
  // Three cards of calls of high risk, and three of others.
  expect(world.messages).toHaveLength(7);
  const text = textsOf(roundup?.blocks);
  expect(text).toContain("9 more waiting");
  expect(text).toMatch(/7 refunds · \d+ EUR".*2 × send_mail · \d+ EUR"/);
  expect(text).toContain("2 of high or critical risk");
  expect(text).toContain("Oldest since");
  expect(roundup?.text).toContain("9 more waiting: 7 refunds · ");
  const buttons = (roundup?.blocks ?? []).flatMap((block) =>
    block.type === "actions" ? block.elements : [],
  );
  expect(buttons).toMatchObject([{ url: "https://desk.example.com/inbox" }]);
  expect(linksOf(roundup)).toEqual([
    "https://desk.example.com/inbox?q=tool:refund",
    "https://desk.example.com/inbox?q=tool:send_mail",
  ]);
  for (const call of calls) await world.deny(call);
  await pass(world);
  expect(world.messages).toHaveLength(7);
  for (const { blocks } of world.messages) expect(textsOf(blocks)).not.toContain("countersign_approve");
  expect(textsOf(roundup?.blocks)).toBe(text);
});

it("calls that come after a roundup are in a further message after the time", async () => {
  await using world = await openWorld();
  await world.propose({ calls: 4 });
  await pass(world);
  await world.propose({ calls: 2 });
  await pass(world);
  expect(world.messages.filter(isRoundup)).toHaveLength(1);
  await pass(world, minute);
  expect(world.messages.filter(isRoundup).map(({ blocks, threadTs }) => [threadTs, textsOf(blocks)])).toEqual(
    [
      [null, expect.stringContaining("1 more waiting")],
      [null, expect.stringContaining("3 more waiting")],
    ],
  );
});

it("reminders of calls without a card are one message", async () => {
  await using world = await openWorld();
  const escalation = [{ afterMs: 5 * minute, escalateTo: ["lead"] }];
  const approvers = { roles: ["finance"], ids: [] };
  const calls = await world.propose({ calls: 20, terms: { escalation }, approvers });
  await pass(world);
  world.time.offset += 5 * minute;
  await world.store.peek(calls[0]?.requestId ?? "", 1);
  await pass(world);
  const [, reminder, ...more] = world.messages.filter(isRoundup);
  expect(more).toEqual([]);
  expect(textsOf(reminder?.blocks)).toContain("Escalated: 17 more waiting");
});

it("a roundup whose answer is lost is found and not posted again", async () => {
  await using world = await openWorld();
  world.fake.workspace.scopes.add("channels:history");
  await world.propose({ calls: 5 });
  await world.sendAll();
  world.fake.fail("chat.postMessage", "cut off");
  await pass(world);
  await pass(world, minute);
  expect(world.messages.filter(isRoundup)).toHaveLength(1);
  expect(world.messages).toHaveLength(4);
});

it("tool names and units cannot become markup in a roundup", async () => {
  await using world = await openWorld();
  await world.propose({
    calls: 5,
    toolName: "<@U000000001>",
    terms: { units: { amount: "<!channel> *b*" } },
  });
  await pass(world);
  const [message] = world.messages.filter(isRoundup);
  expect(textsOf(message?.blocks)).toContain("<!channel> *b*");
  for (const block of message?.blocks ?? []) {
    const texts = "text" in block && block.text ? [block.text] : "elements" in block ? block.elements : [];
    const marked = texts.filter(({ type }) => type === "mrkdwn");
    expect(textsOf(marked)).not.toMatch(/<!channel>|U000000001/);
  }
  expect(message?.text).not.toMatch(/<@|<!/);
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

it.each([
  ["S0123456789", true],
  [() => "S0123456789", false],
] as const)("a roundup mentions those whom every message mentions (%#)", async (mention, isMentioned) => {
  await using world = await openWorld({ mention });
  await world.propose({ calls: 5 });
  await pass(world);
  const [roundup] = world.messages.filter(isRoundup);
  expect(textsOf(roundup?.blocks)).toContain("2 more waiting");
  expect(textsOf(roundup?.blocks).includes("<!subteam^S0123456789>")).toBe(isMentioned);
});
