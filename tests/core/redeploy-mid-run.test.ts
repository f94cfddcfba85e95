import { createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, deny, durable, idempotent, notify } from "countersign";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { proposeCall } from "../support/proposals.js";
import { replaceable } from "../support/replaceable-policy.js";
import { postgresStore } from "../support/store.js";

const refundCall = { name: "refund", input: { id: "A-1", amount: 80 } };
const lookupCall = { name: "lookup", input: { id: "A-1" } };
const crashPoint = Symbol.for("countersign:crash-point");

const asking = definePolicy({ tools: { refund: ask(), lookup: allow() } });
const allowing = definePolicy({ tools: { refund: allow(), lookup: allow() } });
const denying = definePolicy({ tools: { refund: deny("Frozen"), lookup: deny("Frozen") } });

/** Fails the first step that reaches this point, as if its process had died there. */
function crashOnceAt(point: string, meanwhile: () => unknown = () => {}) {
  let crashed = false;
  Reflect.set(globalThis, crashPoint, (name: string) => {
    if (name !== point || crashed) return;
    crashed = true;
    meanwhile();
    throw new Error(`The process ended at ${point}`);
  });
  return () => crashed;
}

afterEach(() => {
  Reflect.deleteProperty(globalThis, crashPoint);
});

describe("a policy that is replaced while a call waits", () => {
  it("does not let the call run without its decision", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const { policy, redeploy } = replaceable(asking);
    const reply = inTurns({ toolCalls: [refundCall] });
    await using harness = await openHarness({ database, tools, policy, reply, checkpointing: false });
    const { runId } = await harness.say("Refund A-1");
    const approval = await harness.onlyPending();
    redeploy(allowing);
    await harness.decide(approval, "deny");
    await harness.ended(runId);
    expect(effects).toEqual([]);
    expect(JSON.stringify(harness.model.requests[1]?.body)).toContain("denied_by_person");
  });

  it("does not deny a call that has already run", async () => {
    await using database = await freshPostgres();
    const { tools } = deskTools();
    const { policy, redeploy } = replaceable(asking);
    const reply = inTurns({ toolCalls: [lookupCall] }, { toolCalls: [refundCall] });
    await using harness = await openHarness({ database, tools, policy, reply });
    const { runId } = await harness.say("Look up A-1, then refund it");
    const approval = await harness.onlyPending();
    redeploy(denying);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    const lastRequest = JSON.stringify(harness.model.requests.at(-1)?.body);
    expect(lastRequest).toMatch(/total\D+80/);
    expect(lastRequest).not.toContain("denied_by_policy");
    expect(await harness.approval(approval.id)).toMatchObject({ withdrawalCause: "policy_changed" });
  });
});

describe("a stricter policy in another process", () => {
  const stricter = definePolicy({ tools: { refund: ask(), lookup: ask() } });
  const reply = () => inTurns({ toolCalls: [lookupCall] }, { toolCalls: [refundCall] });

  it("requires no approval for a call that ran before the run waited", async () => {
    await using database = await freshPostgres();
    const { tools } = deskTools();
    await using harness = await openHarness({
      ...{ database, tools, checkpointing: false },
      policy: asking,
      reply: reply(),
    });
    const { runId, threadId } = await harness.say("Look up A-1, then refund it");
    const approval = await harness.onlyPending();
    harness.redeploy({ policy: stricter });
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect((await harness.approval(approval.id)).status).toBe("executed");
    expect(JSON.stringify(harness.model.requests.at(-1)?.body)).toMatch(/total\D+80/);
    const { body } = await harness.call("finance", `/approvals?threadId=${threadId}`);
    expect(body.items).toHaveLength(1);
  });

  it("requires no approval for a call that already ran in a run that never waited", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    let requests = 0;
    await using harness = await openHarness({
      ...{ database, tools, checkpointing: true },
      policy: allowing,
      reply: inTurns({ toolCalls: [lookupCall] }, { text: "Looked up" }),
      run: async ({ agent, message, step, countersign }) => {
        const guarded = countersign.guard(agent);
        await guarded.run(message);
        await step.run("redeploy", () => {
          requests++;
          harness.redeploy({ policy: stricter });
        });
        await step.sleep("a while", "1m");
      },
    });
    const { runId } = await harness.say("Look up A-1");
    await expect.poll(() => requests).toBe(1);
    await harness.engine.idle();
    await harness.clock.advance("2m");
    await harness.ended(runId);
    expect(effects.length).toBeLessThanOrEqual(1);
    const { body } = await harness.call("finance", "/approvals");
    expect(body.items).toEqual([]);
  });
});

it("a proposed call still waits when its step is repeated under a looser policy", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const { policy, redeploy } = replaceable(asking);
  const crashed = crashOnceAt("after-propose", () => redeploy(allowing));
  const reply = inTurns({ toolCalls: [refundCall] });
  await using harness = await openHarness({ database, tools, policy, reply });
  const { runId, threadId } = await harness.say("Refund A-1");
  await expect.poll(crashed).toBe(true);
  await harness.engine.idle();
  await harness.clock.advance("5m");
  const approval = await harness.onlyPending();
  expect(effects).toEqual([]);
  await harness.decide(approval, "deny");
  await harness.ended(runId);
  expect(effects).toEqual([]);
  const { body } = await harness.call("finance", `/approvals?threadId=${threadId}`);
  expect(body.items).toMatchObject([{ id: approval.id, status: "denied" }]);
});

it("a call that runs without asking ends when its step is repeated in a process without its policy", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const notifying = definePolicy({ tools: { refund: notify(), lookup: allow() } });
  const crashed = crashOnceAt("after-propose", () => harness.redeploy({ policy: allowing }));
  const reply = inTurns({ toolCalls: [refundCall] });
  await using harness = await openHarness({ database, tools, policy: notifying, reply });
  const { runId, threadId } = await harness.say("Refund A-1");
  await expect.poll(crashed).toBe(true);
  await harness.engine.idle();
  await harness.clock.advance("5m");
  await harness.ended(runId);
  expect(effects).toEqual([]);
  const { body } = await harness.call("finance", `/approvals?threadId=${threadId}`);
  expect(body.items).toMatchObject([{ status: "withdrawn", withdrawalCause: "policy_changed" }]);
});

// Anthropic's arguments are objects. The first pass has the model's own order of keys, each replay the engine's.
it.each(["openai", "anthropic"] as const)(
  "a call still waits when its step is repeated after the engine has sorted its arguments: %s",
  async (format) => {
    await using database = await freshPostgres();
    const { tools } = deskTools();
    const crashed = crashOnceAt("after-propose");
    const reply = inTurns({ toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] });
    await using harness = await openHarness({ database, tools, reply, format, checkpointing: true });
    await harness.say("Refund A-1");
    await expect.poll(crashed).toBe(true);
    await harness.engine.idle();
    await harness.clock.advance("5m");
    expect(await harness.onlyPending()).toMatchObject({ summary: "refund with id: A-1, amount: 80" });
  },
);

it.each([true, false])("a call is judged by one version of the policy, replayed %s", async (isReplayed) => {
  await using database = await freshPostgres();
  const { policy, redeploy } = replaceable(asking);
  const judgements: string[] = [];
  const refund = createTool({
    name: "refund",
    // The policy is replaced while the call is judged.
    parameters: z.object({ id: z.string(), amount: z.number() }).refine(async () => {
      judgements.push(policy.version);
      if (judgements.length === (isReplayed ? 2 : 1)) redeploy(denying);
      return true;
    }),
    handler: () => ({ ok: true }),
  });
  const crashed = isReplayed ? crashOnceAt("after-propose") : () => true;
  const reply = inTurns({ toolCalls: [refundCall] });
  await using harness = await openHarness({ database, tools: [refund], policy, reply });
  await harness.say("Refund A-1");
  await expect.poll(crashed).toBe(true);
  await harness.engine.idle();
  await harness.clock.advance("5m");
  expect(await harness.onlyPending()).toMatchObject({ toolName: "refund", policyVersion: asking.version });
  expect(judgements.slice(0, isReplayed ? 2 : 1).every((version) => version === asking.version)).toBe(true);
  expect(policy.version).toBe(denying.version);
});

it("a request that is withdrawn because something has changed leaves no approved call", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ client: database.postgres });
  for (const [cause, status] of [
    ["digest_changed", "withdrawn"],
    ["policy_changed", "withdrawn"],
    ["orchestration_failed", "approved"],
  ] as const) {
    const [call] = await proposeCall(store, { verdict: "notify" });
    await store.withdrawRequest(call?.requestId ?? "", cause);
    expect(await store.getApproval("acme", call?.id ?? ""), cause).toMatchObject({ status });
  }
});

it("allowed calls are neither written nor claimed in the database", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const verbs: string[] = [];
  await using harness = await openHarness({
    database,
    tools,
    policy: allowing,
    reply: inTurns({ toolCalls: [lookupCall] }, { toolCalls: [refundCall] }),
    between: (store) =>
      interceptedStore(store, {
        propose: (carryOut, ...args) => {
          verbs.push("propose");
          return carryOut(...args);
        },
        claim: (carryOut, ...args) => {
          verbs.push("claim");
          return carryOut(...args);
        },
      }),
  });
  const { runId } = await harness.say("Look up A-1, then refund it");
  await harness.ended(runId);
  expect(effects.length).toBeGreaterThan(0);
  expect(verbs).toEqual([]);
});

it("an approved call whose tool was removed is refused, and the run completes", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const reply = inTurns({ toolCalls: [refundCall] });
  await using harness = await openHarness({ database, tools, reply });
  const { runId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  await harness.engine.stop();
  await harness.decide(approval, "approve");
  tools.splice(
    tools.findIndex(({ name }) => name === "refund"),
    1,
  );
  await harness.engine.start();
  await harness.ended(runId);
  expect(effects).toEqual([]);
  expect(JSON.stringify(harness.model.requests[1]?.body)).toContain("There is no tool named refund");
});

describe("a process that dies between claim and handler", () => {
  /** Approves a call and fails its step after the claim; `after` changes the tool before the step is retried. */
  async function afterCrash(options: { before?: typeof idempotent; after?: typeof idempotent }) {
    await using database = await freshPostgres();
    let starts = 0;
    const pay = createTool({
      name: "pay",
      parameters: z.object({}),
      handler: () => `paid ${++starts}`,
    });
    options.before?.(pay);
    const crashed = crashOnceAt("after-claim", () => options.after?.(pay));
    await using harness = await openHarness({
      database,
      tools: [pay],
      policy: definePolicy({ tools: { pay: ask() } }),
      reply: inTurns({ toolCalls: [{ name: "pay", input: {} }] }),
    });
    const { runId } = await harness.say("Pay");
    const approval = await harness.onlyPending();
    await harness.decide(approval, "approve");
    await expect.poll(crashed).toBe(true);
    await harness.engine.idle();
    await harness.clock.advance("5m");
    await harness.ended(runId);
    const secondRequest = JSON.stringify(harness.model.requests[1]?.body);
    return { starts, secondRequest, approval: await harness.approval(approval.id) };
  }

  it("leaves a plain call interrupted, and the model reads that it may have run", async () => {
    const { starts, secondRequest, approval } = await afterCrash({});
    expect(starts).toBe(0);
    expect(approval.status).toBe("interrupted");
    expect(secondRequest).toContain("may or may not have run");
  });

  it.each([
    ["idempotent", idempotent],
    ["durable", durable],
  ])(
    "leaves a plain call interrupted even if its tool is declared %s before the retry",
    async (_name, declare) => {
      const { starts, secondRequest, approval } = await afterCrash({ after: declare });
      expect(starts).toBe(0);
      expect(approval.status).toBe("interrupted");
      expect(secondRequest).toContain("may or may not have run");
    },
  );

  it("leaves an idempotent call that is started again and executed", async () => {
    const { starts, secondRequest, approval } = await afterCrash({ before: idempotent });
    expect(starts).toBe(1);
    expect(approval.status).toBe("executed");
    expect(secondRequest).toContain("paid 1");
  });
});
