import { type Agent, createAgent, type StateData } from "@inngest/agent-kit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledAgentKit } from "../support/agents/bundled-agent-kit.js";
import { type Handed, modelOf, openDesk } from "../support/agents/sub-agent-desk.js";
import { freshPostgres } from "../support/databases.js";

/** Two bundles of AgentKit: one that the application guards, and one that nothing guards. */
let bundled: Awaited<ReturnType<typeof bundledAgentKit>>;
let unguarded: Awaited<ReturnType<typeof bundledAgentKit>>;
beforeAll(async () => {
  bundled = await bundledAgentKit();
  unguarded = await bundledAgentKit();
});
afterAll(() => {
  bundled?.[Symbol.dispose]();
  unguarded?.[Symbol.dispose]();
});

type Delegate = NonNullable<Parameters<typeof openDesk>[0]["delegate"]>;
type Pay = Parameters<Delegate>[1];

const payer = ({ agent }: Pick<Handed, "agent">, pay: Pay, { copy } = bundled): Agent<StateData> =>
  copy.createAgent<StateData>({ name: "billing", system: "You pay.", tools: [pay], ...modelOf(agent) });

describe("in an application that bundles AgentKit, an agent", () => {
  const delegates: [string, Delegate][] = [
    ["created in a tool handler", (desk, pay) => payer(desk, pay).run("Pay")],
    [
      "created by the router of a nested network",
      (desk, pay) =>
        bundled.copy
          .createNetwork<StateData>({
            name: "billing",
            agents: [bundled.copy.createAgent<StateData>({ name: "idle", system: "You idle." })],
            router: ({ callCount }) => (callCount === 0 ? payer(desk, pay) : undefined),
          })
          .run("Pay"),
    ],
    [
      "created with Countersign's own copy of AgentKit",
      ({ agent }, pay) =>
        createAgent<StateData>({ name: "billing", system: "You pay.", tools: [pay], ...modelOf(agent) }).run(
          "Pay",
        ),
    ],
  ];

  it.each(delegates)("%s waits for approval and pays once", async (_what, delegate) => {
    await using database = await freshPostgres();
    await using desk = await openDesk({
      database,
      delegate,
      run: async ({ countersign, agent, state: { data, threadId }, message }) => {
        const { createAgent, createNetwork, createState, createTool } = bundled.copy;
        const support = createAgent<StateData>({
          name: "support",
          system: "You help customers.",
          tools: [...agent.tools.values()].map(({ name, parameters, handler }) =>
            createTool({ name, ...(parameters && { parameters }), handler }),
          ),
          ...modelOf(agent),
        });
        const network = createNetwork<StateData>({
          name: "desk",
          agents: [support],
          history: countersign.history,
          router: ({ callCount }) => (callCount === 0 ? support : undefined),
        });
        countersign.guard(network);
        await network.run(message, { state: createState(data, { ...(threadId && { threadId }) }) });
      },
    });
    const { harness, payments } = desk;
    const { runId, threadId } = await harness.say("Pay the invoice");
    const approval = await harness.onlyPending();
    expect(approval).toMatchObject({ toolName: "pay", agentName: "support → billing", threadId });
    expect(payments).toEqual([]);
    await harness.decide(approval, "approve");
    await harness.ended(runId);
    expect(payments).toEqual([{ amount: 80 }]);
  });
});

it("Countersign refuses an agent of a bundled AgentKit copy that it has never guarded", async () => {
  await using database = await freshPostgres();
  await using desk = await openDesk({
    database,
    delegate: (options, pay) => payer(options, pay, unguarded).run("Pay"),
  });
  const { runId } = await desk.harness.say("Pay the invoice");
  await desk.harness.ended(runId);
  expect(desk.payments).toEqual([]);
  expect(desk.askedToPay()).toBe(0);
  expect(desk.told()).toContain("unguarded_agent");
});
