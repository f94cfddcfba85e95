import { createCountersign } from "countersign/agent-kit";
import { Inngest } from "inngest";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { defaultPolicy } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

const hour = 3_600_000;

/** A store whose time advances only when a test advances it, however busy the machine is. */
async function openStore() {
  const database = await freshPostgres();
  const time = { offset: 0 };
  const openedAt = Date.now();
  const clockOffset = () => time.offset - (Date.now() - openedAt);
  const store = postgresStore({ client: database.postgres, clockOffset });
  await store.migrate();
  const rows = async () => {
    const [row] = await database.admin`select count(*)::int as count from countersign.outbox`;
    return row?.count;
  };
  return { store, time, rows, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() };
}

async function decided(store: Store) {
  const [call] = await proposeCall(store);
  if (!call) throw new Error("unreachable");
  await store.decide({
    approvalId: call.id,
    principal: { id: "finance", tenantId: "acme", roles: [] },
    type: "approve",
    digest: call.digest,
    reason: null,
  });
  return call;
}

it("the outbox keeps a wake-up until its run has processed it", async () => {
  await using opened = await openStore();
  const { store, time, rows } = opened;
  const call = await decided(store);
  expect(await rows()).toBe(1);
  expect(await store.takeDueWakeUps(10)).toEqual([]);
  time.offset = 6000;
  expect(await store.takeDueWakeUps(10)).toMatchObject([{ requestId: call.requestId }]);
  await store.settle(call.requestId, 0);
  expect(await rows()).toBe(0);
  time.offset = 2 * hour;
  expect(await store.takeDueWakeUps(10)).toEqual([]);
});

it("the outbox repeats a wake-up at growing intervals, and gives up after a month", async () => {
  await using opened = await openStore();
  const { store, time, rows } = opened;
  await decided(store);
  const second = 1000;
  const sentAt: number[] = [];
  // Each step adds a twentieth of the time passed, which is fine enough to see the pauses grow.
  for (time.offset = 5 * second; time.offset < 3 * hour; time.offset = Math.ceil(time.offset * 1.05)) {
    if ((await store.takeDueWakeUps(10)).length > 0) sentAt.push(time.offset);
  }
  const pauses = sentAt.slice(1).map((at, index) => at - (sentAt[index] ?? 0));
  expect(pauses.length).toBeGreaterThan(6);
  for (const [index, pause] of pauses.slice(1, 8).entries())
    expect(pause).toBeGreaterThan(pauses[index] ?? 0);
  expect(Math.max(...pauses)).toBeLessThan(1.5 * hour);

  let more = 0;
  for (; (await rows()) > 0 && more < 800; more++) {
    time.offset += 1.1 * hour;
    await store.takeDueWakeUps(10);
  }
  expect(sentAt.length + more).toBeGreaterThan(700);
  expect(await rows()).toBe(0);
});

it("the outbox holds no wake-up for a call of an ended run that was never announced", async () => {
  await using opened = await openStore();
  const { store, rows } = opened;
  const [unannounced] = await proposeCall(store, { announce: false, runId: "cancelled" });
  await proposeCall(store, { runId: "cancelled" });
  if (!unannounced) throw new Error("unreachable");
  const woken = await store.withdrawRun("cancelled", "run_cancelled");
  // The announced call has a waiting orchestrator, which is woken until it has processed the withdrawal.
  expect(woken).toHaveLength(1);
  expect(woken.map(({ requestId }) => requestId)).not.toContain(unannounced.requestId);
  expect(await rows()).toBe(1);
});

it("the outbox holds no wake-up for a call that was superseded before its run began to wait", async () => {
  await using opened = await openStore();
  const { store, rows } = opened;
  const [overtaken] = await proposeCall(store, { announce: false, runId: "earlier", threadId: "thread" });
  const woken = await store.withdrawThread("acme", "thread", "later");
  expect(woken).toEqual([]);
  expect(await rows()).toBe(0);
  // A run that begins to wait after all is woken until it has processed that, even if the first wake-up is lost.
  expect(await store.announce(overtaken?.requestId ?? "")).toMatchObject([
    { status: "withdrawn", withdrawalCause: "superseded" },
  ]);
  opened.time.offset = 6000;
  expect(await store.takeDueWakeUps(10)).toMatchObject([{ requestId: overtaken?.requestId }]);
  expect(await store.settle(overtaken?.requestId ?? "", 0)).toMatchObject({ open: 0 });
  expect(await rows()).toBe(0);
});

it("a run that waits again is woken although a duplicate of its earlier step settled the request", async () => {
  await using opened = await openStore();
  const { store, time, rows } = opened;
  const calls = await proposeCall(store, { calls: 2 });
  const [{ requestId } = { requestId: "" }] = calls;
  const decide = (call: (typeof calls)[number] | undefined) =>
    store.decide({
      approvalId: call?.id ?? "",
      principal: { id: "finance", tenantId: "acme", roles: [] },
      type: "approve",
      digest: call?.digest ?? "",
      reason: null,
    });
  await decide(calls[0]);
  expect(await store.settle(requestId, 0)).toMatchObject({ open: 1 });
  await decide(calls[1]);
  // The engine delivered the step twice: the first found an open call, so the run waits again; the second finds none.
  expect(await store.settle(requestId, 0)).toMatchObject({ open: 0, settled: true });
  expect(await rows()).toBe(0);
  expect(await store.peek(requestId, 1)).toMatchObject({ open: 0 });
  expect(await rows()).toBe(1);
  expect(await store.settle(requestId, 0)).toMatchObject({ open: 0, settled: false });
  time.offset = 6000;
  expect(await store.takeDueWakeUps(10)).toMatchObject([{ requestId }]);
  expect(await store.settle(requestId, 1)).toMatchObject({ open: 0, settled: true });
  expect(await rows()).toBe(0);
  await store.peek(requestId, 1);
  await store.announce(requestId);
  expect(await rows()).toBe(0);
});

it("the outbox holds no wake-up for calls of an ended run that needed no approval", async () => {
  await using opened = await openStore();
  const { store, rows } = opened;
  await proposeCall(store, { announce: false, runId: "cancelled", verdict: "notify" });
  expect(await store.withdrawRun("cancelled", "run_cancelled")).toEqual([]);
  expect(await rows()).toBe(0);
});

it("the outbox holds no wake-up for approvals that the host saved through the history", async () => {
  await using opened = await openStore();
  const { store, time, rows } = opened;
  const sent: { name: string }[] = [];
  const inngest = new Inngest({
    id: "saved",
    isDev: true,
    fetch: async (_input, init) => {
      sent.push(...JSON.parse(String(init?.body)));
      return Response.json({ ids: ["1"], status: 200 });
    },
  });
  const { history } = createCountersign({ inngest, store, policy: defaultPolicy, tenantId: "acme" });
  await history.savePendingApproval({
    approvalId: "approval-1",
    threadId: "thread-1",
    eventIdToWaitFor: "approval-1",
    toolName: "send_email",
    toolInput: { to: "customer" },
    toolCallId: "call-1",
    status: "pending",
    createdAt: new Date(),
  });
  const resolved = { approvalId: "approval-1", status: "approved" as const, resolvedAt: new Date() };
  await history.resolvePendingApproval({ ...resolved, resolvedBy: "finance" });
  expect(await history.listPendingApprovals({ threadId: "thread-1", status: "approved" })).toHaveLength(1);
  expect(await rows()).toBe(0);
  time.offset = hour;
  expect(await store.takeDueWakeUps(10)).toEqual([]);
  expect(sent.map(({ name }) => name)).not.toContain("countersign/request.wake-up");
});

it("a proposed call that its run never announces is withdrawn after a day, or after its own longer time", async () => {
  await using opened = await openStore();
  const { store, time } = opened;
  const [call] = await proposeCall(store, { announce: false });
  const [slow] = await proposeCall(store, { announce: false, timeoutMs: 48 * hour });
  const ends = async () => {
    await store.sweep();
    const rows = await Promise.all([call, slow].map((row) => store.getApproval("acme", row?.id ?? "")));
    return rows.map((row) => row?.withdrawalCause ?? row?.status);
  };
  time.offset = 23 * hour;
  expect(await ends()).toEqual(["proposed", "proposed"]);
  time.offset = 25 * hour;
  expect(await ends()).toEqual(["run_lost", "proposed"]);
  time.offset = 49 * hour;
  expect(await ends()).toEqual(["run_lost", "run_lost"]);
  expect(await store.announce(call?.requestId ?? "")).toMatchObject([{ status: "withdrawn" }]);
});
