import { randomBytes } from "node:crypto";
import type { Channel, Principal, Sent } from "countersign";
import { approvalsApi } from "countersign/hono";
import { createMetrics } from "countersign/metrics";
import { webhooks } from "countersign/webhooks";
import { expect, it } from "vitest";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { recordingChannel } from "../support/recording-channel.js";

const operator: Principal = { id: "operator", tenantId: "acme", roles: ["operator"] };
const hour = 3_600_000;
const day = 24 * hour;

/** An endpoint that gives each delivery up at once, and works or not as the test says. */
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
  /** Proposes a call, and makes the attempts that are due. */
  const tell = async (tenantId = "acme") => {
    const [call] = await proposeCall(desk.store, { notify: ["test:#crm"], tenantId });
    await desk.sendAll();
    const [delivery] = await desk.store.listDeliveries(tenantId, call?.id ?? "");
    if (!delivery) throw new Error("unreachable");
    return delivery;
  };
  /** Fails once a day for this many days. */
  const failFor = async (days: number, tenantId?: string) => {
    for (let passed = 0; passed < days; passed++) {
      expect(await tell(tenantId)).toMatchObject({ state: "failed" });
      desk.time.offset += day;
    }
  };
  const problems = async (): Promise<string[]> =>
    (await (await api.request("/readyz")).json()).problems ?? [];
  const lines = async () => (await (await metrics.handler()).text()).split("\n");
  const logged = () => JSON.stringify(desk.logged);
  const replay = (id: string) => api.request(`/deliveries/${id}/replay`, { method: "POST" });
  return { ...desk, test, endpoint, tell, failFor, problems, lines, logged, replay };
}

it("a recipient to whom everything has failed for five days gets nothing more", async () => {
  await using world = await openWorld();
  await world.failFor(5);
  expect(world.logged()).not.toContain("disabled");
  const last = await world.tell();
  expect(last).toMatchObject({ state: "failed" });
  expect(world.logged()).toContain("A recipient is disabled");
  const attempts = world.test.attempts.length;
  expect(await world.tell()).toMatchObject({
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

it("one that is gone gets nothing more at once, unless its channel never disables", async () => {
  await using world = await openWorld();
  world.endpoint.gone = true;
  expect(await world.tell()).toMatchObject({ state: "failed" });
  expect(await world.tell()).toMatchObject({ state: "skipped" });
  expect(await world.problems()).toContain("recipients_disabled");
  await using never = await openWorld({ disableAfterMs: undefined as never });
  never.endpoint.gone = true;
  expect(await never.tell()).toMatchObject({ state: "failed" });
  expect(await never.tell()).toMatchObject({ state: "failed" });
});

it("it is disabled in every process, whatever that process has seen", async () => {
  await using world = await openWorld();
  await world.failFor(6);
  const rows = await world.database.admin`select disabled_at from countersign.failing_recipients`;
  expect(rows).toMatchObject([{ disabled_at: expect.any(Date) }]);
});

it("a success in between begins the days anew", async () => {
  await using world = await openWorld();
  await world.failFor(4);
  world.endpoint.works = true;
  expect(await world.tell()).toMatchObject({ state: "sent" });
  expect(await world.database.admin`select from countersign.failing_recipients`).toHaveLength(0);
  world.endpoint.works = false;
  await world.failFor(5);
  expect(await world.problems()).not.toContain("recipients_disabled");
});

it("two failures with nothing in between for days prove nothing", async () => {
  await using world = await openWorld();
  await world.failFor(1);
  world.time.offset += 9 * day;
  await world.failFor(1);
  expect(await world.tell()).toMatchObject({ state: "failed" });
  expect(await world.problems()).not.toContain("recipients_disabled");
});

it("a replay that fails leaves it disabled, and one that succeeds enables it", async () => {
  await using world = await openWorld();
  await world.failFor(6);
  const skipped = await world.tell();
  const stateOf = async () =>
    (await world.store.listDeliveries("acme", skipped.approvalId)).find(({ id }) => id === skipped.id)?.state;
  expect((await world.replay(skipped.id)).status).toBe(200);
  await world.sendAll();
  expect(await stateOf()).toBe("failed");
  expect(await world.tell()).toMatchObject({ state: "skipped" });

  world.endpoint.works = true;
  expect(await world.tell()).toMatchObject({ state: "skipped" });
  await world.replay(skipped.id);
  await world.sendAll();
  expect(await stateOf()).toBe("sent");
  expect(await world.tell()).toMatchObject({ state: "sent" });
  expect(await world.problems()).not.toContain("recipients_disabled");
  expect((await world.lines()).join("\n")).not.toContain("countersign_recipients_disabled{");
  const trail = await world.store.auditTrail("acme", skipped.approvalId);
  expect(trail.map(({ type }) => type)).toContain("delivery.enabled");
});

it("one tenant's failures disable nothing of another tenant", async () => {
  await using world = await openWorld();
  world.endpoint.unless = (tenantId) => tenantId === "other";
  await world.failFor(6);
  expect(await world.tell()).toMatchObject({ state: "skipped" });
  expect(await world.tell("other")).toMatchObject({ state: "sent" });
  expect(await world.tell()).toMatchObject({ state: "skipped" });
});

it("a channel that never disables goes on", async () => {
  await using world = await openWorld({ disableAfterMs: undefined as never });
  await world.failFor(9);
  expect(await world.tell()).toMatchObject({ state: "failed" });
  expect(await world.database.admin`select from countersign.failing_recipients`).toHaveLength(0);
});

it("a disabled recipient that gets no deliveries any more is no problem after a week", async () => {
  await using world = await openWorld();
  await world.failFor(6);
  expect(await world.problems()).toContain("recipients_disabled");
  world.time.offset += 8 * day;
  expect(await world.problems()).not.toContain("recipients_disabled");
});

it("the sweep forgets recipients about which no delivery is left", async () => {
  await using world = await openWorld();
  await world.failFor(6);
  await world.store.sweep();
  const rows = () => world.database.admin`select from countersign.failing_recipients`;
  expect(await rows()).toHaveLength(1);
  await world.database.admin`delete from countersign.deliveries`;
  await world.store.sweep();
  expect(await rows()).toHaveLength(0);
});

it("webhooks disable endpoints after five days, after another time, or never", () => {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  const endpoints = [{ url: "https://hooks.example.com", secret }];
  expect(webhooks({ endpoints }).disableAfterMs).toBe(5 * day);
  expect(webhooks({ endpoints, disableAfter: "2 days" }).disableAfterMs).toBe(2 * day);
  expect(webhooks({ endpoints, disableAfter: false }).disableAfterMs).toBeUndefined();
  for (const disableAfter of ["soon", "1h", true as never])
    expect(() => webhooks({ endpoints, disableAfter })).toThrow(/disableAfter: must be a duration/);
});

it("a delivery of an event that the recipient does not want is skipped, not sent", async () => {
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

it("an event that the channel does not report is skipped and is no message", async () => {
  const test = recordingChannel({ mode: "events", events: ["approval.decided"] });
  await using desk = await openDeliveryDesk(test.channel);
  const [call] = await proposeCall(desk.store, { notify: ["test"] });
  await desk.sendAll();
  expect(await desk.rows()).toMatchObject([{ state: "skipped", sent_at: null }]);
  expect(await desk.store.listDeliveries("acme", call?.id ?? "")).toEqual([]);
});
