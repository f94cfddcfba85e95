import type { Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import { createMetrics } from "countersign/metrics";
import { Hono } from "hono";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const people: Record<string, Principal> = {
  finance: { id: "finance", tenantId: "acme", roles: ["finance"] },
  operator: { id: "operator", tenantId: "acme", roles: ["operator"] },
  abroad: { id: "operator", tenantId: "other", roles: ["operator"] },
  requester: { id: "requester", tenantId: "acme", roles: [] },
  auditor: { id: "auditor", tenantId: "acme", roles: ["auditor"] },
  stranger: { id: "stranger", tenantId: "acme", roles: [] },
};

async function openWorld(
  ...answers: NonNullable<Parameters<typeof recordingChannel>[0]>["answers"] & object
) {
  const test = recordingChannel({ answers });
  const desk = await openDeliveryDesk(test.channel);
  const countersign = desk.instance();
  const api = approvalsApi(countersign, {
    authenticate: (request) => people[request.headers.get("authorization") ?? ""] ?? null,
    stopRoles: ["operator"],
    auditRoles: ["auditor"],
  });
  const app = new Hono().route("/api", api);
  const [call] = await proposeCall(desk.store, {
    notify: ["test:#finance"],
    approvers: { roles: ["finance"], ids: [] },
  });
  if (!call) throw new Error("unreachable");
  await desk.sendAll();
  const request = async (who: string, path: string, method = "GET") => {
    const response = await app.request(`/api${path}`, { method, headers: { authorization: who } });
    return { status: response.status, body: await response.json() };
  };
  const metrics = createMetrics(countersign);
  return {
    ...desk,
    test,
    call,
    request,
    lines: async () => (await (await metrics.handler()).text()).split("\n"),
  };
}

it("a failed delivery is listed, and only an operator of its tenant can replay it", async () => {
  await using world = await openWorld({ ok: false, error: "channel_not_found", permanent: true });
  const { request, call, test } = world;
  const path = `/approvals/${call.id}/deliveries`;
  const { body } = await request("finance", path);
  expect(body.items).toEqual([
    {
      id: expect.stringMatching(/^dlv_/),
      inRoundup: false,
      approvalId: call.id,
      channel: "test",
      target: "#finance",
      recipient: "#finance",
      event: "approval.pending",
      occurredAt: expect.any(String),
      state: "failed",
      attempts: 1,
      nextAttemptAt: null,
      lastError: "channel_not_found",
      sentAt: null,
    },
  ]);
  const replay = `/deliveries/${body.items[0].id}/replay`;
  expect(await request("finance", replay, "POST")).toMatchObject({
    status: 403,
    body: { code: "forbidden" },
  });
  expect((await request("abroad", replay, "POST")).status).toBe(404);
  expect((await request("stranger", path)).status).toBe(404);
  expect(await world.lines()).toContain('countersign_deliveries{channel="test",state="failed"} 1');
  expect(await request("operator", replay, "POST")).toMatchObject({ status: 200, body: { state: "due" } });
  await world.sendAll();
  expect(test.sent).toHaveLength(1);
  expect((await request("finance", path)).body.items).toMatchObject([{ state: "sent", lastError: null }]);
  expect((await world.lines()).join("\n")).not.toContain("countersign_deliveries{");
});

it.each(["card", "events"] as const)(
  "an abandoned message in mode %s is sent when it is replayed",
  async (mode) => {
    const test = recordingChannel({ mode, answers: [{ ok: false, error: "down" }] });
    await using desk = await openDeliveryDesk(test.channel);
    const [call] = await proposeCall(desk.store, { notify: ["test:#finance"], timeoutMs: 3_600_000 });
    if (!call) throw new Error("unreachable");
    await desk.sendAll();
    const principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
    const { id: approvalId, digest } = call;
    await desk.store.decide({ approvalId, principal, type: "deny", digest, reason: null });
    desk.time.offset += 10_000;
    await desk.sendAll();
    test.sent.length = 0;
    const states = async () => (await desk.store.listDeliveries("acme", call.id)).map(({ state }) => state);
    const [abandoned] = await desk.store.listDeliveries("acme", call.id);
    expect(abandoned?.state).toBe("abandoned");
    await desk.store.replayDelivery({ tenantId: "acme", by: principal, deliveryId: abandoned?.id ?? "" });
    await desk.sendAll();
    expect(await states()).not.toContain("abandoned");
    expect(test.sent).toMatchObject([{ card: { status: "denied", open: false } }]);
  },
);

it("a requester who may not decide sees no target, recipient or error of a delivery", async () => {
  const error = "finance@example.com has left";
  await using world = await openWorld({ ok: false, error, permanent: true });
  const read = async (who: string) =>
    (await world.request(who, `/approvals/${world.call.id}/deliveries`)).body.items;
  expect(await read("requester")).toMatchObject([
    { channel: "test", state: "failed", attempts: 1, target: null, recipient: null, lastError: null },
  ]);
  for (const who of ["finance", "auditor"]) {
    expect(await read(who)).toMatchObject([{ target: "#finance", recipient: "#finance", lastError: error }]);
  }
});

it("a delivery that has failed for a quarter of an hour makes the installation degraded", async () => {
  await using world = await openWorld({ ok: false, error: "down" });
  expect((await world.request("", "/readyz")).body).toEqual({ status: "ready" });
  world.time.offset += 16 * 60_000;
  expect(await world.request("", "/readyz")).toMatchObject({
    status: 200,
    body: { status: "degraded", problems: expect.arrayContaining(["deliveries_failing"]) },
  });
  const lines = await world.lines();
  expect(lines).toContain('countersign_deliveries{channel="test",state="due"} 1');
  expect(lines.join("\n")).toMatch(/delivery_oldest_seconds\{channel="test"\} 9[67]\d\n/);
  await world.sendAll();
  expect((await world.request("", "/readyz")).body.problems ?? []).not.toContain("deliveries_failing");
});

it("a delivery that failed permanently makes the installation degraded for a quarter of an hour", async () => {
  await using world = await openWorld({ ok: false, error: "account closed", permanent: true });
  const problems = async () => (await world.request("", "/readyz")).body.problems ?? [];
  expect(await problems()).toEqual(["deliveries_failing"]);
  world.time.offset += 16 * 60_000;
  expect(await problems()).not.toContain("deliveries_failing");
});

it("health reports an outage although further calls keep coming to a roundup", async () => {
  const down = () => Array.from({ length: 99 }, () => ({ ok: false, error: "down" }) as const);
  const test = recordingChannel({ roundup: { after: 3, withinMs: 60_000 }, roundupAnswers: down() });
  await using desk = await openDeliveryDesk(test.channel);
  const propose = (calls: number) => proposeCall(desk.store, { calls, notify: ["test:#finance"] });
  await propose(4);
  await desk.sendAll();
  desk.time.offset += 5_000;
  await desk.sendAll();
  expect((await desk.store.engineHealth()).problems).not.toContain("deliveries_failing");
  for (let join = 0; join < 4; join++) {
    desk.time.offset += 4 * 60_000;
    await propose(4);
    await desk.sendAll();
  }
  expect((await desk.store.engineHealth()).problems).toContain("deliveries_failing");
  expect((await desk.store.statistics()).deliveries).toMatchObject([{ state: "due", count: 1 }]);
  const [oldest] = (await desk.store.statistics()).deliveries;
  expect(oldest?.oldestSeconds).toBeGreaterThanOrEqual(16 * 60);
});

it("health reports an outage although events keep changing a card that was sent", async () => {
  const test = recordingChannel();
  await using desk = await openDeliveryDesk(test.channel);
  const timeoutMs = 24 * 60 * 60_000;
  const [call] = await proposeCall(desk.store, { notify: ["test:#finance"], timeoutMs });
  await desk.sendAll();
  test.answers.push(...Array.from({ length: 99 }, () => ({ ok: false, error: "down" }) as const));
  const isFailing = async () => (await desk.store.engineHealth()).problems.includes("deliveries_failing");
  const change = async (to: string) => {
    desk.time.offset += 8 * 60_000;
    const principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
    await desk.store.assign({ approvalId: call?.id ?? "", principal, to });
    await desk.sendAll();
  };
  desk.time.offset += 60 * 60_000;
  await change("ada");
  expect(await isFailing()).toBe(false);
  for (let minute = 0; minute < 20; minute++) {
    desk.time.offset += 60_000;
    await desk.sendAll();
    if (minute % 5 === 0) await change(`person-${minute}`);
  }
  expect(await isFailing()).toBe(true);
});
