import { createRequire } from "node:module";
import * as agentKit from "@inngest/agent-kit";
import { Agent, createAgent, createNetwork, createTool, type StateData, type Tool } from "@inngest/agent-kit";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Handed, modelOf, openDesk, payingAgent } from "../support/agents/sub-agent-desk.js";
import { freshPostgres } from "../support/databases.js";

const require = createRequire(import.meta.url);
const commonJs: typeof agentKit = require("@inngest/agent-kit");

class Cashier extends Agent<StateData> {
  override run(...args: Parameters<Agent<StateData>["run"]>) {
    return super.run(...args);
  }
}

interface Way {
  way: string;
  delegate: (options: Handed, pay: Tool.Any) => Promise<unknown>;
  agents?: string;
}

/** Agents that are created once for all runs, by their tool. */
const lasting = new WeakMap<Tool.Any, Agent<StateData>>();

const ways: Way[] = [
  { way: "created in a tool handler", delegate: (desk, pay) => payingAgent(desk, pay).run("Pay") },
  {
    way: "created once for all runs",
    delegate: (desk, pay) => {
      const billing = lasting.get(pay) ?? payingAgent(desk, pay);
      lasting.set(pay, billing);
      return billing.run("Pay");
    },
  },
  {
    way: "in a network of its own",
    delegate: (desk, pay) => {
      const billing = payingAgent(desk, pay);
      return createNetwork<StateData>({
        name: "billing",
        agents: [billing],
        router: ({ callCount }) => (callCount === 0 ? billing : undefined),
      }).run("Pay");
    },
  },
  {
    way: "created only by the router of a nested network",
    delegate: (desk, pay) =>
      createNetwork<StateData>({
        name: "billing",
        agents: [createAgent<StateData>({ name: "idle", system: "You idle." })],
        router: ({ callCount }) => (callCount === 0 ? payingAgent(desk, pay) : undefined),
      }).run("Pay"),
  },
  {
    way: "of a subclass, copied by withModel(),",
    delegate: (desk, pay) => {
      const { model } = desk.agent;
      if (!model) throw new Error("The desk has no model");
      const cashier = new Cashier({ name: "billing", system: "You pay.", tools: [pay] });
      return cashier.withModel(model).run("Pay");
    },
  },
  {
    way: "of AgentKit's CommonJS copy",
    delegate: (desk, pay) =>
      commonJs
        .createAgent<StateData>({ name: "billing", system: "You pay.", tools: [pay], ...modelOf(desk.agent) })
        .run("Pay"),
  },
  {
    way: "in a network of AgentKit's CommonJS copy",
    delegate: (desk, pay) => {
      const billing = commonJs.createAgent<StateData>({
        ...{ name: "billing", system: "You pay.", tools: [pay] },
        ...modelOf(desk.agent),
      });
      return commonJs
        .createNetwork<StateData>({
          name: "billing",
          agents: [billing],
          router: ({ callCount }) => (callCount === 0 ? billing : undefined),
        })
        .run("Pay");
    },
  },
  {
    way: "started by an agent that a handler started",
    agents: "support → clerk → billing",
    delegate: (desk, pay) => {
      const passOn = createTool({
        name: "pass_on",
        parameters: z.object({}),
        handler: async (_input, clerk) => {
          await payingAgent(clerk as Handed, pay).run("Pay");
          return "passed on";
        },
      });
      return createAgent<StateData>({
        ...{ name: "clerk", system: "You pass on.", tools: [passOn] },
        ...modelOf(desk.agent),
      }).run("Pay");
    },
  },
];

type DeskOptions = Omit<Parameters<typeof openDesk>[0], "database">;

/**
 * Expects one payment, which waits for approval and is made once in spite of replays.
 * Returns how often the handler ran.
 */
async function expectToWait(options: DeskOptions, agents = "support → billing"): Promise<number> {
  await using database = await freshPostgres();
  await using desk = await openDesk({ database, ...options });
  const { harness, payments } = desk;
  const { runId, threadId } = await harness.say("Pay the invoice");
  const approval = await harness.onlyPending();
  expect(approval).toMatchObject({
    ...{ toolName: "pay", agentName: agents, requesterId: "requester", threadId },
  });
  expect(payments).toEqual([]);
  await harness.decide(approval, "approve");
  await harness.ended(runId);
  expect(payments).toEqual([{ amount: 80 }]);
  expect(await harness.approval(approval.id)).toMatchObject({ status: "executed" });
  expect(await harness.store.listApprovals({ tenantId: "acme", limit: 10 })).toHaveLength(1);
  return desk.entries();
}

it.each(ways)("an agent $way waits for approval and pays once", async ({ delegate, agents }) => {
  expect(await expectToWait({ checkpointing: false, delegate }, agents)).toBeGreaterThan(1);
});

describe("an agent", () => {
  it("started by a router waits for approval and pays once", async () => {
    const withPay: DeskOptions["withPay"] = (pay) => ({
      network: (network) => {
        const [agent] = network.agents.values();
        network.router = async ({ callCount }) => {
          if (agent && callCount === 0) await payingAgent({ agent }, pay).run("Pay");
          return undefined;
        };
        return undefined;
      },
    });
    await expectToWait({ withPay }, "billing");
  });

  it("started by a user's own hook waits for approval and pays once", async () => {
    const withPay: DeskOptions["withPay"] = (pay) => ({
      agent: {
        lifecycle: {
          onFinish: async ({ agent, result }) => {
            if (result.toolCalls.length > 0) await payingAgent({ agent }, pay).run("Pay");
            return result;
          },
        },
      },
    });
    await expectToWait({ withPay });
  });

  it("started by an agent whose only guard is the hook waits for approval and pays once", async () => {
    await expectToWait({
      delegate: (desk, pay) => payingAgent(desk, pay).run("Pay"),
      run: ({ countersign, agent, state, message }) => {
        agent.lifecycles = countersign.lifecycle();
        return agent.run(message, { state });
      },
    });
  });
});

describe("an agent outside guarded runs", () => {
  it("is not guarded, even after it ran inside a guarded run", async () => {
    await using database = await freshPostgres();
    let billing: Agent<StateData> | undefined;
    await using desk = await openDesk({
      database,
      delegate: (options, pay) => {
        billing ??= payingAgent(options, pay);
        return billing.run("Pay");
      },
      run: async ({ countersign, agent, state, message }) => {
        await countersign.guard(agent).run(message, { state });
        return (await billing?.run("Pay"))?.toolCalls;
      },
    });
    const { runId } = await desk.harness.say("Pay the invoice");
    await desk.harness.decide(await desk.harness.onlyPending(), "deny");
    await desk.harness.ended(runId);
    // The agent is unguarded there, so each replay of the function makes the payment.
    expect(desk.payments.length).toBeGreaterThan(0);
    expect(await desk.harness.store.listApprovals({ tenantId: "acme", limit: 10 })).toHaveLength(1);
  });
});

it("Countersign refuses an agent of an AgentKit copy that was loaded after the guard", async () => {
  await using database = await freshPostgres();
  await using desk = await openDesk({
    database,
    delegate: (options, pay) => {
      delete require.cache[require.resolve("@inngest/agent-kit")];
      const late: typeof agentKit = require("@inngest/agent-kit");
      const { model } = options.agent;
      return late
        .createAgent<StateData>({
          name: "billing",
          system: "You pay.",
          tools: [pay],
          ...(model && { model }),
        })
        .run("Pay");
    },
  });
  const { runId } = await desk.harness.say("Pay the invoice");
  await desk.harness.ended(runId);
  expect(desk.payments).toEqual([]);
  expect(desk.askedToPay()).toBe(0);
  expect(desk.told()).toContain("unguarded_agent");
});

it("Countersign refuses an agent that is started inside step.run, where no call could wait", async () => {
  await using database = await freshPostgres();
  await using desk = await openDesk({
    database,
    delegate: async (options, pay) => {
      const step = await agentKit.getStepTools();
      return step?.run("pay", () => payingAgent(options, pay).run("Pay"));
    },
  });
  const { runId } = await desk.harness.say("Pay the invoice");
  await desk.harness.ended(runId);
  expect(desk.payments).toEqual([]);
  expect(desk.askedToPay()).toBe(0);
  expect(desk.told()).toContain("was started inside step.run");
});
