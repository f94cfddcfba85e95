import type { Principal } from "countersign";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { proposeCall } from "../../support/proposals.js";
import { textsIn } from "../../support/slack/people.js";
import { cardOf, closedCard, referenceOf, slackDesk } from "./slack-desk.js";

const fiona: Principal = { id: "fiona", displayName: "Fiona", tenantId: "acme", roles: ["finance"] };

/** A call in #finance, with a direct message to its assignee. */
async function openWorld() {
  const slack = await slackDesk({
    recipients: (target, { assignee }) => [
      target ?? "#finance",
      ...(assignee === "anna" ? [`@${slack.anna}`] : []),
    ],
  });
  const desk = await openDeliveryDesk(slack.channel);
  const [call] = await proposeCall(desk.store, {
    ...{ notify: ["slack"], approvers: { roles: ["finance"], ids: [] } },
    terms: { delegable: true, escalation: [{ afterMs: 60_000, escalateTo: ["lead", "admin"] }] },
  });
  if (!call) throw new Error("unreachable");
  await desk.sendAll();
  const assign = (to: string | null, toName?: string) =>
    desk.store.assign({ approvalId: call.id, principal: fiona, to, toName });
  return { ...desk, slack, call, assign, messages: slack.slack.workspace.messages };
}

it("an assignment is a reply in the channel and a direct message, and both cards show the end", async () => {
  await using world = await openWorld();
  await world.assign("anna", "Anna");
  await world.sendAll();
  const [card, ...more] = world.messages;
  const reply = more.find(({ threadTs }) => threadTs === card?.ts);
  const direct = more.find(({ threadTs }) => threadTs === null);
  expect(more).toHaveLength(2);
  expect(reply?.text).toBe("Assigned to Anna: a decision is needed. Refund A-1");
  expect(direct).toMatchObject({ channel: `D${world.slack.anna.slice(1)}` });
  expect(textsIn(direct?.blocks ?? [])).toContain("Assigned to Anna");
  const { id: approvalId, digest } = world.call;
  await world.store.decide({ approvalId, digest, principal: fiona, type: "approve", reason: null });
  await world.sendAll();
  for (const message of [card, direct]) {
    expect(textsIn(message?.blocks ?? [])).toContain("✅ Refund A-1 · Approved by Fiona");
  }
  expect(world.messages).toHaveLength(3);
});

it("an assignment that is sent together with a later vote is reported, a removed one is not", async () => {
  await using world = await openWorld();
  await world.assign("bo");
  await world.store.extend({ approvalId: world.call.id, principal: fiona, byMs: 60_000 });
  await world.sendAll();
  expect(world.messages.at(-1)?.text).toBe("Assigned to bo: a decision is needed. Refund A-1");
  await world.assign(null);
  await world.sendAll();
  expect(world.messages).toHaveLength(2);
});

it("an escalation says to whom the call went", async () => {
  await using world = await openWorld();
  world.time.offset += 61_000;
  await world.store.peek(world.call.requestId, 1);
  await world.sendAll();
  expect(world.messages.at(-1)?.text).toBe(
    "Escalated to lead or admin: still waiting for a decision. Refund A-1",
  );
  expect(textsIn(world.messages[0]?.blocks ?? [])).toContain("Who decides: admin, finance or lead");
});

it("a new message and its replies mention a user group, and a direct message and a closed call do not", async () => {
  const { send, slack, anna } = await slackDesk({ mention: "S0123456789" });
  const mentions = () =>
    slack.workspace.messages.map(({ blocks }) => textsIn(blocks).includes("<!subteam^S0123456789>"));
  const reference = referenceOf(await send(cardOf()));
  const assigned = cardOf({ version: 2, assignee: "bo", assigneeName: "Bo" });
  referenceOf(await send(assigned, { event: "approval.assigned", reference }));
  await send(cardOf(), { recipient: { id: anna, label: `@${anna}` } });
  expect(mentions()).toEqual([true, true, false]);
  referenceOf(await send(closedCard("Denied"), { reference }));
  expect(mentions()).toEqual([false, true, false]);
});

it("those whom a function mentions depend on the call, and nothing but ids becomes markup", async () => {
  const { send, slack, logged } = await slackDesk({
    mention: ({ approvers, summary }) =>
      approvers.roles.includes("finance") ? ["U0000000042", summary] : null,
  });
  await send(cardOf({ summary: "<!channel>" }));
  const blocks = () => slack.workspace.messages.at(-1)?.blocks ?? [];
  expect(textsIn(blocks())).toContain("<@U0000000042>");
  const markup = blocks().filter((block) => block.type === "section" && block.text?.type === "mrkdwn");
  expect(JSON.stringify(markup)).not.toContain("channel");
  expect(logged.join()).toContain("must be the id of a user group");
  await send(cardOf({ approvers: { roles: ["lead"], ids: [] } }));
  expect(JSON.stringify(blocks())).not.toContain("<@");
});

it("a message is posted although the function that mentions people throws", async () => {
  const { send, slack, logged } = await slackDesk({
    mention: () => {
      throw new Error("directory down");
    },
  });
  expect(await send(cardOf())).toMatchObject({ ok: true });
  expect(slack.workspace.messages).toHaveLength(1);
  expect(logged.join()).toContain("mentions nobody");
});
