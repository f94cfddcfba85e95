import { createAgent, createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, type Stop } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, type Harness, openHarness } from "../support/harness.js";
import type { HarnessOptions } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { hardestWay } from "../support/loops/ways.js";
import { patience, releaseCalls, stopCalls } from "../support/stops.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const email = { name: "email", input: { to: "customer", text: "Done" } };
const policy = definePolicy({ tools: { refund: ask(), email: allow() } });
const tellThenRefund = inTurns({ toolCalls: [email] }, { toolCalls: [refund] });

const lastModelRequest = (harness: Harness) => JSON.stringify(harness.model.requests.at(-1)?.body);
const emails = (effects: readonly { tool: string }[]) => effects.filter(({ tool }) => tool === "email");

describe("a stop during a run", () => {
  it("does not refuse a call in retrospect that ran before it", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({
      database,
      tools,
      policy,
      reply: tellThenRefund,
      ...hardestWay,
    });
    const { runId } = await harness.say("Tell, then refund");
    const approval = await harness.onlyPending();
    await stopCalls(harness.store, "email");
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects.filter(({ tool }) => tool === "refund")).toHaveLength(1);
    expect(lastModelRequest(harness)).not.toContain("stopped");
    const log = await harness.store.listAudit({ tenantId: "acme" });
    expect(log.filter(({ type }) => type === "call.refused")).toEqual([]);
  });

  it("does not change the result of the call that engages it", async () => {
    await using database = await freshPostgres();
    const { tools } = deskTools();
    let harness: Harness | undefined;
    const alarm = createTool({
      name: "alarm",
      parameters: z.object({}),
      handler: async () => {
        if (harness) await stopCalls(harness.store);
        return "the alarm was raised";
      },
    });
    await using opened = await openHarness({
      database,
      tools: [...tools, alarm],
      policy: definePolicy({ tools: { "*": allow() } }),
      reply: inTurns({ toolCalls: [{ name: "alarm", input: {} }] }, { toolCalls: [email] }),
      ...hardestWay,
    });
    harness = opened;
    const { runId } = await opened.say("Raise the alarm");
    await opened.ended(runId);
    expect(lastModelRequest(opened)).toContain("the alarm was raised");
    expect(lastModelRequest(opened)).toContain("An operator has stopped calls of email");
    expect(lastModelRequest(opened)).not.toContain("stopped calls of alarm");
  });

  it("does not let a refused call run after its release", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({
      database,
      tools,
      policy,
      reply: tellThenRefund,
      ...hardestWay,
    });
    const stop = await stopCalls(harness.store, "email");
    const { runId } = await harness.say("Tell, then refund");
    const approval = await harness.onlyPending();
    await releaseCalls(harness.store, stop);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund"]);
    expect(lastModelRequest(harness)).toContain("An operator has stopped calls of email");
    const log = await harness.store.listAudit({ tenantId: "acme" });
    expect(log.filter(({ type }) => type === "call.refused")).toHaveLength(1);
  });

  it("refuses an allowed call if engaged while another call of the response waits", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const reply = inTurns({ toolCalls: [refund, email] });
    await using harness = await openHarness({ database, tools, policy, reply, ...hardestWay });
    const { runId } = await harness.say("Refund and tell");
    const approval = await harness.onlyPending();
    await stopCalls(harness.store, "email");
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund"]);
    expect(lastModelRequest(harness)).toContain("An operator has stopped calls of email");
  });

  it("delays calls while the store cannot tell whether it is engaged", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    // The first look is the proposal's. The others come before the start: one outside of a step, then one in a step.
    const failing = [0, 2, 3];
    let looks = 0;
    await using harness = await openHarness({
      database,
      tools,
      policy,
      reply: inTurns({ toolCalls: [email] }),
      ...hardestWay,
      between: (store) =>
        interceptedStore(store, {
          engagedStops: (carryOut) =>
            failing.includes(looks++) ? Promise.reject(new Error("the database is gone")) : carryOut(),
        }),
    });
    const { runId } = await harness.say("Tell");
    for (const made of [1, 4]) {
      await expect.poll(() => looks, patience).toBe(made);
      await harness.engine.idle();
      expect(effects).toEqual([]);
      await harness.clock.advance("5m");
    }
    await harness.ended(runId);
    expect(looks).toBeGreaterThan(4);
    expect(emails(effects).length).toBeGreaterThan(0);
    expect(lastModelRequest(harness)).not.toContain("stopped");
  });
});

/** Two concurrent agents: one refunds at once, the other writes an email an hour later. */
const sideBySide = (tools: HarnessOptions["tools"]): Pick<HarnessOptions, "reply" | "run"> => ({
  reply: (conversation) =>
    inTurns({ toolCalls: [conversation.system.includes("mailer") ? email : refund] })(conversation),
  run: async ({ countersign, agent, state, message, models, step, group }) => {
    const mailer = createAgent({ name: "mailer", system: "You are mailer.", tools, model: models.openai() });
    const run = (each: typeof agent) =>
      countersign.guard(each).run(message, { state: state.clone(), maxIter: 2 });
    await group.parallel(() =>
      Promise.all([run(agent), step.sleep("until later", "1h").then(() => run(mailer))]),
    );
  },
});

describe("one of two concurrent agents", () => {
  it("makes its allowed calls and continues while the other one waits for a person", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const options = { database, tools, policy, ...sideBySide(tools), ...hardestWay };
    await using harness = await openHarness({ ...options, countersign: { timeout: "3h" } });
    const { runId } = await harness.say("Refund, and tell later");
    const approval = await harness.onlyPending();
    await harness.engine.idle();
    await harness.clock.advance("1h");
    const answered = () =>
      harness.model.requests.some(({ body }) => /mailer.*tool_call_id/.test(JSON.stringify(body)));
    await eventually(() => answered() || undefined, "the mailer continues");
    expect(emails(effects).length).toBeGreaterThan(0);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
  });

  it("makes no stopped call while the other one waits for a person", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const options = { database, tools, policy, ...sideBySide(tools), ...hardestWay };
    await using harness = await openHarness({ ...options, countersign: { timeout: "3h" } });
    const { runId } = await harness.say("Refund, and tell later");
    const approval = await harness.onlyPending();
    await harness.engine.idle();
    await stopCalls(harness.store, "email");
    await harness.clock.advance("1h");
    const refused = () =>
      harness.model.requests.some(({ body }) => /mailer.*operator has stopped/.test(JSON.stringify(body)));
    await eventually(() => refused() || undefined, "the mailer is refused");
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund"]);
  });
});

it("a call does not start if the stops cannot be read, and its run fails", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  let failures = 0;
  await using harness = await openHarness({
    database,
    tools,
    policy,
    reply: inTurns({ toolCalls: [email] }),
    between: (store) =>
      interceptedStore(store, {
        engagedStops: () => {
          failures++;
          return Promise.reject(new Error("the database is gone"));
        },
      }),
  });
  const { runId } = await harness.say("Tell");
  await expect.poll(() => failures, patience).toBeGreaterThanOrEqual(2);
  await harness.engine.idle();
  await harness.clock.advance("5m");
  await harness.ended(runId, "Failed");
  expect(effects).toEqual([]);
});

it("a stop's refusal tells the model that a failed attempt may already have run the call", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  const stopped: Stop[] = [];
  await using harness = await openHarness({
    database,
    tools,
    policy,
    reply: inTurns({ toolCalls: [email] }),
    agent: {
      lifecycle: {
        onFinish: async ({ result }) => {
          if (stopped.length > 0) return result;
          stopped.push(await stopCalls(harness.store));
          throw new Error("The process ended");
        },
      },
    },
  });
  const { runId } = await harness.say("Tell");
  await expect.poll(() => stopped, patience).toHaveLength(1);
  await harness.engine.idle();
  await harness.clock.advance("5m");
  await harness.ended(runId);
  expect(emails(effects)).toHaveLength(1);
  expect(lastModelRequest(harness)).toContain("If this call already ran in an earlier attempt");
});
