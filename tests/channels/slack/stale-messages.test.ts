import type { Approval, Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../../support/delivery-desk.js";
import { proposeCall } from "../../support/proposals.js";
import { buttonsIn, textsIn } from "../../support/slack/people.js";
import type { SlackMessage } from "../../support/slack/workspace.js";
import { slackDesk } from "./slack-desk.js";

const anna: Principal = { id: "anna", displayName: "Anna", tenantId: "acme", roles: ["finance"] };
const guest: Principal = { id: "guest", tenantId: "acme", roles: [] };

/** A call in #finance, decided through the real gate. Anna may decide it, and a guest only reads the channel. */
async function openWorld(terms: Partial<Approval["terms"]> = {}) {
  const known = new Map<string, Principal>();
  const late: Promise<unknown>[] = [];
  const slack = await slackDesk({
    waitUntil: (work) => void late.push(work),
    identify: ({ attributes: { user = "" } }) => known.get(user) ?? null,
  });
  const guestId = slack.slack.workspace.addUser({ channels: [slack.finance] }).id;
  known.set(slack.anna, anna).set(guestId, guest);
  const desk = await openDeliveryDesk(slack.channel);
  const api = approvalsApi(desk.instance(), { authenticate: () => null });
  const [call] = await proposeCall(desk.store, {
    ...{ notify: [`slack:${slack.finance.id}`], approvers: { roles: ["finance", "lead"], ids: [] } },
    terms: { decideIn: ["inbox", "slack"], ...terms },
  });
  if (!call) throw new Error("unreachable");
  const { workspace, people } = slack.slack;
  return {
    ...desk,
    call,
    ...{ annaId: slack.anna, guestId, slack: slack.slack, messages: workspace.messages },
    told: () => workspace.ephemerals.map(({ user, text }) => ({ user, text })),
    async press(user: string, label: string, message: SlackMessage, showing = message.blocks) {
      const request = people.press(user, label, message, showing).toRequest();
      const answer = await api.request("/channels/slack", {
        ...{ method: "POST", body: await request.text(), headers: Object.fromEntries(request.headers) },
      });
      expect(answer.status).toBe(200);
      await Promise.all(late);
    },
    decide: (principal: Principal, type: "approve" | "deny") =>
      desk.store.decide({ approvalId: call.id, digest: call.digest, principal, type, reason: null }),
  };
}

function first([message]: readonly SlackMessage[]): SlackMessage {
  if (!message) throw new Error("Nothing was posted");
  return message;
}

it("a press on a message that no delivery knows brings it to the call's outcome", async () => {
  await using world = await openWorld();
  await world.sendAll();
  const orphan = structuredClone(first(world.messages));
  Object.assign(orphan, { ts: "1796000000.000001" });
  world.messages.push(orphan);
  await world.decide({ ...anna, id: "bo", displayName: "Bo" }, "deny");
  await world.sendAll();
  expect(buttonsIn(orphan.blocks).map(({ text }) => text.text)).toContain("Approve");
  await world.press(world.annaId, "Approve", orphan);
  expect(textsIn(orphan.blocks)).toContain("⛔ Refund A-1 · Denied by Bo");
  expect(buttonsIn(orphan.blocks).map(({ text }) => text.text)).toEqual(["Open"]);
  expect(world.told()).toEqual([
    { user: world.annaId, text: expect.stringContaining("has already denied this call. Denied by Bo.") },
  ]);
});

it("a press shows the decision on its message at once", async () => {
  await using world = await openWorld();
  await world.sendAll();
  const message = first(world.messages);
  await world.press(world.annaId, "Approve", message);
  expect(textsIn(message.blocks)).toContain("✅ Refund A-1 · Approved by Anna");
  await world.sendAll();
  expect(world.messages).toHaveLength(1);
});

it("an update that a delivery overtakes is repeated, so the message never stays at an older state", async () => {
  await using world = await openWorld();
  await world.sendAll();
  const message = first(world.messages);
  const before = message.blocks;
  await world.decide(anna, "approve");
  let started: Promise<unknown> | undefined;
  world.slack.beforeAnswer = async (method) => {
    if (method === "chat.update") started ??= world.store.claim(world.call.id, "once", () => undefined);
    await started;
  };
  await world.press(world.annaId, "Approve", message, before);
  expect(textsIn(message.blocks)).toContain("✅ Refund A-1 · Approved by Anna. It is running");
});

it("somebody who approves twice is told so, and how many approvals are missing", async () => {
  await using world = await openWorld({ quorum: 2 });
  await world.sendAll();
  const message = first(world.messages);
  await world.press(world.annaId, "Approve", message);
  expect(world.told()).toEqual([]);
  expect(textsIn(message.blocks)).toContain("1 of 2 approved (Anna)");
  await world.press(world.annaId, "Approve", message);
  const text = "You have already approved this request. 1 of 2 approvals: one more person must approve it.";
  expect(world.told()).toEqual([{ user: world.annaId, text }]);
});

it("somebody who has decided in the inbox is told so on a stale message", async () => {
  await using world = await openWorld();
  await world.sendAll();
  const message = first(world.messages);
  await world.decide(anna, "approve");
  await world.press(world.annaId, "Approve", message);
  expect(world.told()).toEqual([
    { user: world.annaId, text: "You have already approved this request. Approved by Anna." },
  ]);
});

it("somebody who reads the message but may not decide is told so, whichever button they press", async () => {
  await using world = await openWorld();
  await world.sendAll();
  const message = first(world.messages);
  await world.press(world.guestId, "Approve", message);
  await world.press(world.guestId, "Deny", message);
  const told = { user: world.guestId, text: "You may read this request but not decide it." };
  expect(world.told()).toEqual([told, told]);
  expect(world.slack.workspace.views).toEqual([]);
  expect(await world.store.getApproval("acme", world.call.id)).toMatchObject({ status: "pending" });
});
