import { approvalEvents, definePolicy, type Principal } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { publishOverdue } from "countersign/internal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { recordingInngest } from "../support/recording-inngest.js";
import { postgresStore } from "../support/store.js";

const crashPoint = Symbol.for("countersign:crash-point");
const silent = { info: () => {}, warn: () => {}, error: () => {}, debug: () => {} };
const minute = 60_000;
const ada: Principal = { id: "ada", tenantId: "acme", roles: [] };
const eventId = "approval-1";

afterEach(() => void Reflect.deleteProperty(globalThis, crashPoint));

/** An instance whose events are recorded, with one saved approval. */
async function openWorld() {
  const database = await freshPostgres();
  const time = { offset: 0 };
  const store = postgresStore({ client: database.postgres, clockOffset: () => time.offset });
  const recording = recordingInngest();
  const options = { store, policy: definePolicy({ tools: {} }), tenantId: "acme", logger: silent };
  const countersign = createCountersign({ inngest: recording.inngest, ...options });
  const save = () => {
    const createdAt = new Date();
    return countersign.history.savePendingApproval({
      ...{ approvalId: "a1", threadId: "thread-1", eventIdToWaitFor: eventId, toolCallId: "call-1" },
      ...{ toolName: "deploy", toolInput: { env: "staging" }, status: "pending", createdAt },
      expiresAt: new Date(createdAt.getTime() + 30 * minute),
    });
  };
  const saved = async () => {
    const approval = await store.getApproval("acme", "a1");
    if (!approval) throw new Error("It was not saved");
    return approval;
  };
  const decide = async (type: "approve" | "deny", reason: string | null = null) =>
    countersign.decide({ approvalId: "a1", principal: ada, type, digest: (await saved()).digest, reason });
  /** Sends what was not sent, as the relay does. */
  const relay = () => publishOverdue(recording.inngest, store, silent);
  const sentAs = ({ name }: { name: string }) => recording.sent.filter((event) => event.name === name);
  /** Without those that were sent again under the same id. */
  const named = (definition: { name: string }) => [
    ...new Map(sentAs(definition).map((event) => [event.id, event])).values(),
  ];
  await save();
  return {
    ...{ database, store, time, countersign, ...recording, saved, save, decide, relay, sentAs },
    pending: () => named(approvalEvents.pending),
    resolved: () => named(approvalEvents.hitlResolved),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

type World = Awaited<ReturnType<typeof openWorld>>;

const expire = async ({ store, time }: World) => {
  time.offset += 60 * minute;
  await store.sweep();
};

describe("the host of a saved approval", () => {
  it.each([
    [
      "a person approves it",
      ({ decide }: World) => decide("approve", "Looks good"),
      { approved: true, userId: "ada", reason: "Looks good" },
    ],
    [
      "a person denies it without a reason",
      ({ decide }: World) => decide("deny"),
      { approved: false, userId: "ada", reason: null },
    ],
    ["it expires", expire, { approved: false, userId: null, reason: "Nobody decided in time" }],
    [
      "it is withdrawn",
      async ({ store, saved }: World) =>
        store.withdrawRequest((await saved()).requestId, "orchestration_failed"),
      {
        ...{ approved: false, userId: null },
        reason: "Withdrawn: the approval could not be completed because of a technical error",
      },
    ],
    [
      "its row was changed",
      async (world: World) => {
        await world.database.admin`update countersign.approvals set summary = 'Harmless'`;
        await expect(world.decide("approve")).rejects.toMatchObject({ code: "digest_changed" });
      },
      {
        ...{ approved: false, userId: null },
        reason: "Withdrawn: what is stored no longer matches what was approved",
      },
    ],
  ])("gets the event that it waits for when %s", async (_, end, expected) => {
    await using world = await openWorld();
    await end(world);
    await vi.waitUntil(() => world.resolved().length > 0, { timeout: 30_000 });
    await world.relay();
    const data = { eventId, approvalId: "a1", ...expected };
    expect(world.resolved()).toMatchObject([{ data }]);
    expect(approvalEvents.hitlResolved.schema.strict().parse(world.resolved()[0]?.data)).toEqual(data);
  });

  it("gets a long reason shortened, so that the engine takes the event", async () => {
    await using world = await openWorld();
    await world.decide("deny", `${"x".repeat(1_999)}😀${"y".repeat(600_000)}`);
    await vi.waitUntil(() => world.resolved().length > 0, { timeout: 30_000 });
    expect(world.resolved()[0]?.data.reason).toBe("x".repeat(1_999));
  });

  it("gets one event for an approval that is withdrawn after its decision", async () => {
    await using world = await openWorld();
    await world.decide("approve");
    await world.store.withdrawRestored("acme", null);
    await world.relay();
    // The process sends beside the relay, so an older event may be sent again after this one.
    expect(world.sentAs(approvalEvents.withdrawn)).not.toEqual([]);
    expect(world.resolved()).toMatchObject([{ data: { approved: true } }]);
  });

  it("gets no event for calls of agents", async () => {
    await using world = await openWorld();
    const [call] = await proposeCall(world.store);
    if (!call) throw new Error("unreachable");
    await world.store.withdrawRequest(call.requestId, "orchestration_failed");
    await world.relay();
    // The process sends beside the relay, so an older event may be sent again after this one.
    expect(world.sentAs(approvalEvents.withdrawn)).not.toEqual([]);
    expect(world.resolved()).toEqual([]);
    expect(world.pending()).toMatchObject([{ data: { approvalId: "a1" } }]);
  });
});

describe("a process", () => {
  it.each(["before-public-events", "after-public-events"])(
    "that dies at %s after a decision leaves the event to the relay, under the same id",
    async (point) => {
      await using world = await openWorld();
      await vi.waitFor(async () => expect((await world.store.readUnpublished("acme", 1)).upTo).toBeNull(), {
        timeout: 30_000,
      });
      let died = 0;
      Reflect.set(globalThis, crashPoint, (name: string) => {
        if (name === point && died++ === 0) throw new Error("died");
      });
      await world.decide("approve");
      await vi.waitUntil(() => died > 0, { timeout: 30_000 });
      const before = world.sentAs(approvalEvents.hitlResolved).length;
      expect(before).toBe(point === "before-public-events" ? 0 : 1);
      await world.relay();
      expect(world.sentAs(approvalEvents.hitlResolved)).toHaveLength(before + 1);
      expect(world.resolved()).toHaveLength(1);
    },
  );
});

describe("a saved approval", () => {
  it("is announced by an event once it is pending", async () => {
    await using world = await openWorld();
    await vi.waitUntil(() => world.pending().length > 0, { timeout: 30_000 });
    const { requestId } = await world.saved();
    expect(world.pending()).toMatchObject([
      {
        id: "a1:pending",
        data: { approvalId: "a1", requestId, tenantId: "acme", threadId: "thread-1", toolName: "deploy" },
      },
    ]);
    expect(approvalEvents.pending.schema.strict().safeParse(world.pending()[0]?.data).success).toBe(true);
    await world.save();
    await world.relay();
    expect(world.pending()).toHaveLength(1);
  });

  it("is announced by the relay if the process died before it sent the event", async () => {
    let died = 0;
    Reflect.set(globalThis, crashPoint, (name: string) => {
      if (name === "before-public-events" && died++ === 0) throw new Error("died");
    });
    await using world = await openWorld();
    await vi.waitUntil(() => died > 0, { timeout: 30_000 });
    expect(world.pending()).toEqual([]);
    await world.relay();
    expect(world.pending()).toHaveLength(1);
  });
});

it("the announcement of an agent's call makes no process look for events to send", async () => {
  await using world = await openWorld();
  const looked = vi.fn();
  world.store.onTransitions(looked);
  await proposeCall(world.store);
  expect(looked).not.toHaveBeenCalled();
});
