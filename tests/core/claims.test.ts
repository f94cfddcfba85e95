import { createTool } from "@inngest/agent-kit";
import { ask, definePolicy, durable } from "countersign";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { proposeCall } from "../support/proposals.js";
import { takeWarning } from "../support/run/warnings.js";
import { postgresStore, type Store } from "../support/store.js";
import { withoutRelay } from "../support/without-relay.js";

const minute = 60_000;
const hour = 60 * minute;
const refundCall = { name: "refund", input: { id: "A-1", amount: 80 } };
const refund = { toolCalls: [refundCall] };

/** A store whose time a test moves, without a relay that sweeps its rows. */
const time = { offset: 0 };
let shared: Awaited<ReturnType<typeof freshPostgres>>;
let store: Store;

beforeAll(async () => {
  shared = await freshPostgres();
  store = postgresStore({ client: shared.postgres, clockOffset: () => time.offset });
});

afterAll(() => shared[Symbol.asyncDispose]());

// Calls of other tests would be swept with those of this one.
beforeEach(async () => {
  time.offset = 0;
  await shared.admin`truncate countersign.requests cascade`;
});

/** Proposes one call and approves it. */
async function approved(options: Parameters<typeof proposeCall>[1] = {}) {
  const [call] = await proposeCall(store, options);
  if (!call) throw new Error("unreachable");
  const decided = await store.decide({
    approvalId: call.id,
    principal: { id: "finance", tenantId: "acme", roles: [] },
    type: "approve",
    digest: call.digest,
    reason: null,
  });
  expect(decided.outcome).toBe("decided");
  return call;
}

const statusOf = async (id: string) => (await store.getApproval("acme", id))?.status;
const asApproved = () => undefined;

// These tests sweep themselves and serve no relay: the engine would run it for every minute that passes.
describe("an approved call", () => {
  it("may start for a day after its run could go on, and expires in a sweep after that", async () => {
    const call = await approved();
    await store.settle(call.requestId, 0);
    time.offset = 23 * hour;
    expect(await store.sweep()).toMatchObject({ expired: 0 });
    expect(await statusOf(call.id)).toBe("approved");
    time.offset = 25 * hour;
    expect(await store.sweep()).toMatchObject({ expired: 1 });
    expect(await statusOf(call.id)).toBe("expired");
    const trail = await store.auditTrail("acme", call.id);
    expect(trail.at(-1)?.type).toBe("approval.expired");
    expect((await store.claim(call.id, "once", asApproved)).outcome).toBe("refused");
  });

  it("may not start after that day, even without a sweep", async () => {
    const call = await approved();
    await store.settle(call.requestId, 0);
    time.offset = 25 * hour;
    expect((await store.claim(call.id, "once", asApproved)).outcome).toBe("refused");
    expect(await statusOf(call.id)).toBe("expired");
  });

  it("may start until its approval timeout if that is longer than a day", async () => {
    const call = await approved({ timeoutMs: 72 * hour });
    await store.settle(call.requestId, 0);
    time.offset = 71 * hour;
    expect(await store.sweep()).toMatchObject({ expired: 0 });
    expect((await store.claim(call.id, "once", asApproved)).outcome).toBe("claimed");
  });

  it("may start however long it waited for the other calls of its response", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const email = { name: "email", input: { to: "customer", text: "Refunded" } };
    await using harness = await openHarness({
      database,
      tools,
      policy: definePolicy({ tools: { refund: ask(), email: ask({ timeout: "3d" }) } }),
      reply: inTurns({ toolCalls: [refundCall, email] }),
      served: withoutRelay,
    });
    const { runId } = await harness.say("Refund and tell");
    const waiting = await harness.pending(2);
    const [first, second] = ["refund", "email"].map((name) =>
      waiting.find(({ toolName }) => toolName === name),
    );
    if (!first || !second) throw new Error("unreachable");
    await harness.decide(first, "approve");
    await harness.clock.advance(48 * hour);
    expect(await harness.store.sweep()).toEqual({ expired: 0, interrupted: 0 });
    expect((await harness.approval(first.id)).status).toBe("approved");
    await harness.decide(second, "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund", "email"]);
  });
});

describe("a started handler without a result", () => {
  it("is marked as interrupted by a sweep after an hour, and not before", async () => {
    const call = await approved();
    await store.settle(call.requestId, 0);
    expect((await store.claim(call.id, "once", asApproved)).outcome).toBe("claimed");
    time.offset = 59 * minute;
    expect(await store.sweep()).toMatchObject({ interrupted: 0 });
    expect(await statusOf(call.id)).toBe("executing");
    time.offset = 61 * minute;
    expect(await store.sweep()).toMatchObject({ interrupted: 1 });
    expect(await statusOf(call.id)).toBe("interrupted");
  });

  it("is not marked as interrupted while it is durable and sleeps for two hours", async () => {
    await using database = await freshPostgres();
    const tool = durable(
      createTool({
        name: "export_data",
        parameters: z.object({}),
        handler: async (_input, { step }) => {
          await step?.sleep("overnight", "2h");
          return "exported";
        },
      }),
    );
    await using harness = await openHarness({
      database,
      tools: [tool],
      policy: definePolicy({ tools: { "*": ask() } }),
      reply: inTurns({ toolCalls: [{ name: "export_data", input: {} }] }),
      served: withoutRelay,
    });
    const { runId } = await harness.say("Export");
    const approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    await expect.poll(async () => (await harness.approval(approval.id)).status).toBe("executing");
    await harness.engine.idle();
    await harness.clock.advance("90m");
    await harness.engine.idle();
    expect(await harness.store.sweep()).toMatchObject({ interrupted: 0 });
    expect((await harness.approval(approval.id)).status).toBe("executing");
    await harness.clock.advance("31m");
    await harness.ended(runId);
    expect((await harness.approval(approval.id)).status).toBe("executed");
    expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toContain("exported");
  });

  it.each(["once", "idempotent", "durable"] as const)(
    "stays recorded as %s, whatever the tool is declared as later",
    async (kind) => {
      const call = await approved();
      await store.settle(call.requestId, 0);
      await store.claim(call.id, kind, asApproved);
      for (const next of ["once", "idempotent", "durable"] as const) {
        expect(await store.claim(call.id, next, asApproved)).toMatchObject({
          outcome: "already_started",
          approval: { handlerKind: kind },
        });
      }
    },
  );
});

it("a step that is delivered again waits for the handler that already runs", async () => {
  await using database = await freshPostgres();
  let starts = 0;
  let answers = 0;
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let deliverAgain: (() => Promise<Response>) | undefined;
  const pay = createTool({
    name: "pay",
    parameters: z.object({}),
    handler: async () => {
      starts++;
      await finished;
      return "paid";
    },
  });
  await using harness = await openHarness({
    database,
    tools: [pay],
    policy: definePolicy({ tools: { pay: ask() } }),
    reply: inTurns({ toolCalls: [{ name: "pay", input: {} }] }),
    agent: {
      lifecycle: {
        onResponse: ({ result }) => {
          answers++;
          return result;
        },
      },
    },
    onRequest: (request, handle) => {
      if (!request.url.includes("fnId=harness-agent")) return handle(request);
      const copy = request.clone();
      deliverAgain = () => handle(copy.clone());
      return handle(request);
    },
  });
  const { runId } = await harness.say("Pay");
  const approval = await harness.onlyPending();
  await harness.decide(approval, "approve");
  await expect.poll(() => starts).toBe(1);
  const before = answers;
  let secondAnswered = false;
  const second = deliverAgain?.().then((response) => {
    secondAnswered = true;
    return response;
  });
  await expect.poll(() => answers).toBe(before + 1);
  // The second delivery has reached the call. Each of these reads gives it enough time to damage the row.
  for (let read = 0; read < 20; read++) {
    expect((await harness.approval(approval.id)).status).toBe("executing");
  }
  expect(secondAnswered).toBe(false);
  finish();
  expect((await second)?.ok).toBe(true);
  await harness.ended(runId);
  expect(starts).toBe(1);
  expect((await harness.approval(approval.id)).status).toBe("executed");
});

it.each([
  ["at first", 2],
  ["for longer than the run waits", 6],
])("a handler's result is stored even if the database fails %s", async (_when, failing) => {
  takeWarning(/(Could not record|Recorded) the outcome of a call/);
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  let failures = 0;
  await using harness = await openHarness({
    database,
    tools,
    reply: inTurns(refund),
    between: (store) =>
      interceptedStore(store, {
        finish: async (carryOut, ...args) => {
          if (failures++ < failing) throw new Error("The connection was lost");
          return carryOut(...args);
        },
      }),
  });
  const { runId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  await harness.decide(approval, "approve");
  await harness.ended(runId);
  expect(effects).toHaveLength(1);
  const status = async () => (await harness.approval(approval.id)).status;
  await expect.poll(status, { timeout: 20_000 }).toBe("executed");
  expect(failures).toBe(failing + 1);
});

it("a run proposes its call once even if every request to the app is delivered twice", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  await using harness = await openHarness({
    database,
    tools,
    reply: inTurns(refund),
    onRequest: async (request, handle) => {
      if (!request.url.includes("fnId=harness-agent")) return handle(request);
      const [answer] = await Promise.all([handle(request.clone()), handle(request)]);
      return answer;
    },
  });
  const { runId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  await harness.decide(approval, "approve");
  await harness.ended(runId);
  const rows = await database.admin`select id, status from countersign.approvals`;
  expect([...rows]).toEqual([{ id: approval.id, status: "executed" }]);
  expect(effects).toHaveLength(1);
});
