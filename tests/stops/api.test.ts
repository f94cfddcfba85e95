import type { Approval } from "countersign";
import { createMetrics } from "countersign/metrics";
import { describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { wholeLog } from "../support/audit-log.js";
import { readEvents } from "../support/http/event-stream.js";
import { proposeCall } from "../support/proposals.js";
import { releaseCalls, stopCalls } from "../support/stops.js";

type World = Awaited<ReturnType<typeof openApiWorld>>;

const stopRoles = ["lead"];
const body = { tool: "ref*", reason: "A key has leaked" };

async function send(world: World, token: string, path: string, sent?: unknown) {
  const init = sent === undefined ? {} : { method: "POST", body: JSON.stringify(sent) };
  const response = await world.request(token, path, init);
  return { status: response.status, body: await response.json() };
}

async function pendingCall(world: World, options: Parameters<typeof proposeCall>[1] = {}): Promise<Approval> {
  const [call] = await proposeCall(world.store, options);
  if (!call) throw new Error("unreachable");
  return call;
}

const decide = (world: World, { id, digest }: Approval, decision: object, token = "finance") =>
  send(world, token, `/approvals/${id}/decision`, { digest, ...decision });

describe("the stop endpoints", () => {
  it("refuse everybody if no role is named in stopRoles", async () => {
    await using world = await openApiWorld();
    const refused = { status: 403, body: { code: "stops_not_allowed" } };
    for (const token of ["lead", "auditor", "finance"]) {
      expect(await send(world, token, "/stops")).toMatchObject(refused);
      expect(await send(world, token, "/stops", body)).toMatchObject(refused);
      expect(await send(world, token, "/stops/stp_1/release", { reason: "Over" })).toMatchObject(refused);
      expect((await send(world, token, "/me")).body.can.stop).toBe(false);
    }
    expect(await world.store.engagedStops()).toEqual([]);
  });

  it("let the roles of stopRoles, and no other, list, engage and release stops", async () => {
    await using world = await openApiWorld({ stopRoles });
    expect((await send(world, "lead", "/me")).body.can.stop).toBe(true);
    expect(await send(world, "finance", "/stops", body)).toMatchObject({ status: 403 });
    expect(await send(world, "finance", "/stops")).toMatchObject({
      status: 403,
      body: { code: "stops_not_allowed" },
    });
    expect(await send(world, "nobody", "/stops")).toMatchObject({ status: 401 });
    expect(await send(world, "nobody", "/stops", body)).toMatchObject({ status: 401 });
    const engaged = await send(world, "lead", "/stops", body);
    expect(engaged).toMatchObject({
      status: 200,
      body: { ...body, allTenants: false, engagedBy: "lead", releasedAt: null, mayRelease: true },
    });
    const { id } = engaged.body;
    expect((await send(world, "lead", "/stops", body)).body).toEqual(engaged.body);
    expect((await send(world, "lead", "/stops")).body.items).toEqual([engaged.body]);
    expect(await send(world, "finance", `/stops/${id}/release`, { reason: "Over" })).toMatchObject({
      status: 403,
    });
    const released = await send(world, "lead", `/stops/${id}/release`, { reason: "The key was replaced" });
    expect(released).toMatchObject({
      status: 200,
      body: { id, releasedBy: "lead", releaseReason: "The key was replaced", mayRelease: false },
    });
    expect((await send(world, "lead", `/stops/${id}/release`, { reason: "Again" })).body).toEqual(
      released.body,
    );
    expect((await send(world, "lead", "/stops?engaged=true")).body.items).toEqual([]);
    expect(
      (await wholeLog(world.store, "acme")).map(({ type, actorId, data }) => [type, actorId, data]),
    ).toEqual([
      ["stop.engaged", "lead", { stopId: id, ...body, roles: ["lead"] }],
      [
        "stop.released",
        "lead",
        { stopId: id, tool: "ref*", reason: "The key was replaced", roles: ["lead"] },
      ],
    ]);
    expect(await world.store.verifyAudit("acme")).toMatchObject({ ok: true });
  });

  it.each([
    ["tool", { reason: "Why" }],
    ["tool", { tool: "", reason: "Why" }],
    ["tool", { tool: "(a|b)", reason: "Why" }],
    ["reason", { tool: "*" }],
    ["reason", { tool: "*", reason: "   " }],
    ["reason", { tool: "*", reason: "r".repeat(501) }],
    ["reason", { tool: "*", reason: "\ud800" }],
    ["tenantId", { tool: "*", reason: "Why", tenantId: "other" }],
  ])("refuse a body with an invalid %s: %o", async (field, sent) => {
    await using world = await openApiWorld({ stopRoles });
    expect(await send(world, "lead", "/stops", sent)).toMatchObject({
      status: 400,
      body: { code: "invalid_request", errors: [{ field }] },
    });
    expect(await send(world, "lead", "/stops/stp_1/release", {})).toMatchObject({
      status: 400,
      body: { errors: [{ field: "reason" }] },
    });
  });

  it("hide stops of other tenants, and show those for all tenants without the right to release them", async () => {
    await using world = await openApiWorld({ stopRoles: ["lead", "finance"] });
    const own = await stopCalls(world.store, "refund", "other");
    const all = await stopCalls(world.store, "erase", null);
    const seen = (await send(world, "lead", "/stops")).body.items;
    expect(seen).toMatchObject([{ id: all.id, allTenants: true, mayRelease: false }]);
    const release = { reason: "Over" };
    expect(await send(world, "lead", `/stops/${own.id}/release`, release)).toMatchObject({ status: 404 });
    expect(await send(world, "lead", `/stops/${all.id}/release`, release)).toMatchObject({
      status: 403,
      body: { code: "stops_not_allowed" },
    });
    expect(await send(world, "stranger", `/stops/${own.id}/release`, release)).toMatchObject({ status: 200 });
  });
});

describe("a decision under a stop", () => {
  const terms = { decisions: ["approve", "edit", "deny", "respond"] as const, editable: ["*"] };
  const open = (world: World, more: Parameters<typeof proposeCall>[1] = {}) =>
    pendingCall(world, { ...more, terms: { ...terms, decisions: [...terms.decisions], ...more?.terms } });

  it("is refused with 409 and the stop's reason if it would let the call run", async () => {
    await using world = await openApiWorld({ stopRoles });
    const call = await open(world);
    const stop = (await send(world, "lead", "/stops", body)).body;
    for (const decision of [{ type: "approve" }, { type: "edit", input: { id: "A-1", amount: 5 } }]) {
      const answer = await decide(world, call, decision);
      expect(answer).toMatchObject({
        status: 409,
        body: { code: "stopped", stop: { id: stop.id, ...body } },
      });
      expect(answer.body.detail).toContain("lead has stopped calls of this tool");
      expect(answer.body.detail).toContain("A key has leaked");
    }
    const many = await send(world, "finance", "/decisions", {
      items: [{ id: call.id, digest: call.digest, type: "approve" }],
    });
    expect(many.body.results).toMatchObject([{ ok: false, problem: { code: "stopped" } }]);
    const view = (await send(world, "finance", `/approvals/${call.id}`)).body;
    expect(view).toMatchObject({
      status: "pending",
      stop: { id: stop.id, reason: "A key has leaked", engagedBy: "lead" },
    });
    const refusals = (await world.store.auditTrail("acme", call.id)).filter(
      ({ type }) => type === "decision.refused",
    );
    expect(refusals).toMatchObject([{ actorId: "finance", data: { code: "stopped" } }]);
  });

  it("is accepted if it denies the call or responds to it", async () => {
    await using world = await openApiWorld({ stopRoles });
    const denied = await open(world);
    const answered = await open(world);
    await send(world, "lead", "/stops", { tool: "*", reason: "Everything" });
    expect(await decide(world, denied, { type: "deny" })).toMatchObject({ body: { status: "denied" } });
    expect(await decide(world, answered, { type: "respond", response: 1 })).toMatchObject({
      body: { status: "responded" },
    });
  });

  it("is accepted if the stop covers other tools or another tenant", async () => {
    await using world = await openApiWorld({ stopRoles });
    await stopCalls(world.store, "erase");
    await stopCalls(world.store, "*", "other");
    expect(await decide(world, await open(world), { type: "approve" })).toMatchObject({
      status: 200,
      body: { status: "approved", stop: null },
    });
  });

  it("adds no vote to a quorum, and may repeat a vote cast before", async () => {
    await using world = await openApiWorld({ stopRoles });
    const call = await open(world, { terms: { quorum: 2 } });
    expect(await decide(world, call, { type: "approve" })).toMatchObject({ body: { status: "pending" } });
    const stop = await stopCalls(world.store);
    expect(await decide(world, call, { type: "approve" })).toMatchObject({ status: 200 });
    expect(await decide(world, call, { type: "approve" }, "lead")).toMatchObject({ status: 409 });
    expect((await send(world, "lead", `/approvals/${call.id}`)).body.votes).toHaveLength(1);
    await releaseCalls(world.store, stop);
    expect(await decide(world, call, { type: "approve" }, "lead")).toMatchObject({
      body: { status: "approved" },
    });
  });

  it("is refused as forbidden or unknown, not as stopped, if the person may not decide", async () => {
    await using world = await openApiWorld({ stopRoles });
    const call = await open(world, { approvers: { roles: ["finance"], ids: [] } });
    await stopCalls(world.store);
    expect(await decide(world, call, { type: "approve" }, "requester")).toMatchObject({
      body: { code: "forbidden" },
    });
    expect(await decide(world, call, { type: "approve" }, "stranger")).toMatchObject({ status: 404 });
  });
});

it("event streams announce engaged and released stops of their tenant and of all tenants", async () => {
  await using world = await openApiWorld({ stopRoles });
  const events = async (token: string) => {
    const stream = readEvents(await world.request(token, "/events"));
    expect((await stream.next()).event).toBe("hello");
    return stream;
  };
  const acme = await events("finance");
  const other = await events("stranger");
  const next = (stream: typeof acme) => stream.until(({ event }) => event === "stops");
  const { id } = (await send(world, "lead", "/stops", body)).body;
  await next(acme);
  await send(world, "lead", `/stops/${id}/release`, { reason: "Over" });
  await next(acme);
  await stopCalls(world.store, "*", null);
  await next(acme);
  // This is the first event of the other tenant's stream: the earlier stops were not for it.
  const before = await next(other);
  expect(before).toEqual([{ event: "stops", id: undefined, data: {} }]);
  const seen = (await send(world, "lead", "/stops?engaged=true")).body.items;
  expect(seen).toMatchObject([{ allTenants: true }]);
  await Promise.all([acme.close(), other.close()]);
});

it("metrics count the engaged stops, and readiness does not depend on them", async () => {
  await using world = await openApiWorld({ stopRoles });
  const metrics = createMetrics(world.countersign);
  const lines = async () => (await (await metrics.handler()).text()).split("\n");
  expect(await lines()).toContain("countersign_engaged_stops 0");
  const stop = await stopCalls(world.store);
  await stopCalls(world.store, "*", null);
  expect(await lines()).toContain("countersign_engaged_stops 2");
  expect(await lines()).toContain('countersign_recorded_total{type="stop.engaged",code=""} 2');
  expect(await send(world, "nobody", "/readyz")).toMatchObject({ status: 200 });
  await releaseCalls(world.store, stop);
  expect(await lines()).toContain("countersign_engaged_stops 1");
});
