import type { Approval, Channel, Principal } from "countersign";
import { createEvidenceSigner, verifyEvidence } from "countersign/evidence";
import { approvalsApi } from "countersign/hono";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { secret } from "../support/evidence/tampering.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";
import { slackDesk } from "./slack/slack-desk.js";

const people: Record<string, Principal> = {
  "finance-anna": { id: "finance-anna", tenantId: "acme", roles: ["finance"], authenticatedBy: "jwt" },
  lead: { id: "lead", tenantId: "acme", roles: ["lead"], authenticatedBy: "jwt" },
};

interface Click {
  who: string;
  approvalId: string;
  digest: string;
  decision: "approve" | "deny";
}

/** A second channel with cards of its own. It trusts the name in each click. */
function chatChannel() {
  const recording = recordingChannel();
  const channel: Channel = {
    ...recording.channel,
    name: "chat",
    async receive(request, gate) {
      const { who, ...click } = (await request.json()) as Click;
      const principal = people[who];
      return Response.json(principal ? await gate.decide({ principal, ...click }) : null);
    },
  };
  return { ...recording, channel };
}

/** A call that two people must approve, with a card in Slack and one in another channel. */
async function openWorld(terms: Partial<Approval["terms"]> = {}) {
  const slack = await slackDesk();
  const chat = chatChannel();
  const desk = await openDeliveryDesk(slack.channel, chat.channel);
  const countersign = desk.instance({ signingKey: secret });
  const app = new Hono().route(
    "/api",
    approvalsApi(countersign, {
      authenticate: (request) => people[request.headers.get("authorization") ?? ""] ?? null,
      auditRoles: ["lead"],
    }),
  );
  const [call] = await proposeCall(desk.store, {
    notify: [`slack:${slack.finance.id}`, "chat"],
    approvers: { roles: ["finance", "lead"], ids: [] },
    terms: { quorum: 2, decideIn: ["inbox", "slack", "chat"], ...terms },
  });
  if (!call) throw new Error("unreachable");
  await desk.sendAll();
  const messages = () => slack.slack.workspace.messages;
  const decision = { digest: call.digest };
  return {
    ...{ ...desk, call },
    /** The contents of the two cards. */
    cards: () => ({
      slack: JSON.stringify(messages().map(({ blocks }) => blocks)),
      chat: [...chat.shown.values()],
    }),
    messages,
    async inSlack(label: "Approve" | "Deny") {
      const [message] = messages();
      if (!message) throw new Error("Nothing was posted");
      const pressed = slack.slack.people.press(slack.anna, label, message);
      const answer = await app.request(
        new Request("http://desk.test/api/channels/slack", pressed.toRequest()),
      );
      expect(answer.status).toBe(200);
      await desk.sendAll();
    },
    async inChat(who: string, type: "approve" | "deny" = "approve") {
      const body = JSON.stringify({ who, approvalId: call.id, decision: type, ...decision });
      const answer = await app.request("/api/channels/chat", { method: "POST", body });
      await desk.sendAll();
      return answer.json();
    },
    async inInbox(who: string, type: "approve" | "deny" = "approve") {
      const answer = await app.request(`/api/approvals/${call.id}/decision`, {
        method: "POST",
        headers: { authorization: who, "content-type": "application/json" },
        body: JSON.stringify({ type, ...decision }),
      });
      await desk.sendAll();
      return answer.status;
    },
    present: async () => (await desk.store.getApproval("acme", call.id)) as Approval,
    evidence: async () =>
      (
        await app.request(`/api/approvals/${call.id}/evidence`, { headers: { authorization: "lead" } })
      ).json(),
    decisions: async () => {
      const trail = await desk.store.auditTrail("acme", call.id);
      const made = trail.filter(({ type }) => type === "approval.voted" || type === "approval.approved");
      return made.map(({ type, actorId, data }) => [type, actorId, data.via]);
    },
  };
}

it.each([
  ["the inbox", "jwt"],
  ["a second channel", "chat"],
])("a vote in Slack and one in %s approve the call and update both cards", async (place, via) => {
  await using world = await openWorld();
  expect(world.cards().slack).toContain("0 of 2");
  await world.inSlack("Approve");
  expect(await world.present()).toMatchObject({
    status: "pending",
    votes: [{ principalId: "finance-anna" }],
  });
  expect(world.cards().slack).toContain("1 of 2");
  expect(world.cards().chat).toMatchObject([{ open: true, quorum: { required: 2, approved: 1 } }]);
  expect(world.cards().chat[0]?.decisions).toEqual(["approve", "deny"]);

  if (place === "the inbox") expect(await world.inInbox("lead")).toBe(200);
  else expect(await world.inChat("lead")).toMatchObject({ ok: true, card: { status: "approved" } });
  expect((await world.present()).status).toBe("approved");
  expect(world.messages()).toHaveLength(1);
  expect(world.cards().slack).not.toContain('"Approve"');
  expect(world.cards().slack).toContain("lead");
  expect(world.cards().chat).toMatchObject([{ open: false, status: "approved", decisions: [] }]);
  expect(await world.decisions()).toEqual([
    ["approval.voted", "finance-anna", "slack"],
    ["approval.approved", "lead", via],
  ]);
});

it("a person who votes in several places counts once", async () => {
  await using world = await openWorld();
  await world.inSlack("Approve");
  await world.inChat("finance-anna");
  await world.inInbox("finance-anna");
  expect(await world.present()).toMatchObject({
    status: "pending",
    votes: [{ principalId: "finance-anna" }],
  });
  expect(world.cards().slack).toContain("1 of 2");
  expect(world.cards().chat).toMatchObject([{ open: true, quorum: { required: 2, approved: 1 } }]);
  expect(await world.decisions()).toHaveLength(1);
});

it("a denial in one channel closes the card in the other", async () => {
  await using world = await openWorld();
  await world.inSlack("Approve");
  expect(await world.inChat("lead", "deny")).toMatchObject({ ok: true });
  expect((await world.present()).status).toBe("denied");
  expect(world.cards().slack).not.toContain('"Approve"');
  expect(world.cards().chat).toMatchObject([{ open: false, status: "denied" }]);
});

it("the evidence and each vote name the channel of the decision", async () => {
  await using world = await openWorld();
  await world.inChat("lead");
  await world.inSlack("Approve");
  const evidence = await world.evidence();
  expect(evidence).toMatchObject({ principalId: "finance-anna", via: "slack" });
  expect(await verifyEvidence(evidence.token, secret)).toMatchObject({
    ok: true,
    claims: { principalId: "finance-anna", via: "slack" },
  });
  const rows = await world.database.admin`select token from countersign.votes order by voted_at`;
  const reader = createEvidenceSigner(secret);
  const votes = await Promise.all(rows.map(({ token }) => reader.read("vote", token)));
  expect(votes).toMatchObject([
    { ok: true, claims: { principalId: "lead", via: "chat" } },
    { ok: true, claims: { principalId: "finance-anna", via: "slack" } },
  ]);
  const claim = await world.store.claim(world.call.id, "once", () => undefined, reader);
  expect(claim).toMatchObject({ outcome: "claimed" });
});

it.each([
  ["changed", "'jwt'"],
  ["removed", "null"],
])("evidence whose channel was %s in the database does not start the call", async (_, value) => {
  await using world = await openWorld();
  await world.inChat("lead");
  await world.inSlack("Approve");
  await world.database.admin.unsafe(`update countersign.evidence set via = ${value}`);
  const reader = createEvidenceSigner(secret);
  await world.store.claim(world.call.id, "once", () => undefined, reader);
  expect(await world.present()).toMatchObject({ status: "withdrawn" });
  const trail = await world.store.auditTrail("acme", world.call.id);
  expect(trail.find(({ type }) => type === "approval.withdrawn")?.data).toMatchObject({
    ...{ cause: "evidence_invalid", field: "via" },
  });
});

it("evidence of a version that did not sign the channel stays valid", async () => {
  await using world = await openWorld({ quorum: 1 });
  const signer = createEvidenceSigner(secret);
  const { call, store } = world;
  const { authenticatedBy: _, ...principal } = people.lead as Principal;
  const { id: approvalId, digest } = call;
  await store.decide({ approvalId, digest, principal, type: "approve", reason: null }, signer);
  expect(await world.evidence()).toMatchObject({ principalId: "lead", via: null });
  const { token } = await world.evidence();
  const reading = await verifyEvidence(token, secret);
  expect(reading).toMatchObject({ ok: true });
  expect(reading.ok && "via" in reading.claims).toBe(false);
  expect(await store.claim(call.id, "once", () => undefined, signer)).toMatchObject({ outcome: "claimed" });
});
