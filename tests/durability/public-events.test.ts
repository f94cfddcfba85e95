import { approvalEvents, createCountersign, definePolicy, type Logger, notify } from "countersign";
import { fingerprintOf } from "countersign/evidence";
import { publishOverdue } from "countersign/internal";
import { Inngest } from "inngest";
import { afterEach, describe, expect, expectTypeOf, it, vi } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { recordingInngest, type SentEvent } from "../support/recording-inngest.js";
import { postgresStore } from "../support/store.js";
import { openWaitingRefund } from "../support/waiting-refund.js";
import { decideCall, waysToEnd } from "../support/ways-to-end.js";

const crashPoint = Symbol.for("countersign:crash-point");
const silent = { info: () => {}, warn: () => {}, error: () => {} };
const secret = "sk_live_51HxNotForEvents";

afterEach(() => void Reflect.deleteProperty(globalThis, crashPoint));

/** A store with a waiting call, and an Inngest client that records the events it sends. */
async function openWorld() {
  const database = await freshPostgres();
  const time = { offset: 0 };
  const store = postgresStore({ client: database.postgres, clockOffset: () => time.offset });
  await store.migrate();
  const [call] = await proposeCall(store, {
    terms: { decisions: ["approve", "deny", "respond"] },
    input: { id: "A-1", key: secret },
    summary: `Refund with ${secret}`,
  });
  if (!call) throw new Error("unreachable");
  const recording = recordingInngest();
  const publish = () => publishOverdue(recording.inngest, store, silent);
  const ofCall = () => recording.sent.filter(({ data }) => data.approvalId === call.id);
  return {
    ...{ database, store, time, call, ...recording, publish, ofCall },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

/** Makes an instance, which sends the events of what its process commits. */
function publishAfterCommits({ inngest, store }: World, logger: Logger = silent) {
  return createCountersign({ inngest, store, policy: definePolicy({ tools: {} }), logger });
}

const definitions = Object.values(approvalEvents);

async function expectDefined({ name, data }: SentEvent) {
  const schema = definitions.find((definition) => definition.name === name)?.schema;
  expect(schema?.strict().safeParse(data)).toMatchObject({ success: true });
}

describe("a call that ends", () => {
  it.each(Object.entries(waysToEnd))(
    "sends one event about its end: %s",
    async (_, { end, status, event }) => {
      await using world = await openWorld();
      const { call } = world;
      await end(world);
      await world.publish();
      const sent = world.ofCall();
      const [name, fields] = event;
      expect(sent.at(-1)).toMatchObject({
        name: `countersign/approval.${name}`,
        data: {
          ...{ approvalId: call.id, requestId: call.requestId, tenantId: "acme", threadId: "thread" },
          ...{ toolName: "refund", digest: call.digest, status, ...fields },
        },
      });
      for (const one of sent) await expectDefined(one);
      expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
      expect(JSON.stringify(sent)).not.toContain(secret);
      const before = sent.length;
      await world.publish();
      expect(world.ofCall()).toHaveLength(before);
    },
  );
});

it.each(["approve", "edit"] as const)(
  "the event of the decision %s has the fingerprint of what was decided, without the path",
  async (type) => {
    await using world = await openWorld();
    const { store } = world;
    const [call] = await proposeCall(store, {
      threadId: "thread-2",
      input: { path: secret },
      risk: "high",
      terms: { decisions: ["approve", "edit"] },
    });
    if (!call) throw new Error("unreachable");
    const edited = { inputJson: JSON.stringify({ path: `${secret}/new` }), digest: "e".repeat(64) };
    const result = await store.decide({
      ...{ approvalId: call.id, digest: call.digest, reason: null, type },
      principal: { id: "finance", tenantId: "acme", roles: ["finance"] },
      ...(type === "edit" ? { edited } : {}),
    });
    if (result.outcome !== "decided") throw new Error(result.outcome);
    await world.publish();
    const [event] = world.sent.filter(({ data }) => data.approvalId === call.id);
    const { path, ...fingerprint } = fingerprintOf(result.approval);
    expect(path).toContain(secret);
    expect(event?.data.fingerprint).toEqual(fingerprint);
    expect(fingerprint).toEqual({
      actionKind: "destructive",
      toolName: "refund",
      scope: "thread-2",
      payloadHash: type === "edit" ? edited.digest : call.digest,
    });
    expect(JSON.stringify(world.sent)).not.toContain(secret);
  },
);

it("the events of a call have the order and the times of its transitions", async () => {
  await using world = await openWorld();
  await decideCall(world, "approve");
  await world.store.claim(world.call.id, "once", () => undefined);
  await world.store.finish(world.call.id, { status: "executed", outcomeJson: "{}" });
  await world.publish();
  expect(world.ofCall().map(({ name }) => name)).toEqual([
    "countersign/approval.decided",
    "countersign/approval.started",
    "countersign/approval.finished",
  ]);
  const trail = await world.store.auditTrail("acme", world.call.id);
  for (const { ts, data } of world.ofCall()) {
    const entry = trail.find(({ position }) => position === data.position);
    expect([ts, data.at]).toEqual([entry?.at.getTime(), entry?.at.toISOString()]);
  }
});

describe("a process", () => {
  it.each(["before-public-events", "after-public-events"])(
    "that dies at %s leaves the event to the relay, under the same id",
    async (point) => {
      await using world = await openWorld();
      const { sent } = world;
      publishAfterCommits(world);
      let died = 0;
      Reflect.set(globalThis, crashPoint, (name: string) => {
        if (name === point && died++ === 0) throw new Error("died");
      });
      await decideCall(world, "deny");
      await vi.waitUntil(() => died > 0, { timeout: 30_000 });
      const before = world.ofCall();
      expect(before).toHaveLength(point === "before-public-events" ? 0 : 1);
      await world.publish();
      expect(sent.length).toBeGreaterThan(before.length);
      expect(new Set(world.ofCall().map(({ id }) => id)).size).toBe(1);
      expect(world.ofCall().at(-1)).toMatchObject({ data: { status: "denied", actorId: "finance" } });
    },
  );

  it("without a publisher, such as a command, leaves all of its events to the relay", async () => {
    await using world = await openWorld();
    await decideCall(world, "approve");
    expect(world.sent).toEqual([]);
    await world.publish();
    expect(world.ofCall()).toHaveLength(1);
  });
});

it("events are delayed and not lost while the engine is down", async () => {
  await using world = await openWorld();
  const warned = vi.fn();
  publishAfterCommits(world, { ...silent, warn: warned });
  world.engine.isDown = true;
  await decideCall(world, "approve");
  await vi.waitUntil(() => warned.mock.calls.length > 0, { timeout: 60_000 });
  expect(world.sent).toEqual([]);
  world.engine.isDown = false;
  await world.publish();
  expect(world.ofCall()).toMatchObject([{ data: { status: "approved" } }]);
});

it("close() waits until the events of the last commits are sent", async () => {
  await using world = await openWorld();
  const countersign = publishAfterCommits(world);
  await decideCall(world, "approve");
  expect(world.sent).toEqual([]);
  await countersign.close();
  expect(world.ofCall()).toMatchObject([{ data: { status: "approved" } }]);
});

it("a tenant whose events the engine refuses does not hold back those of other tenants", async () => {
  await using world = await openWorld();
  for (const tenantId of ["abc", "xyz"]) {
    const [other] = await proposeCall(world.store, { tenantId });
    await world.store.withdrawRequest(other?.requestId ?? "", "orchestration_failed");
  }
  await decideCall(world, "deny");
  world.engine.refuses = ({ data }) => data.tenantId === "acme";
  const received = () => world.sent.map(({ data }) => data.tenantId).sort();
  await expect(world.publish()).resolves.toBe(2);
  expect(received()).toEqual(["abc", "xyz"]);
  world.engine.refuses = () => false;
  await world.publish();
  expect(received()).toEqual(["abc", "acme", "xyz"]);
});

it("the events of more transitions than fit into one batch are all sent", async () => {
  await using world = await openWorld();
  const calls = await proposeCall(world.store, { calls: 130 });
  await world.store.withdrawRequest(calls[0]?.requestId ?? "", "orchestration_failed");
  await decideCall(world, "deny");
  expect(await world.publish()).toBe(131);
  expect(new Set(world.sent.map(({ data }) => data.approvalId)).size).toBe(131);
});

it("concurrent publishers send an event under one id", async () => {
  await using world = await openWorld();
  await decideCall(world, "approve");
  await Promise.all(Array.from({ length: 4 }, world.publish));
  expect(new Set(world.ofCall().map(({ id }) => id)).size).toBe(1);
});

it("an event names the tenant of its approval", async () => {
  await using world = await openWorld();
  const [other] = await proposeCall(world.store, { tenantId: "other" });
  await decideCall(world, "deny");
  if (!other) throw new Error("unreachable");
  // The person belongs to the first tenant, so this decides nothing.
  expect(await decideCall({ store: world.store, call: other }, "deny")).toEqual({ outcome: "not_found" });
  await world.store.withdrawRequest(other.requestId, "orchestration_failed");
  await world.publish();
  const events = world.sent.map(({ name, data }) => [name, data.approvalId, data.tenantId]);
  expect(events.toSorted()).toEqual([
    ["countersign/approval.decided", world.call.id, "acme"],
    ["countersign/approval.withdrawn", other.id, "other"],
  ]);
});

describe("a call in an agent run", () => {
  it("sends an event for each of its transitions", async () => {
    const received: string[] = [];
    await using world = await openWaitingRefund({
      onEvent: ({ name, data }) => {
        if (name.startsWith("countersign/approval.")) received.push(`${name.slice(20)} ${data.status ?? ""}`);
        return "deliver";
      },
    });
    const { harness, approval, runId } = world;
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    await vi.waitUntil(() => received.some((one) => one.startsWith(".finished")), { timeout: 30_000 });
    expect(new Set(received)).toEqual(
      new Set([".pending ", ".decided approved", ".started executing", ".finished executed"]),
    );
  });

  it("with the verdict notify sends an event that names the policy as decider", async () => {
    const received: Record<string, unknown>[] = [];
    await using database = await freshPostgres();
    const { tools } = deskTools();
    await using harness = await openHarness({
      database,
      tools,
      policy: definePolicy({ tools: { email: notify() } }),
      reply: inTurns({ toolCalls: [{ name: "email", input: { to: "a@b.example", text: "Hello" } }] }),
      onEvent: ({ name, data }) => {
        if (name === approvalEvents.decided.name) received.push(data);
        return "deliver";
      },
    });
    const { runId } = await harness.say("Email them");
    await harness.ended(runId);
    await vi.waitUntil(() => received.length > 0, { timeout: 30_000 });
    expect(received[0]).toMatchObject({ status: "approved", by: "policy", actorId: null, toolName: "email" });
  });
});

it("an event definition is a trigger with typed data", () => {
  const inngest = new Inngest({ id: "typed", isDev: true });
  inngest.createFunction({ id: "own", triggers: [approvalEvents.withdrawn] }, ({ event }) => {
    expectTypeOf(event.data.cause).toEqualTypeOf<string | null>();
    expectTypeOf(event.data.status).toEqualTypeOf<"withdrawn">();
  });
  inngest.createFunction({ id: "other", triggers: [approvalEvents.decided] }, ({ event }) => {
    expectTypeOf(event.data.by).toEqualTypeOf<"person" | "grant" | "policy">();
  });
});
