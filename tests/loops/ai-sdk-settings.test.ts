import { tool } from "ai-6";
import { MockLanguageModelV3 } from "ai-6/test";
import { durableModel, guardTools } from "countersign/ai-sdk";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { interceptedStore } from "../support/intercepted-store.js";
import { type AgentWorld, kinds, openAgent, readBy } from "../support/loops/ai-agent.js";
import { hardestWay } from "../support/loops/ways.js";

type Settings = Parameters<typeof guardTools<AgentWorld["own"]>>[2];

const guardedBy = (settings: Settings) => (world: AgentWorld) =>
  kinds.generateText({ model: world.model, tools: guardTools(world.own, world.gate, settings) });

describe("what the AI SDK's own settings ask for", () => {
  it("needsApproval: people are asked where the policy would not ask, and see why", async () => {
    await using agent = await openAgent([["write", { to: "all" }]], kinds.generateText);
    const { runId } = await agent.harness.say("go");
    const call = await agent.harness.onlyPending();
    expect(call).toMatchObject({ toolName: "write", reason: expect.stringContaining("needsApproval asks") });
    await agent.harness.decide(call, "deny");
    await agent.harness.ended(runId);
    expect(agent.ran).toEqual([]);
  });

  it("toolApproval: the strictest of it and the policy wins", async () => {
    const seen: unknown[] = [];
    const toolApproval = {
      look_up: (input: unknown, options: { toolCallId: string; messages: unknown[] }) => {
        seen.push([input, options.toolCallId, options.messages.length]);
        return { type: "user-approval", reason: "Look-ups are expensive" };
      },
      refund: "approved",
      write: { type: "denied", reason: "Nobody writes on Sundays" },
    };
    await using agent = await openAgent(
      [
        ["look_up", { order: "A-1" }],
        ["refund", { order: "A-1" }],
        ["write", { to: "one" }],
      ],
      guardedBy({ toolApproval }),
    );
    const { runId } = await agent.harness.say("go");
    const waiting = await agent.harness.pending(2);
    expect(waiting.map(({ toolName, reason }) => [toolName, reason]).sort()).toEqual([
      ["look_up", "Look-ups are expensive"],
      ["refund", null],
    ]);
    for (const call of waiting) await agent.harness.decide(call, "approve");
    await agent.harness.ended(runId);
    expect(agent.ran.map(([name]) => name)).toEqual(["look_up", "refund"]);
    expect(readBy(agent.prompts)[2]).toMatchObject([
      "c2",
      { type: "error-text", value: expect.stringContaining("Nobody writes on Sundays") },
    ]);
    expect(seen[0]).toEqual([{ order: "A-1" }, "c0", 1]);
  });

  it("toolApproval as one function for all tools", async () => {
    const toolApproval = ({ toolCall }: { toolCall: { toolName: string; input: unknown } }) =>
      toolCall.toolName === "look_up" ? "user-approval" : undefined;
    await using agent = await openAgent([["look_up", { order: "A-1" }]], guardedBy({ toolApproval }));
    const { runId } = await agent.harness.say("go");
    await agent.harness.decide(await agent.harness.onlyPending(), "approve");
    expect((await agent.harness.ended(runId)).output).toBe("Done");
    expect(agent.ran).toHaveLength(1);
  });
});

describe("a tool of the AI SDK", () => {
  it("that is durable uses steps, each of which runs once", async () => {
    let steps = 0;
    await using agent = await openAgent(
      [["refund", { order: "A-1", amount: 3 }]],
      ({ model, own, gate, run: { step } }) => {
        const refund = tool({
          inputSchema: z.object({ order: z.string(), amount: z.number() }),
          execute: async ({ amount }) => step.run("pay", async () => `paid ${amount}, ${++steps}`),
        });
        const tools = guardTools({ ...own, refund }, gate, { durable: ["refund"] });
        return kinds.generateText({ model, tools: tools as unknown as AgentWorld["tools"] });
      },
      hardestWay,
    );
    const { runId } = await agent.harness.say("go");
    await agent.harness.decide(await agent.harness.onlyPending(), "approve");
    expect((await agent.harness.ended(runId)).output).toBe("Done");
    expect(readBy(agent.prompts)).toEqual([["c0", { type: "text", value: "paid 3, 1" }]]);
  });

  it("that a person answered: the model reads the answer, whatever the tool makes of its own outputs", async () => {
    await using agent = await openAgent(
      [["refund", { order: "A-1" }]],
      ({ model, own, gate }) => {
        const refund = {
          ...own.refund,
          toModelOutput: () => {
            throw new Error("This is not an output of the tool");
          },
        };
        return kinds.generateText({ model, tools: guardTools({ ...own, refund }, gate) });
      },
      hardestWay,
    );
    const { runId } = await agent.harness.say("go");
    const { id, digest } = await agent.harness.onlyPending();
    const body = { type: "respond", digest, response: { refunded: "by hand" } };
    const { status } = await agent.harness.call("finance", `/approvals/${id}/decision`, {
      method: "POST",
      body,
    });
    expect(status).toBe(200);
    await agent.harness.ended(runId);
    expect(readBy(agent.prompts)).toEqual([["c0", { type: "json", value: { refunded: "by hand" } }]]);
    expect(agent.ran).toEqual([]);
  });
});

describe("a failure", () => {
  it("of the database at the gate: fails the run, and the model reads no tool result of it", async () => {
    await using agent = await openAgent([["refund", { order: "A-1" }]], kinds.generateText, {
      between: (store) =>
        interceptedStore(store, { propose: () => Promise.reject(new Error("The database is away")) }),
    });
    const { runId } = await agent.harness.say("go");
    const failed = await agent.harness.onceAtRest(async () => {
      await agent.harness.clock.advance("2m");
      const run = await agent.harness.runStatus(runId);
      return run.status === "Running" ? undefined : run;
    }, "the run ended");
    expect(failed.status).toBe("Failed");
    expect(failed.output).toMatchObject({ message: expect.stringContaining("database is away") });
    expect(agent.prompts).toHaveLength(1);
    expect(agent.ran).toEqual([]);
  });

  it.each([
    ["that is final ends the run at once", false, 1, "Failed"],
    ["that may pass is retried by Inngest alone", true, 2, "Completed"],
  ] as const)("of the model %s", async (_name, isRetryable, attempts, status) => {
    let asked = 0;
    await using agent = await openAgent([["look_up", { order: "A-1" }]], ({ base, tools, run: { step } }) => {
      const busy = new MockLanguageModelV3({
        doGenerate: async (options) => {
          asked += 1;
          if (asked === 1) throw Object.assign(new Error("The provider is busy"), { isRetryable });
          return base.doGenerate(options);
        },
      });
      return kinds.generateText({ model: durableModel(busy, step), tools });
    });
    const { runId } = await agent.harness.say("go");
    await agent.harness.onceAtRest(async () => {
      await agent.harness.clock.advance("2m");
      return (await agent.harness.runStatus(runId)).status === status || undefined;
    }, status);
    // The second answer, after the tool, is asked for once more.
    expect(asked).toBe(attempts + (status === "Completed" ? 1 : 0));
  });
});
