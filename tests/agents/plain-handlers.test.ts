import { createAgent, createNetwork, type StateData, type Tool } from "@inngest/agent-kit";
import { ask, definePolicy, durable } from "countersign";
import type { InngestFunction } from "inngest";
import { describe, expect, it, vi } from "vitest";
import { type Handed, openDesk, payingAgent } from "../support/agents/sub-agent-desk.js";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const policy = definePolicy({ tools: { delegate: ask(), pay: ask() } });

type Delegate = (desk: Handed, pay: Tool.Any) => Promise<unknown>;

const ways: { way: string; delegate: Delegate }[] = [
  { way: "runs an agent", delegate: (desk, pay) => payingAgent(desk, pay).run("Pay") },
  {
    way: "runs a network",
    delegate: (desk, pay) =>
      createNetwork<StateData>({
        name: "billing",
        agents: [payingAgent(desk, pay)],
        router: ({ network, callCount }) => (callCount === 0 ? network.agents.get("billing") : undefined),
      }).run("Pay"),
  },
  {
    way: "runs an agent and hides the error",
    delegate: (desk, pay) =>
      payingAgent(desk, pay)
        .run("Pay")
        .catch(() => "hidden"),
  },
  {
    way: "runs an agent and throws an error of its own",
    delegate: (desk, pay) =>
      payingAgent(desk, pay)
        .run("Pay")
        .catch(() => {
          throw new Error("Try again later");
        }),
  },
  {
    way: "infers with the step tools of getStepTools()",
    delegate: async ({ agent }) => {
      const { getStepTools } = await import("@inngest/agent-kit");
      const step = await getStepTools();
      return step?.ai.infer("infer", { model: agent.model as never, body: {} as never });
    },
  },
];

describe("a gated handler that is not durable", () => {
  it.each(ways)("fails when it $way, with the advice to declare it durable", async ({ delegate }) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => {});
    await using database = await freshPostgres();
    await using desk = await openDesk({ database, delegate, policy });
    const { harness } = desk;
    const { runId } = await harness.say("Pay the invoice");
    const approval = await harness.onlyPending();
    expect(approval.toolName).toBe("delegate");
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(desk.payments).toEqual([]);
    expect(desk.askedToPay()).toBe(0);
    const lastRequest = desk.told();
    expect(lastRequest).toContain("step_in_plain_handler");
    expect(lastRequest).toContain("durable(createTool(");
    const row = await harness.store.getApproval("acme", approval.id);
    expect(row?.status).toBe("failed");
    expect(JSON.parse(row?.outcomeJson ?? "{}").error).toMatchObject({
      code: "step_in_plain_handler",
      message: expect.stringContaining("durable(createTool("),
    });
    expect(logged.mock.calls.flat().join()).toContain("Declare the tool durable");
    expect(await harness.store.listApprovals({ tenantId: "acme", limit: 10 })).toHaveLength(1);
  });

  it("creates no further approval once it is known to need steps, until it is declared durable", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    await using database = await freshPostgres();
    const made: Tool.Any[] = [];
    await using desk = await openDesk({
      database,
      policy,
      delegate: (options, pay) => payingAgent(options, pay).run("Pay"),
      declared: (tool) => {
        made.push(tool);
        return tool;
      },
    });
    const { harness } = desk;
    const first = await harness.say("Pay the invoice");
    await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(first.runId);

    const second = await harness.say("Pay the invoice");
    await harness.ended(second.runId);
    expect(await harness.store.listApprovals({ tenantId: "acme", limit: 10 })).toHaveLength(1);
    expect(desk.told()).toContain("nobody was asked: an earlier call showed that its handler needs steps");

    made.forEach(durable);
    const third = await harness.say("Pay the invoice");
    const outer = await harness.onlyPending();
    await harness.decide(outer, "approve");
    const inner = await harness.nextPending(outer);
    expect(inner).toMatchObject({ toolName: "pay", agentName: "support → billing" });
    await harness.decide(inner, "approve");
    await harness.ended(third.runId);
    expect(desk.payments).toEqual([{ amount: 80 }]);
  });
});

describe.each([true, false])("a durable gated handler, checkpointing %s", (checkpointing) => {
  it("can run a network whose agents wait for approval as well", async () => {
    await using database = await freshPostgres();
    await using desk = await openDesk({
      database,
      policy,
      checkpointing,
      declared: durable,
      delegate: (options, pay) => {
        const billing = payingAgent(options, pay);
        return createNetwork<StateData>({
          name: "billing",
          agents: [billing],
          router: ({ callCount }) => (callCount === 0 ? billing : undefined),
        }).run("Pay", { state: options.network.state });
      },
    });
    const { harness, payments } = desk;
    const { runId } = await harness.say("Pay the invoice");
    const outer = await harness.onlyPending();
    await harness.decide(outer, "approve");
    const inner = await harness.nextPending(outer);
    expect(inner).toMatchObject({
      toolName: "pay",
      agentName: "support → billing",
      requesterId: "requester",
    });
    expect(payments).toEqual([]);
    await harness.decide(inner, "approve");
    await harness.ended(runId);
    expect(payments).toEqual([{ amount: 80 }]);
    expect(await harness.approval(outer.id)).toMatchObject({ status: "executed" });
  });
});

it("an Inngest function among an agent's tools is durable without being declared", async () => {
  await using database = await freshPostgres();
  const paid: unknown[] = [];
  const functions: InngestFunction.Any[] = [];
  await using harness = await openHarness({
    database,
    tools: [],
    policy: definePolicy({ tools: { "harness-payer": ask() } }),
    reply: inTurns({ toolCalls: [{ name: "harness-payer", input: {} }] }),
    served: (own, inngest) => {
      const payer = inngest.createFunction({ id: "payer", triggers: [{ event: "pay" }] }, ({ step }) =>
        step.run("pay", () => paid.push("paid")),
      );
      functions.push(payer);
      return [...own, payer];
    },
    run: ({ countersign, agent, state, message }) => {
      const { name, model } = agent;
      const tools = functions.slice(0, 1);
      const payer = createAgent<StateData>({ name, system: "You pay.", tools, ...(model && { model }) });
      return countersign.guard(payer).run(message, { state, maxIter: 2 });
    },
  });
  const { runId } = await harness.say("Pay the invoice");
  const approval = await harness.onlyPending();
  await harness.decide(approval, "approve");
  await harness.ended(runId);
  expect(paid).toEqual(["paid"]);
  expect(await harness.approval(approval.id)).toMatchObject({ status: "executed" });
});
