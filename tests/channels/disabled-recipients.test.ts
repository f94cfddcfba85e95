import { randomBytes } from "node:crypto";
import { webhooks } from "@countersign/channels/webhooks";
import type { Channel, Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import { createMetrics } from "countersign/metrics";
import type { Sent } from "countersign/types";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const operator: Principal = { id: "operator", tenantId: "acme", roles: ["operator"] };
const hour = 3_600_000;
const day = 24 * hour;

/** A channel with one endpoint. The test sets whether its deliveries succeed; a failure is permanent. */
async function openWorld(options: Partial<Channel> = {}) {
  const endpoint = { works: false, gone: false, unless: (_tenantId: string) => false };
  const answer = (tenantId: string): Sent =>
    endpoint.works || endpoint.unless(tenantId)
      ? { ok: true, reference: null }
      : { ok: false, error: "The endpoint answered 500", permanent: true, gone: endpoint.gone };
  const test = recordingChannel({
    ...{ mode: "events", disableAfterMs: 5 * day },
    ...options,
    answers: Array.from(
      { length: 500 },
      () =>
        async ({ card }) =>
          answer(card.tenantId),
    ),
  });
  const desk = await openDeliveryDesk(test.channel);
  const countersign = desk.instance();
  const api = approvalsApi(countersign, { authenticate: () => operator, stopRoles: ["operator"] });
  const metrics = createMetrics(countersign);
  /** Proposes a call, makes the attempts that are due, and returns the call's delivery. */
  const deliver = async (tenantId = "acme", by = desk.attempt) => {
    const [call] = await proposeCall(desk.store, { notify: ["test:#crm"], tenantId });
    await desk.sendAll(by);
    const [delivery] = await desk.store.listDeliveries(tenantId, call?.id ?? "");
    if (!delivery) throw new Error("unreachable");
    return delivery;
  };
  /** Lets one delivery fail on each of this many days. */
  const failFor = async (days: number, tenantId?: string) => {
    for (let passed = 0; passed < days; passed++) {
      expect(await deliver(tenantId)).toMatchObject({ state: "failed" });
      desk.time.offset += day;
    }
  };
  const problems = async (): Promise<string[]> =>
    (await (await api.request("/readyz")).json()).problems ?? [];
  const lines = async () => (await (await metrics.handler()).text()).split("\n");
  const logged = () => JSON.stringify(desk.logged);
  const replay = (id: string) => api.request(`/deliveries/${id}/replay`, { method: "POST" });
  return { ...desk, test, endpoint, deliver, failFor, problems, lines, logged, replay };
}

it("a recipient is disabled after all its deliveries have failed for five days", async () => {
  await using world = await openWorld();
  await world.failFor(5);
  expect(world.logged()).not.toContain("disabled");
  const last = await world.deliver();
  expect(last).toMatchObject({ state: "failed" });
  expect(world.logged()).toContain("A recipient is disabled");
  const attempts = world.test.attempts.length;
  expect(await world.deliver()).toMatchObject({
    state: "skipped",
    lastError: expect.stringMatching(/^The recipient is disabled: everything has failed since 20/),
  });
  expect(world.test.attempts).toHaveLength(attempts);
  expect(await world.problems()).toContain("recipients_disabled");
  expect(await world.lines()).toContain('countersign_recipients_disabled{channel="test"} 1');
  const trail = await world.store.auditTrail("acme", last.approvalId);
  expect(trail.filter(({ type }) => type === "delivery.disabled")).toMatchObject([
    { data: { deliveryId: last.id, channel: "test", recipient: "#crm", failingSince: expect.any(String) } },
  ]);
  expect(await world.store.verifyAudit("acme")).toMatchObject({ ok: true });
});

it("a recipient that is gone is disabled at once, unless its channel never disables recipients", async () => {
  await using world = await openWorld();
  world.endpoint.gone = true;
  expect(await world.deliver()).toMatchObject({ state: "failed" });
  expect(await world.deliver()).toMatchObject({ state: "skipped" });
  expect(await world.problems()).toContain("recipients_disabled");
  await using never = await openWorld({ disableAfterMs: undefined as never });
  never.endpoint.gone = true;
  expect(await never.deliver()).toMatchObject({ state: "failed" });
  expect(await never.deliver()).toMatchObject({ state: "failed" });
});

it("a recipient that one process has disabled is disabled in every process, until one delivers", async () => {
  await using world = await openWorld();
  await world.failFor(6);
  const attempts = world.test.attempts.length;
  const other = world.otherProcess();
  const skipped = await world.deliver("acme", other);
  expect(skipped).toMatchObject({ state: "skipped" });
  expect(world.test.attempts).toHaveLength(attempts);
  world.endpoint.works = true;
  await world.replay(skipped.id);
  await world.sendAll(other);
  expect(await world.deliver()).toMatchObject({ state: "sent" });
});

it("a successful delivery restarts the count of failing days", async () => {
  await using world = await openWorld();
  await world.failFor(4);
  world.endpoint.works = true;
  expect(await world.deliver()).toMatchObject({ state: "sent" });
  expect(await world.database.admin`select from countersign.failing_recipients`).toHaveLength(0);
  world.endpoint.works = false;
  await world.failFor(5);
  expect(await world.problems()).not.toContain("recipients_disabled");
});

it("two failures nine days apart do not disable a recipient", async () => {
  await using world = await openWorld();
  await world.failFor(1);
  world.time.offset += 9 * day;
  await world.failFor(1);
  expect(await world.deliver()).toMatchObject({ state: "failed" });
  expect(await world.problems()).not.toContain("recipients_disabled");
});

it("a failed replay leaves a recipient disabled, and a successful one enables it", async () => {
  await using world = await openWorld();
  await world.failFor(6);
  const skipped = await world.deliver();
  const stateOf = async () =>
    (await world.store.listDeliveries("acme", skipped.approvalId)).find(({ id }) => id === skipped.id)?.state;
  expect((await world.replay(skipped.id)).status).toBe(200);
  await world.sendAll();
  expect(await stateOf()).toBe("failed");
  expect(await world.deliver()).toMatchObject({ state: "skipped" });

  world.endpoint.works = true;
  expect(await world.deliver()).toMatchObject({ state: "skipped" });
  await world.replay(skipped.id);
  await world.sendAll();
  expect(await stateOf()).toBe("sent");
  expect(await world.deliver()).toMatchObject({ state: "sent" });
  expect(await world.problems()).not.toContain("recipients_disabled");
  expect((await world.lines()).join("\n")).not.toContain("countersign_recipients_disabled{");
  const trail = await world.store.auditTrail("acme", skipped.approvalId);
  expect(trail.map(({ type }) => type)).toContain("delivery.enabled");
});

it("failures for one tenant do not disable a recipient for another tenant", async () => {
  await using world = await openWorld();
  world.endpoint.unless = (tenantId) => tenantId === "other";
  await world.failFor(6);
  expect(await world.deliver()).toMatchObject({ state: "skipped" });
  expect(await world.deliver("other")).toMatchObject({ state: "sent" });
  expect(await world.deliver()).toMatchObject({ state: "skipped" });
});

it("a channel without disableAfterMs never disables a recipient", async () => {
  await using world = await openWorld({ disableAfterMs: undefined as never });
  await world.failFor(9);
  expect(await world.deliver()).toMatchObject({ state: "failed" });
  expect(await world.database.admin`select from countersign.failing_recipients`).toHaveLength(0);
});

it("a disabled recipient without new deliveries is no longer reported as a problem after a week", async () => {
  await using world = await openWorld();
  await world.failFor(6);
  expect(await world.problems()).toContain("recipients_disabled");
  world.time.offset += 8 * day;
  expect(await world.problems()).not.toContain("recipients_disabled");
});

it("the sweep deletes failing recipients that have no delivery left", async () => {
  await using world = await openWorld();
  await world.failFor(6);
  await world.store.sweep();
  const rows = () => world.database.admin`select from countersign.failing_recipients`;
  expect(await rows()).toHaveLength(1);
  await world.database.admin`delete from countersign.deliveries`;
  await world.store.sweep();
  expect(await rows()).toHaveLength(0);
});

it("the webhooks option disableAfter defaults to five days and accepts another duration or false", () => {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const endpoints = [{ url: "https://hooks.example.com", secret }];
  expect(webhooks({ endpoints }).disableAfterMs).toBe(5 * day);
  expect(webhooks({ endpoints, disableAfter: "2 days" }).disableAfterMs).toBe(2 * day);
  expect(webhooks({ endpoints, disableAfter: false }).disableAfterMs).toBeUndefined();
  for (const disableAfter of ["soon", "1h", true as never])
    expect(() => webhooks({ endpoints, disableAfter })).toThrow(/disableAfter: must be a duration/);
});

it("a delivery that the channel reports as skipped is recorded as skipped, not as sent", async () => {
  const answers = [
    { ok: true, reference: null, skipped: "The endpoint does not receive this event" },
  ] as const;
  const test = recordingChannel({ mode: "events", answers: [...answers] });
  await using desk = await openDeliveryDesk(test.channel);
  const [call] = await proposeCall(desk.store, { notify: ["test"] });
  await desk.sendAll();
  expect(await desk.store.listDeliveries("acme", call?.id ?? "")).toMatchObject([
    { state: "skipped", lastError: "The endpoint does not receive this event", sentAt: null },
  ]);
});

it("an event that the channel does not subscribe to is skipped, and no delivery is listed", async () => {
  const test = recordingChannel({ mode: "events", events: ["approval.decided"] });
  await using desk = await openDeliveryDesk(test.channel);
  const [call] = await proposeCall(desk.store, { notify: ["test"] });
  await desk.sendAll();
  expect(await desk.rows()).toMatchObject([{ state: "skipped", sent_at: null }]);
  expect(await desk.store.listDeliveries("acme", call?.id ?? "")).toEqual([]);
});
