import { createAgent, createTool } from "@inngest/agent-kit";
import { allow, ask, definePolicy, type Stop } from "countersign";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { eventually, type Harness, openHarness } from "../support/harness.js";
import type { HarnessOptions, Replaying } from "../support/harness-options.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { patience, releaseCalls, stopCalls } from "../support/stops.js";

const refund = { name: "refund", input: { id: "A-1", amount: 80 } };
const email = { name: "email", input: { to: "customer", text: "Done" } };
const policy = definePolicy({ tools: { refund: ask(), email: allow() } });
const tellThenRefund = inTurns({ toolCalls: [email] }, { toolCalls: [refund] });

const told = (harness: Harness) => JSON.stringify(harness.model.requests.at(-1)?.body);
const emails = (effects: readonly { tool: string }[]) => effects.filter(({ tool }) => tool === "email");

const ways: { way: string; replaying?: Replaying }[] = [
  { way: "with checkpoints" },
  { way: "replaying for each step", replaying: "each-step" },
  { way: "replaying to plan each step and again to run it", replaying: "each-planned-step" },
];

describe.each(ways)("in the middle of a run, $way, a stop", ({ way: _, ...replaying }) => {
  it("that is engaged does not make a call look refused that has run", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({ database, tools, policy, reply: tellThenRefund, ...replaying });
    const { runId } = await harness.say("Tell, then refund");
    const approval = await harness.onlyPending();
    await stopCalls(harness.store, "email");
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects.filter(({ tool }) => tool === "refund")).toHaveLength(1);
    expect(told(harness)).not.toContain("stopped");
    const log = await harness.store.listAudit({ tenantId: "acme" });
    expect(log.filter(({ type }) => type === "call.refused")).toEqual([]);
  });

  it("that the call itself engages leaves its result as it is", async () => {
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
      ...replaying,
    });
    harness = opened;
    const { runId } = await opened.say("Raise the alarm");
    await opened.ended(runId);
    expect(told(opened)).toContain("the alarm was raised");
    expect(told(opened)).toContain("An operator has stopped calls of email");
    expect(told(opened)).not.toContain("stopped calls of alarm");
  });

  it("that is released does not let a call run which the model was told is stopped", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    await using harness = await openHarness({ database, tools, policy, reply: tellThenRefund, ...replaying });
    const stop = await stopCalls(harness.store, "email");
    const { runId } = await harness.say("Tell, then refund");
    const approval = await harness.onlyPending();
    await releaseCalls(harness.store, stop);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund"]);
    expect(told(harness)).toContain("An operator has stopped calls of email");
    const log = await harness.store.listAudit({ tenantId: "acme" });
    expect(log.filter(({ type }) => type === "call.refused")).toHaveLength(1);
  });

  it("that is engaged while its response waits keeps an allowed call of it from starting", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const reply = inTurns({ toolCalls: [refund, email] });
    await using harness = await openHarness({ database, tools, policy, reply, ...replaying });
    const { runId } = await harness.say("Refund and tell");
    const approval = await harness.onlyPending();
    await stopCalls(harness.store, "email");
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(effects.map(({ tool }) => tool)).toEqual(["refund"]);
    expect(told(harness)).toContain("An operator has stopped calls of email");
  });

  it("that cannot be read keeps calls from starting until it can", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    let failures = 0;
    await using harness = await openHarness({
      database,
      tools,
      policy,
      reply: inTurns({ toolCalls: [email] }),
      ...replaying,
      between: (store) =>
        interceptedStore(store, {
          engagedStops: (carryOut) => {
            if (failures++ < 2) return Promise.reject(new Error("the database is gone"));
            return carryOut();
          },
        }),
    });
    const { runId } = await harness.say("Tell");
    await expect.poll(() => failures, patience).toBe(2);
    await harness.engine.idle();
    expect(effects).toEqual([]);
    await harness.clock.advance("5m");
    await harness.ended(runId);
    expect(failures).toBeGreaterThan(2);
    expect(emails(effects).length).toBeGreaterThan(0);
    expect(told(harness)).not.toContain("stopped");
  });
});

/** An agent that refunds, and one that writes an hour later; neither waits for the other's steps. */
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

describe.each(ways)("of two agents side by side, $way, one", ({ way: _, ...replaying }) => {
  it("makes its allowed calls and goes on while the other one waits for a person", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const options = { database, tools, policy, ...sideBySide(tools), ...replaying };
    await using harness = await openHarness({ ...options, countersign: { timeout: "3h" } });
    const { runId } = await harness.say("Refund, and tell later");
    const approval = await harness.onlyPending();
    await harness.engine.idle();
    await harness.clock.advance("1h");
    const answered = () =>
      harness.model.requests.some(({ body }) => /mailer.*tool_call_id/.test(JSON.stringify(body)));
    await eventually(() => answered() || undefined, "the mailer goes on");
    expect(emails(effects).length).toBeGreaterThan(0);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
  });

  it("makes no call that was stopped, while the other one waits for a person", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const options = { database, tools, policy, ...sideBySide(tools), ...replaying };
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

it("a call does not start when nobody can tell whether it is stopped, and the run goes on", async () => {
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
  await harness.ended(runId);
  expect(effects).toEqual([]);
});

it("a refusal says that an earlier effect stands where a failed attempt may have started the call", async () => {
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
  expect(told(harness)).toContain("If this call already ran in an earlier attempt");
});
