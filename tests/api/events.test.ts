import { approvalsApi } from "countersign/hono";
import { describe, expect, it, vi } from "vitest";
import { everyDatabase, freshPostgres } from "../support/databases.js";
import { eventually, principals } from "../support/harness.js";
import { readEvents } from "../support/http/event-stream.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";
import { openWaitingRefundOn } from "../support/waiting-refund.js";

describe.each(everyDatabase)("GET /events on $name", ({ open }) => {
  it("tells of a decision as it falls, and only of that", async () => {
    await using database = await open();
    await using world = await openWaitingRefundOn(database);
    const { harness, approval } = world;
    const stream = readEvents(await harness.request("finance", "/events"));
    expect((await stream.next()).event).toBe("hello");
    await harness.decide(approval, "approve");
    const told = await stream.until(({ data }) => data.type === "approval.executed");
    expect(told.map(({ data }) => data.type)).toEqual([
      "approval.approved",
      "approval.executing",
      "approval.executed",
    ]);
    expect(told.every(({ data }) => data.approvalId === approval.id)).toBe(true);
    expect(Object.keys(told[0]?.data ?? {})).toEqual(["position", "type", "approvalId", "at"]);
    await stream.close();
  });

  it("misses nothing between two connections, by the id of the last event", async () => {
    await using database = await open();
    await using world = await openWaitingRefundOn(database);
    const { harness, approval } = world;
    const first = readEvents(await harness.request("finance", "/events?after=0"));
    const [announced] = (await first.until(({ data }) => data.type === "approval.announced")).slice(-1);
    await first.close();
    await harness.decide(approval, "deny");
    const again = readEvents(
      await harness.request("finance", "/events", { headers: { "last-event-id": announced?.id ?? "" } }),
    );
    const told = await again.until(({ data }) => data.type === "approval.denied");
    expect(told.map(({ event, data }) => data.type ?? event)).toEqual(["hello", "approval.denied"]);
    await again.close();
  });

  it("tells who else could decide that somebody has opened a call, once", async () => {
    await using database = await open();
    await using world = await openWaitingRefundOn(database);
    const { harness, approval } = world;
    const stream = readEvents(await harness.request("finance", "/events"));
    await stream.next();
    const look = (active: boolean) =>
      harness.call("lead", `/approvals/${approval.id}/viewing`, { method: "POST", body: { active } });
    await look(true);
    // Waited for, as a stream that has both to tell of begins with the log.
    expect(await stream.next()).toMatchObject({ event: "viewing", data: { approvalId: approval.id } });
    await look(true);
    await harness.decide(approval, "deny");
    const told = await stream.until(({ data }) => data.type === "approval.denied");
    expect(told.map(({ event }) => event)).toEqual(["change"]);
    await stream.close();
  });

  it("tells another tenant and the signed-out nothing", async () => {
    await using database = await open();
    await using world = await openWaitingRefundOn(database);
    const { harness, approval } = world;
    expect((await harness.request("nobody", "/events")).status).toBe(401);
    const stranger = readEvents(await harness.request("stranger", "/events?after=0"));
    await harness.decide(approval, "approve");
    // The stranger's own log grows last; news of the other tenant would come before it.
    await harness.store.recordNote({ tenantId: "other", type: "call.refused", data: {} });
    expect((await stranger.next()).event).toBe("hello");
    await stranger.close();
  });
});

it("ends a stream when its reader is no longer signed in", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  await using world = await openWaitingRefundOn(database);
  let signedIn = true;
  const api = approvalsApi(
    { ...world.harness.countersign, store },
    { authenticate: () => (signedIn ? (principals.finance ?? null) : null), eventHeartbeatMs: 20 },
  );
  const stream = readEvents(await api.request("/events"));
  await stream.next();
  signedIn = false;
  await expect(stream.next()).rejects.toThrow("the stream ended");
  await store.close();
});

it("lets go of a stream whose reader leaves at once", async () => {
  await using database = await freshPostgres();
  await using world = await openWaitingRefundOn(database);
  const api = approvalsApi(world.harness.countersign, {
    authenticate: () => principals.finance ?? null,
    eventHeartbeatMs: 3_600_000,
  });
  // More than somebody may have open at once: each must be gone long before its next sign of life.
  for (let visit = 0; visit < 25; visit++) {
    const stream = await eventually(async () => {
      const response = await api.request("/events");
      return response.status === 200 ? readEvents(response) : undefined;
    }, "a place for one more stream");
    await stream.next();
    await stream.close();
  }
});

it("greets with the database's time, by which calls run out, as every list does", async () => {
  await using database = await freshPostgres();
  await using world = await openWaitingRefundOn(database);
  const store = postgresStore({ client: database.postgres });
  const api = approvalsApi(
    { ...world.harness.countersign, store },
    { authenticate: () => principals.finance ?? null },
  );
  const hourAgo = Date.now() - 3_600_000;
  // This process' clock is an hour late, and stands still; whoever reads its answers must not see that.
  vi.useFakeTimers({ toFake: ["Date"], now: hourAgo });
  const stream = readEvents(await api.request("/events"));
  const told = [(await stream.next()).data.serverTime];
  await stream.close();
  for (const path of ["/me", "/approvals", "/approvals/counts", "/grants"]) {
    told.push((await (await api.request(path)).json()).serverTime);
  }
  vi.useRealTimers();
  for (const time of told) expect(Date.parse(String(time))).toBeGreaterThan(hourAgo + 3_500_000);
  await store.close();
});

it("hears in one process what another one decides", async () => {
  await using database = await freshPostgres();
  await using world = await openWaitingRefundOn(database);
  const elsewhere = postgresStore({ url: database.url });
  const api = approvalsApi(
    { ...world.harness.countersign, store: elsewhere },
    { authenticate: () => principals.finance ?? null },
  );
  const stream = readEvents(await api.request("/events"));
  await stream.next();
  await world.harness.decide(world.approval, "deny");
  await stream.until(({ data }) => data.type === "approval.denied");
  // A listening connection that is lost comes back, and what fell in between is read from the log.
  await database.postgres`select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen%'`;
  const [next] = await proposeCall(world.harness.store);
  await stream.until(({ data }) => data.type === "approval.announced" && data.approvalId === next?.id);
  await stream.close();
  await elsewhere.close();
});
