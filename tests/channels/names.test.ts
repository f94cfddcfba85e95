import { forget } from "@countersign/cli/operating";
import type { Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const person = (id: string, displayName: string): Principal => ({
  ...{ id, displayName, tenantId: "acme", roles: ["finance"] },
});
const fiona = person("auth0|f1", "Fiona");
const lee = person("auth0|l1", "Lee");

/** A call that two people must approve, on a card and in a channel of events. */
async function openWorld() {
  const cards = recordingChannel({ name: "cards" });
  const mails = recordingChannel({ name: "mails", mode: "events" });
  const desk = await openDeliveryDesk(cards.channel, mails.channel);
  const [call] = await proposeCall(desk.store, {
    ...{ requesterId: "auth0|r1", requesterName: "Rosa", notify: ["cards", "mails"] },
    approvers: { roles: ["finance", "lead"], ids: [lee.id] },
    terms: { quorum: 2, delegable: true },
  });
  if (!call) throw new Error("unreachable");
  await desk.sendAll();
  const decide = async (principal: Principal, type: "approve" | "deny") => {
    const input = { approvalId: call.id, principal, type, digest: call.digest, reason: null };
    await desk.store.decide(input);
    await desk.sendAll();
  };
  const card = () => {
    const [shown] = cards.shown.values();
    if (!shown) throw new Error("No card");
    return shown;
  };
  return { ...desk, call, decide, card, mails };
}

it("a card names the requester and those who may decide", async () => {
  await using world = await openWorld();
  expect(world.card()).toMatchObject({
    ...{ requester: "auth0|r1", requesterName: "Rosa" },
    whoDecides: "finance, lead or auth0|l1",
  });
});

it("a card names everybody whose approval counted, in every channel", async () => {
  await using world = await openWorld();
  await world.decide(fiona, "approve");
  expect(world.card().outcome).toMatchObject({ text: "1 of 2 approved (Fiona)", by: null });
  await world.decide(lee, "approve");
  const outcome = {
    ...{ text: "Approved by Fiona and Lee", by: "Fiona and Lee", decidedBy: lee.id },
    votes: [
      { id: fiona.id, name: "Fiona", type: "approve" },
      { id: lee.id, name: "Lee", type: "approve" },
    ],
  };
  expect(world.card().outcome).toMatchObject(outcome);
  expect(world.mails.sent.at(-1)).toMatchObject({ event: "approval.decided", card: { outcome } });
});

it("a card shows only those who denied a call as the ones who decided it, and all votes", async () => {
  await using world = await openWorld();
  await world.decide(fiona, "approve");
  await world.decide(lee, "deny");
  expect(world.card().outcome).toMatchObject({
    ...{ text: "Denied by Lee", by: "Lee" },
    votes: [
      { name: "Fiona", type: "approve" },
      { name: "Lee", type: "deny" },
    ],
  });
});

it("a card names an assignee whom the host's directory knows, even if they never signed in", async () => {
  await using world = await openWorld();
  const api = approvalsApi(world.instance(), {
    authenticate: () => fiona,
    people: () => [{ id: "auth0|a1", displayName: "Ada" }],
  });
  const init = (to: string) => ({
    method: "POST",
    body: JSON.stringify({ to }),
    headers: { "content-type": "application/json" },
  });
  expect((await api.request(`/approvals/${world.call.id}/assign`, init("auth0|a1"))).status).toBe(200);
  await world.sendAll();
  expect(world.card()).toMatchObject({ assignee: "auth0|a1", assigneeName: "Ada" });
  expect((await api.request(`/approvals/${world.call.id}/assign`, init("unknown"))).status).toBe(200);
  await world.sendAll();
  expect(world.card()).toMatchObject({ assignee: "unknown", assigneeName: "unknown" });
});

it("somebody who has named themselves is no viewer, and is an id again once they are forgotten", async () => {
  await using world = await openWorld();
  await world.decide(fiona, "approve");
  expect((await world.store.getApproval("acme", world.call.id))?.viewers).toEqual([]);
  await forget(world.instance(), { tenantId: "acme", personId: fiona.id });
  await world.decide(lee, "approve");
  expect(world.card().outcome?.text).toBe("Approved by auth0|f1 and Lee");
});
