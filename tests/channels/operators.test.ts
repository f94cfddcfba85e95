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

it("operators see what failed, and send it again", async () => {
  await using world = await openWorld({ ok: false, error: "channel_not_found", permanent: true });
  const { request, call, test } = world;
  const path = `/approvals/${call.id}/deliveries`;
  const { body } = await request("finance", path);
  expect(body.items).toEqual([
    {
      id: expect.stringMatching(/^dlv_/),
      inDigest: false,
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

it("a channel that refuses for a quarter of an hour makes the installation degraded", async () => {
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
