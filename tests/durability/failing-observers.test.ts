import { definePolicy, notify, type Principal } from "countersign";
import { approvalsApi } from "countersign/hono";
import { afterEach, expect, it, vi } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { readEvents } from "../support/http/event-stream.js";
import { proposeCall } from "../support/proposals.js";
import { openWaitingRefund } from "../support/waiting-refund.js";

const crashPoint = Symbol.for("countersign:crash-point");

afterEach(() => {
  Reflect.deleteProperty(globalThis, crashPoint);
  vi.restoreAllMocks();
});

it("a store observer that throws does not stop a call", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  await using world = await openWaitingRefund();
  const { harness, approval, runId, effects } = world;
  harness.store.observe(() => {
    throw new Error("the socket of the metrics is down");
  });
  expect((await harness.decide(approval, "approve")).status).toBe(200);
  await harness.ended(runId);
  expect(effects).toHaveLength(1);
  expect((await harness.approval(approval.id)).status).toBe("executed");
  expect(logged).toHaveBeenCalledWith("Countersign: An observer of the store threw", { error: "Error" });
});

it("a call with the verdict notify sends its event once, even if its step fails just before that", async () => {
  const notified: unknown[] = [];
  let cutOff = 0;
  Reflect.set(globalThis, crashPoint, (name: string) => {
    if (name === "before-notified-event" && cutOff++ === 0) throw new Error("cut off");
  });
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  await using harness = await openHarness({
    database,
    tools,
    policy: definePolicy({ tools: { email: notify() } }),
    reply: inTurns({ toolCalls: [{ name: "email", input: { to: "a@b.example", text: "Hello" } }] }),
    onEvent: ({ name, data }) => {
      if (name === "countersign/call.notified") notified.push(data.approvalId);
      return "deliver";
    },
  });
  const { runId } = await harness.say("Email them");
  await vi.waitUntil(() => cutOff > 0, { timeout: 60_000 });
  await harness.clock.advance("5m");
  await harness.ended(runId);
  expect(effects).toHaveLength(1);
  const [approval] = await harness.store.listApprovals({ tenantId: "acme", limit: 2 });
  expect(notified).toEqual([approval?.id]);
});

it("an event stream authenticates its reader again, even while changes keep coming", async () => {
  await using world = await openWaitingRefund();
  const { harness } = world;
  const reader: Principal = { id: "anna", tenantId: "acme", roles: ["finance"] };
  let now: Principal | null = reader;
  let asked = 0;
  const api = approvalsApi(harness.countersign, {
    authenticate: () => {
      asked++;
      return now;
    },
    eventHeartbeatMs: 300,
    rateLimit: false,
  });
  const stream = readEvents(await api.request("/events"));
  const heard: unknown[] = [];
  let isOver = false;
  // The test reads all the time, because a stream waits for its reader.
  const read = stream
    .until(({ data }) => heard.push(data.approvalId) < 0)
    .catch(() => {
      isOver = true;
    });
  const forFinance = { approvers: { roles: ["finance"], ids: [] } };
  const expectEvent = async (options?: Parameters<typeof proposeCall>[1]) => {
    const [call] = await proposeCall(harness.store, options);
    await vi.waitUntil(() => heard.includes(call?.id), { timeout: 60_000 });
  };
  await expectEvent(forFinance);

  now = { ...reader, roles: [] };
  const before = asked;
  while (asked === before) await proposeCall(harness.store, forFinance);
  const [secret] = await proposeCall(harness.store, forFinance);
  await expectEvent();
  expect(heard).not.toContain(secret?.id);

  now = null;
  while (!isOver) await proposeCall(harness.store);
  await read;
});
