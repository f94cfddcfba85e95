import { createTestHarness, type TestHarnessOptions } from "@countersign/testing";
import { createTool } from "@inngest/agent-kit";
import { generateText, stepCountIs } from "ai-6";
import { allow, ask, definePolicy, deny, gateTool, needsApproval } from "countersign";
import { durableModel, guardTools } from "countersign/ai-sdk";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { inTurns } from "../support/desk-tools.js";
import { type AgentWorld, openAgent } from "../support/loops/ai-agent.js";

const parameters = z.object({ id: z.string(), amount: z.number() });
const input = { id: "A-1", amount: 80 };
const mark = { roles: ["finance"], summary: "Refund {{amount}}" };

/** A refund that is marked, a look-up that is not, and what they did. */
function desk(terms: Parameters<typeof needsApproval>[1] = mark) {
  const ran: string[] = [];
  const made = (name: string) =>
    createTool({
      ...{ name, parameters },
      handler: ({ amount }) => {
        ran.push(`${name} ${amount}`);
      },
    });
  return { ran, tools: [needsApproval(made("refund"), terms), made("look_up")] };
}

const open = (options: Partial<TestHarnessOptions>) =>
  createTestHarness({
    reply: inTurns({
      toolCalls: [
        { name: "look_up", input },
        { name: "look_up", input: { ...input, amount: 81 } },
        { name: "refund", input },
      ],
    }),
    // A logger of its own takes what the first test is about.
    countersign: { logger: { info() {}, warn: console.warn, error: console.error } },
    people: { cleo: { id: "cleo", roles: ["support"] }, fay: { id: "fay", roles: ["finance"] } },
    patience: "60s",
    ...options,
  });

describe("a tool that is marked with needsApproval()", () => {
  it("waits for those whom the mark names; others run, and are told once", async () => {
    const { ran, tools } = desk();
    const told: string[] = [];
    const info = (message: string) => void told.push(message);
    await using harness = await open({
      tools,
      countersign: { logger: { info, warn: console.warn, error: console.error } },
    });
    const turn = await harness.say("Refund A-1");
    const [call] = await turn.pending();
    expect(call).toMatchObject({
      toolName: "refund",
      summary: "Refund 80",
      approvers: { roles: ["finance"] },
    });
    expect(await harness.decide(call, { by: "cleo", type: "approve" })).toMatchObject({ code: "not_found" });
    expect(await harness.decide(call, { by: "fay", type: "approve" })).toMatchObject({ ok: true });
    await turn.ended();
    expect(ran.filter((what) => what.startsWith("refund"))).toEqual(["refund 80"]);
    expect(told).toEqual([
      "No policy: tools marked with needsApproval() wait for a person, and all others run.",
      expect.stringContaining('The tool "look_up" has no mark'),
    ]);
  });

  it("is what the policy makes stricter and never looser", async () => {
    const { ran, tools } = desk();
    const rules = { look_up: allow(), refund: ask({ approvers: { roles: ["finance", "lead"] }, quorum: 2 }) };
    await using asking = await open({ tools, policy: definePolicy({ tools: rules }) });
    const turn = await asking.say("Refund A-1");
    const [call] = await turn.pending();
    expect(call).toMatchObject({ approvers: { roles: ["finance"] }, terms: { quorum: 2 } });
    const never = definePolicy({ tools: { look_up: allow(), refund: deny("Closed") } });
    await using denying = await open({ tools, policy: never });
    await (await denying.say("Refund A-1")).ended();
    expect(ran.filter((what) => what.startsWith("refund"))).toEqual([]);
  });

  it("can be edited where no rule of the policy names the tool", async () => {
    const { ran, tools } = desk({ ...mark, decisions: ["approve", "edit", "deny"], editable: ["amount"] });
    const policy = definePolicy({ tools: { look_up: allow() } });
    await using harness = await open({ tools, policy });
    const turn = await harness.say("Refund A-1");
    const [call] = await turn.pending();
    const edit = { by: "fay", type: "edit", input: { ...input, amount: 50 } } as const;
    expect(await harness.decide(call, edit)).toMatchObject({ ok: true });
    await turn.ended();
    expect(ran.filter((what) => what.startsWith("refund"))).toEqual(["refund 50"]);
  });

  it("does not start if its mark has become stricter since", async () => {
    const { ran, tools } = desk();
    const stricter = desk({ ...mark, roles: ["lead"] });
    let deployed = tools;
    await using harness = await open({
      functions: ({ inngest, countersign }) => [
        inngest.createFunction({ id: "refund", triggers: [{ event: "desk/refund" }] }, async ({ step }) => {
          const gate = countersign.gate({ step, context: { requester: { id: "requester" } } });
          const [called] = await gate.calls(deployed, [{ id: "one", name: "refund", input }]);
          return called?.status;
        }),
      ],
      reply: () => ({ text: "unused" }),
    });
    const run = await harness.send({ name: "desk/refund" });
    const [call] = await run.pending();
    deployed = stricter.tools;
    await harness.decide(call, { by: "fay", type: "approve" });
    expect(await harness.over(call)).toMatchObject({
      status: "withdrawn",
      withdrawalCause: "policy_changed",
    });
    await run.ended();
    expect([...ran, ...stricter.ran]).toEqual([]);
  });

  it("waits behind gate.call too", async () => {
    const ran: string[] = [];
    const refund = gateTool({
      ...{ name: "refund", inputSchema: parameters },
      execute: ({ amount }) => void ran.push(`refund ${amount}`),
    });
    needsApproval(refund, mark);
    await using harness = await open({
      functions: ({ inngest, countersign }) => [
        inngest.createFunction({ id: "refund", triggers: [{ event: "desk/refund" }] }, async ({ step }) => {
          const gate = countersign.gate({ step, context: { requester: { id: "requester" } } });
          await gate.call(refund, { id: "one", input });
        }),
      ],
    });
    const run = await harness.send({ name: "desk/refund" });
    const [call] = await run.pending();
    expect([call.approvers.roles, ran]).toEqual([["finance"], []]);
    await harness.decide(call, { by: "fay", type: "approve" });
    await run.ended();
    expect(ran).toEqual(["refund 80"]);
  });

  it("waits behind guardTools too, although the policy allows it", async () => {
    const body = async ({ base, gate, own, run: { step } }: AgentWorld) => {
      const tools = guardTools({ look_up: needsApproval({ ...own.look_up }, mark) }, gate);
      await generateText({ model: durableModel(base, step), tools, prompt: "go", stopWhen: stepCountIs(5) });
    };
    await using agent = await openAgent([["look_up", { order: "A-1" }]], body);
    const { runId } = await agent.harness.say("go");
    const call = await agent.harness.onlyPending();
    expect([call.approvers.roles, agent.ran]).toEqual([["finance"], []]);
    await agent.harness.decide(call, "approve");
    await agent.harness.ended(runId);
    expect(agent.ran).toEqual([["look_up", { order: "A-1" }]]);
  });
});

it("calls of programs, which have no tools to mark, need a policy", async () => {
  await using harness = await open({ tools: desk().tools });
  const call = { toolName: "refund", input, principal: { id: "billing", tenantId: "test", roles: [] } };
  await expect(harness.countersign.externalCalls.request(call)).rejects.toThrow(
    /^policy: is missing; calls of programs have no tools to mark/,
  );
});
