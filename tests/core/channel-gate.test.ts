import type { Approval, Channel } from "countersign";
import type { VerifiedPrincipal } from "countersign/hono";
import { approvalsApi } from "countersign/hono";
import type { Card, ChannelDecision } from "countersign/types";
import { Hono } from "hono";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DeliveryDesk, openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const inDefaultTenant = { id: "carl", roles: ["finance"] };

const people: Record<string, VerifiedPrincipal> = {
  carl: inDefaultTenant,
  // A mistake of a session, which gives access to no tenant.
  nowhere: { ...inDefaultTenant, tenantId: undefined as never },
  finance: { id: "finance", tenantId: "acme", roles: ["finance"] },
  bob: { id: "bob", tenantId: "acme", roles: ["finance"] },
  requester: { id: "requester", tenantId: "acme", roles: ["finance"] },
  stranger: { id: "stranger", tenantId: "acme", roles: [] },
  abroad: { id: "finance", tenantId: "other", roles: ["finance"] },
};

interface Click {
  who: string;
  approvalId: string;
  digest: string;
  decision: "approve" | "deny" | "look";
  reason?: string;
}

/** A channel that accepts requests with its secret, as a real one accepts a signature. */
function clickChannel(): Channel {
  return {
    ...recordingChannel().channel,
    name: "chat",
    async receive(request, gate) {
      if (request.headers.get("x-secret") !== "s3cret") return new Response("unsigned", { status: 401 });
      const { who, approvalId, digest, decision, reason } = (await request.json()) as Click;
      const principal = people[who];
      if (!principal) return Response.json({ text: "link your account" });
      if (decision === "look") return Response.json(await gate.card(principal, approvalId));
      const input = { principal, approvalId, digest, decision, ...(reason ? { reason } : {}) };
      return Response.json(await gate.decide(input));
    },
  };
}

type Terms = Partial<Approval["terms"]>;

let desk: DeliveryDesk;
let app: Hono;

beforeAll(async () => {
  desk = await openDeliveryDesk(clickChannel(), recordingChannel().channel);
  app = new Hono().route(
    "/api",
    approvalsApi(desk.instance({ tenantId: "acme" }), {
      authenticate: (request) => people[request.headers.get("authorization") ?? ""] ?? null,
    }),
  );
});

afterAll(() => desk[Symbol.asyncDispose]());

const send = (body: string, headers: Record<string, string> = { "x-secret": "s3cret" }, name = "chat") =>
  app.request(`/api/channels/${name}`, { method: "POST", body, headers });

/** A call of its own, and what people do with it. */
async function propose(terms: Terms = {}, input?: Record<string, unknown>) {
  const [call] = await proposeCall(desk.store, {
    notify: ["chat"],
    approvers: { roles: ["finance"], ids: [] },
    terms: { decideIn: ["inbox", "chat"], ...terms },
    ...(input ? { input } : {}),
  });
  if (!call) throw new Error("unreachable");
  return {
    call,
    async click(who: string, decision: Click["decision"], more: Partial<Click> = {}) {
      const click: Click = { who, decision, approvalId: call.id, digest: call.digest, ...more };
      return (await (await send(JSON.stringify(click))).json()) as ChannelDecision & Card & { text?: string };
    },
    present: async () => (await desk.store.getApproval("acme", call.id)) as Approval,
    trail: () => desk.store.auditTrail("acme", call.id),
    inbox: (who: string, type: string) =>
      app.request(`/api/approvals/${call.id}/decision`, {
        method: "POST",
        headers: { authorization: who, "content-type": "application/json" },
        body: JSON.stringify({ type, digest: call.digest }),
      }),
  };
}

it("a decision in a channel is recorded, and the audit log names the channel", async () => {
  const world = await propose();
  expect(await world.click("finance", "approve", { reason: " fine " })).toMatchObject({
    ok: true,
    card: { status: "approved", decisions: [], outcome: { text: "Approved by finance", reason: "fine" } },
  });
  expect((await world.trail()).at(-1)).toMatchObject({
    type: "approval.approved",
    actorId: "finance",
    data: { via: "chat", digest: world.call.digest },
  });
  expect(await world.click("finance", "approve", { reason: "fine" })).toMatchObject({ ok: true });
});

it("a person without a tenant decides in the tenant of the instance", async () => {
  const world = await propose();
  expect(await world.click("nowhere", "approve")).toMatchObject({ code: "invalid_option" });
  expect(await world.click("carl", "approve")).toMatchObject({ ok: true, card: { status: "approved" } });
  expect((await world.trail()).at(-1)).toMatchObject({ tenantId: "acme", actorId: "carl" });
});

it.each([
  ["someone whom the host does not know", "nobody", {}, { text: "link your account" }],
  [
    "a stranger who has read the card",
    "stranger",
    {},
    {
      ...{ ok: false, code: "forbidden", message: "You may read this request but not decide it." },
      card: { status: "pending" },
    },
  ],
  ["a stranger", "stranger", { digest: "0".repeat(64) }, { ok: false, code: "not_found", card: null }],
  ["a person of another tenant", "abroad", {}, { ok: false, code: "not_found", card: null }],
  ["an unknown approval", "finance", { approvalId: "apr_x" }, { ok: false, code: "not_found", card: null }],
  ["another digest", "finance", { digest: "0".repeat(64) }, { ok: false, code: "digest_mismatch" }],
])("a click decides nothing for %s", async (_, who, more, answer) => {
  const world = await propose();
  expect(await world.click(who, "approve", more)).toMatchObject(answer);
  expect(await world.present()).toMatchObject({ status: "pending", decision: null });
});

it("a requester who may not approve can still deny their own call in a channel", async () => {
  const world = await propose({ requesterMayNotApprove: true });
  expect(await world.click("requester", "approve")).toMatchObject({
    ok: false,
    code: "self_approval",
    message: "You requested this call, so someone else must approve it. You can still deny it.",
    card: { status: "pending" },
  });
  expect(await world.click("requester", "deny")).toMatchObject({ ok: true, card: { status: "denied" } });
});

it("a quorum counts each person once, across a channel and the inbox", async () => {
  const world = await propose({ quorum: 2 });
  expect(await world.click("finance", "approve")).toMatchObject({
    ok: true,
    card: {
      status: "pending",
      quorum: { required: 2, approved: 1 },
      outcome: { text: "1 of 2 approved (finance)" },
    },
  });
  expect(await world.click("finance", "approve")).toMatchObject({ ok: true, card: { status: "pending" } });
  expect((await world.inbox("bob", "approve")).status).toBe(200);
  expect(await world.present()).toMatchObject({ status: "approved" });
});

it("a click on a stale card changes nothing and returns the current state", async () => {
  const world = await propose();
  expect((await world.inbox("bob", "deny")).status).toBe(200);
  expect(await world.click("finance", "approve")).toMatchObject({
    ok: false,
    code: "already_decided",
    message: "bob has already denied this call.",
    card: { status: "denied", decisions: [], outcome: { text: "Denied by bob" } },
  });
  expect(await world.present()).toMatchObject({ status: "denied", decision: { decidedBy: "bob" } });
});

it("a channel that decideIn does not name shows no buttons and decides nothing", async () => {
  const world = await propose({ decideIn: ["inbox"] });
  expect(await world.click("finance", "look")).toMatchObject({ status: "pending", decisions: [] });
  for (const type of ["approve", "deny"] as const) {
    expect(await world.click("finance", type)).toMatchObject({
      ok: false,
      code: "wrong_place",
      message: "The rules want this call to be decided in the inbox.",
    });
  }
  expect(await world.present()).toMatchObject({ status: "pending" });
});

it("a call that can only be decided in a channel cannot be decided in the inbox", async () => {
  const world = await propose({ decideIn: ["chat"] });
  const view = await app.request(`/api/approvals/${world.call.id}`, {
    headers: { authorization: "finance" },
  });
  expect(await view.json()).toMatchObject({ mayDecide: false, yourDecisions: [], decideIn: ["chat"] });
  const refused = await world.inbox("finance", "deny");
  expect(refused.status).toBe(403);
  expect(await refused.json()).toMatchObject({ code: "wrong_place", decideIn: ["chat"] });
  expect(await world.click("finance", "approve")).toMatchObject({ ok: true });
});

it.each([
  ["hides a value", { redact: ["iban"] }, { iban: "DE02120300000000202051" }, "some values are hidden"],
  [
    "hides a part of a value",
    { redactPatterns: ["iban"] },
    { note: "to DE02120300000000202051" },
    "some values are hidden",
  ],
  ["cuts a value", {}, { note: "x".repeat(5_000) }, "some values are too long"],
  ["shows invisible characters", {}, { to: "ada\u202Eexample.com" }, "some texts could mislead you"],
  ["shows look-alike letters", {}, { to: "аррӏе.com" }, "some texts could mislead you"],
])("a card that %s can be denied but not approved, and says why", async (_, terms, input, notWhole) => {
  const world = await propose(terms, input);
  const card = await world.click("finance", "look");
  expect(card).toMatchObject({ decisions: ["deny"], notWhole });
  expect(JSON.stringify(card)).not.toContain("DE0212");
  expect(JSON.stringify(card)).not.toContain("\u202E");
  expect(await world.click("finance", "approve")).toMatchObject({ ok: false, code: "wrong_place" });
  expect(await world.present()).toMatchObject({ status: "pending" });
  expect(await world.trail()).toContainEqual(
    expect.objectContaining({ type: "decision.refused", actorId: "finance" }),
  );
  expect(await world.click("finance", "deny")).toMatchObject({ ok: true });
});

it("an approve-only call has no buttons on an incomplete card, and its approval is refused", async () => {
  const world = await propose({ decisions: ["approve"] }, { note: "x".repeat(5_000) });
  expect((await world.click("finance", "look")).decisions).toEqual([]);
  expect(await world.click("finance", "approve")).toMatchObject({ ok: false, code: "wrong_place" });
  expect(await world.present()).toMatchObject({ status: "pending" });
});

it.each([
  [["inbox", "chat"], "Approve it in the inbox."],
  [["chat"], "The inbox shows all of it, but the rules do not let people approve it there."],
])(
  "with decideIn %j, a refused approval of an incomplete card says whether the inbox helps",
  async (decideIn, words) => {
    const world = await propose({ decideIn }, { note: "x".repeat(5_000) });
    expect(await world.click("finance", "approve")).toMatchObject({
      ...{ ok: false, code: "wrong_place" },
      message: `This place cannot show the whole request, so it can only be denied here. ${words}`,
    });
  },
);

it("the channel endpoint refuses unsigned or oversized requests and channels that cannot receive", async () => {
  expect((await send("{}", {})).status).toBe(401);
  expect((await send("{}", {}, "nowhere")).status).toBe(404);
  expect((await send("{}", {}, "test")).status).toBe(404);
  expect((await send("x".repeat(600_000))).status).toBe(413);
  expect((await app.request("/api/channels/chat")).status).toBe(401);
});
