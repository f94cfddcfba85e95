import { approvalsApi } from "countersign/hono";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { everyDatabase, type TestDatabase } from "../support/databases.js";
import { eventually, principals } from "../support/harness.js";
import { readEvents } from "../support/http/event-stream.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";
import {
  openRefundDesk,
  openRefundDeskOn,
  openWaitingRefund,
  type RefundDesk,
} from "../support/waiting-refund.js";

let desk: RefundDesk;

beforeAll(async () => {
  desk = await openRefundDesk();
});

afterAll(() => desk[Symbol.asyncDispose]());

describe.each(everyDatabase)("GET /events on $name", ({ open }) => {
  let database: TestDatabase;
  let on: Awaited<ReturnType<typeof openRefundDeskOn>>;

  beforeAll(async () => {
    database = await open();
    on = await openRefundDeskOn(database);
  });

  afterAll(async () => {
    await on[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  it("streams the entries of a decision, and no others", async () => {
    const { harness, approval } = await on.refund();
    const stream = readEvents(await harness.request("finance", "/events"));
    expect((await stream.next()).event).toBe("hello");
    await harness.decide(approval, "approve");
    const changes = await stream.until(({ data }) => data.type === "approval.executed");
    expect(changes.map(({ data }) => data.type)).toEqual([
      "approval.approved",
      "approval.executing",
      "approval.executed",
    ]);
    expect(changes.every(({ data }) => data.approvalId === approval.id)).toBe(true);
    expect(Object.keys(changes[0]?.data ?? {})).toEqual(["position", "type", "approvalId", "at"]);
    await stream.close();
  });

  it("reports a new viewer of a call to its other approvers once", async () => {
    const { harness, approval } = await on.refund();
    const stream = readEvents(await harness.request("finance", "/events"));
    await stream.next();
    const look = (active: boolean) =>
      harness.call("lead", `/approvals/${approval.id}/viewing`, { method: "POST", body: { active } });
    await look(true);
    // The test reads this event first, because a stream with both kinds of event would begin with the log.
    expect(await stream.next()).toMatchObject({ event: "viewing", data: { approvalId: approval.id } });
    await look(true);
    await harness.decide(approval, "deny");
    const changes = await stream.until(({ data }) => data.type === "approval.denied");
    expect(changes.map(({ event }) => event)).toEqual(["change"]);
    await stream.close();
  });
});

describe("GET /events", () => {
  it("resumes after the id of the last event, without a gap or a repetition", async () => {
    const { harness, approval } = await desk.refund();
    const first = readEvents(await harness.request("finance", "/events?after=0"));
    const [announced] = (
      await first.until(({ data }) => data.type === "approval.announced" && data.approvalId === approval.id)
    ).slice(-1);
    await first.close();
    await harness.decide(approval, "deny");
    const again = readEvents(
      await harness.request("finance", "/events", { headers: { "last-event-id": announced?.id ?? "" } }),
    );
    const changes = await again.until(({ data }) => data.type === "approval.denied");
    expect(changes.map(({ event, data }) => data.type ?? event)).toEqual(["hello", "approval.denied"]);
    await again.close();
  });

  it("sends another tenant only its own events, and refuses requests without a sign-in", async () => {
    const { harness, approval } = await desk.refund();
    expect((await harness.request("nobody", "/events")).status).toBe(401);
    const stranger = readEvents(await harness.request("stranger", "/events?after=0"));
    await harness.decide(approval, "approve");
    // The stranger's own log grows last, so an event of the first tenant would come before its entries.
    const [own] = await proposeCall(harness.store, { tenantId: "other" });
    const events = await stranger.until(({ data }) => data.type === "approval.announced");
    expect(events.map(({ event, data }) => [event, data.type, data.approvalId])).toEqual([
      ["hello", undefined, undefined],
      ["change", "approval.proposed", own?.id],
      ["change", "approval.announced", own?.id],
    ]);
    await stranger.close();
  });
});

it("the open streams of a tenant share the reads of a change", async () => {
  let reads = 0;
  const counted = <Args extends unknown[], Result>(carryOut: (...args: Args) => Result, ...args: Args) => {
    reads += 1;
    return carryOut(...args);
  };
  await using world = await openWaitingRefund({
    between: (store) =>
      interceptedStore(store, { getApproval: counted, listAudit: counted, auditPosition: counted }),
  });
  const { harness, approval } = world;
  const streams = await Promise.all(
    Array.from({ length: 20 }, async () => readEvents(await harness.request("finance", "/events"))),
  );
  const look = (token: string) =>
    harness.call(token, `/approvals/${approval.id}/viewing`, { method: "POST", body: { active: true } });
  const viewed = () => Promise.all(streams.map((stream) => stream.until(({ event }) => event === "viewing")));
  await look("lead");
  await viewed();
  reads = 0;
  await look("finance");
  await viewed();
  // Each stream alone would read the log's position and the call.
  expect(reads).toBeLessThan(20);
  await Promise.all(streams.map((stream) => stream.close()));
});

it("an event stream ends when its reader is no longer signed in", async () => {
  const store = postgresStore({ client: desk.database.postgres });
  let signedIn = true;
  const api = approvalsApi(
    { ...desk.harness.countersign, store },
    { authenticate: () => (signedIn ? (principals.finance ?? null) : null), eventHeartbeatMs: 20 },
  );
  const stream = readEvents(await api.request("/events"));
  await stream.next();
  signedIn = false;
  await expect(stream.next()).rejects.toThrow("the stream ended");
  await store.close();
});

it("the API releases an event stream at once when its reader leaves", async () => {
  const api = approvalsApi(desk.harness.countersign, {
    authenticate: () => principals.finance ?? null,
    eventHeartbeatMs: 3_600_000,
  });
  // More streams than one person may have open: each must be released long before its next heartbeat.
  for (let visit = 0; visit < 25; visit++) {
    const stream = await eventually(async () => {
      const response = await api.request("/events");
      return response.status === 200 ? readEvents(response) : undefined;
    }, "a place for one more stream");
    await stream.next();
    await stream.close();
  }
});

it("event streams and lists give the database's time, by which calls expire", async () => {
  const store = postgresStore({ client: desk.database.postgres });
  const api = approvalsApi(
    { ...desk.harness.countersign, store },
    { authenticate: () => principals.finance ?? null },
  );
  const hourAgo = Date.now() - 3_600_000;
  // This process's clock is an hour late and does not advance. Its answers must not show that.
  vi.useFakeTimers({ toFake: ["Date"], now: hourAgo });
  const stream = readEvents(await api.request("/events"));
  const times = [(await stream.next()).data.serverTime];
  await stream.close();
  for (const path of ["/me", "/approvals", "/approvals/counts", "/grants"]) {
    times.push((await (await api.request(path)).json()).serverTime);
  }
  vi.useRealTimers();
  for (const time of times) expect(Date.parse(String(time))).toBeGreaterThan(hourAgo + 3_500_000);
  await store.close();
});

it("an event stream receives another process's decisions, even after a lost connection", async () => {
  const { harness, approval } = await desk.refund();
  const elsewhere = postgresStore({ url: desk.database.url });
  const api = approvalsApi(
    { ...desk.harness.countersign, store: elsewhere },
    { authenticate: () => principals.finance ?? null },
  );
  const stream = readEvents(await api.request("/events"));
  await stream.next();
  await harness.decide(approval, "deny");
  await stream.until(({ data }) => data.type === "approval.denied");
  // The store opens a lost listening connection again, and reads the events in between from the log.
  await desk.database
    .postgres`select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%'`;
  const [next] = await proposeCall(desk.harness.store);
  await stream.until(({ data }) => data.type === "approval.announced" && data.approvalId === next?.id);
  await stream.close();
  await elsewhere.close();
});
