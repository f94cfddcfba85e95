import { createRequire } from "node:module";
import * as agentKit from "@inngest/agent-kit";
import { createAgent, createNetwork, type StateData } from "@inngest/agent-kit";
import { allow, ask, definePolicy, needsApproval } from "countersign";
import { describe, expect, it, vi } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import type { HarnessOptions, RunWorld } from "../support/harness-options.js";

// The proposal "Tool Approval & HITL Workflow in AgentKit" puts its hook on a network:
// createNetwork({ lifecycle: { onResponse } }). AgentKit has lifecycles of agents only, and ignores this one.

/** What a JavaScript program can write. TypeScript refuses the option. */
const createNetworkInJs = createNetwork<StateData> as (
  options: Parameters<typeof createNetwork<StateData>>[0] & { lifecycle?: object },
) => ReturnType<typeof createNetwork<StateData>>;

const policy = definePolicy({ default: allow(), tools: { refund: ask() } });

/** Opens a harness whose model first calls `called`, and then says "Done.". */
async function openDesk(
  options: Pick<HarnessOptions, "run" | "policy">,
  called = "refund",
  tools = deskTools(),
) {
  const database = await freshPostgres();
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const reply = vi.fn(inTurns({ toolCalls: [{ name: called, input: { id: "A-1", amount: 80 } }] }));
  const harness = await openHarness({
    ...{ database, policy, reply, countersign: { logger }, tools: tools.tools },
    ...options,
  });
  return {
    ...{ harness, reply, logger, effects: tools.effects },
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Creates the same agent with other tools or hooks. */
const like = ({ agent }: RunWorld, changes: Partial<Parameters<typeof createAgent<StateData>>[0]>) =>
  createAgent<StateData>({
    ...{ name: "other", system: "You help customers." },
    ...(agent.model ? { model: agent.model } : {}),
    ...changes,
  });

describe("a lifecycle on a network", () => {
  it.each([
    ["a rule gates", policy, (tool: object) => tool],
    [
      "only a mark gates",
      definePolicy({ default: allow(), tools: {} }),
      (tool: object) => needsApproval(tool),
    ],
  ])(
    "fails the run of a tool that %s before the model is asked, naming network, tool and cure",
    async (_what, policy, mark) => {
      const tools = deskTools();
      for (const tool of tools.tools) if (tool.name === "refund") mark(tool);
      await using desk = await openDesk(
        {
          policy,
          run: ({ countersign, agent, message, state }) =>
            createNetworkInJs({
              name: "desk",
              agents: [agent],
              router: ({ callCount }) => (callCount === 0 ? agent : undefined),
              lifecycle: countersign.lifecycle(),
            }).run(message, { state }),
        },
        "refund",
        tools,
      );
      const { runId } = await desk.harness.say("Refund A-1");
      const { output } = await desk.harness.ended(runId, "Failed");
      expect(output).toMatchObject({
        name: "NonRetriableError",
        message: expect.stringMatching(/network "desk".*tool "refund".*countersign\.guard\(network\)/),
      });
      expect(desk.reply).not.toHaveBeenCalled();
      expect(desk.effects).toEqual([]);
    },
  );

  it.each([
    ["of the ES module", agentKit],
    ["of a CommonJS copy", createRequire(import.meta.url)("@inngest/agent-kit") as typeof agentKit],
  ])(
    "is refused outside an Inngest function as well: a network %s",
    async (_, { createAgent, createNetwork }) => {
      await using desk = await openDesk({});
      const network = (createNetwork<StateData> as typeof createNetworkInJs)({
        name: "desk",
        agents: [createAgent<StateData>({ name: "support", system: "s", tools: deskTools().tools })],
        lifecycle: desk.harness.countersign.lifecycle(),
      });
      await expect(network.run("Refund A-1")).rejects.toMatchObject({
        code: "invalid_option",
        message: expect.stringContaining("countersign.guard(network)"),
      });
    },
  );

  it.each([
    ["no gated tool", "mail", policy],
    ["only tools that no rule names", "post", definePolicy({ tools: { refund: ask() } })],
  ])("is warned about once if the network has %s", async (_, name, policy) => {
    await using desk = await openDesk(
      {
        policy,
        run: async (world) => {
          const { tools } = world.agent;
          const agent = like(world, { tools: [...tools.values()].filter(({ name }) => name === "email") });
          const network = createNetworkInJs({
            name,
            agents: [agent],
            router: ({ callCount }) => (callCount === 0 ? agent : undefined),
            lifecycle: world.countersign.lifecycle(),
          });
          await network.run(world.message, { state: world.state });
        },
      },
      "email",
    );
    const { runId } = await desk.harness.say("Write to A-1");
    await desk.harness.ended(runId);
    expect(desk.effects).not.toEqual([]);
    expect(desk.logger.warn.mock.calls).toEqual([
      [expect.stringMatching(`network "${name}".*countersign\\.guard\\(network\\)`), {}],
    ]);
  });
});

describe("a lifecycle on an agent", () => {
  it("gates the agent's calls in a network whose other agents have none", async () => {
    await using desk = await openDesk({
      run: async (world) => {
        const { tools } = world.agent;
        const agent = like(world, { tools: [...tools.values()], lifecycle: world.countersign.lifecycle() });
        const network = createNetwork<StateData>({
          name: "desk",
          agents: [agent, world.agent],
          router: ({ callCount }) => (callCount === 0 ? agent : undefined),
        });
        await network.run(world.message, { state: world.state });
      },
    });
    const { runId } = await desk.harness.say("Refund A-1");
    const approval = await desk.harness.onlyPending();
    expect(desk.effects).toEqual([]);
    await desk.harness.decide(approval, "approve");
    await desk.harness.ended(runId);
    expect(desk.effects).toHaveLength(1);
  });

  it("does not stop an unguarded network that runs before the agent has run", async () => {
    await using desk = await openDesk({
      run: async (world) => {
        like(world, { lifecycle: { ...world.countersign.lifecycle(), enabled: () => true } });
        const network = createNetwork<StateData>({
          name: "desk",
          agents: [world.agent],
          router: ({ callCount }) => (callCount === 0 ? world.agent : undefined),
        });
        await network.run(world.message, { state: world.state });
      },
    });
    const { runId } = await desk.harness.say("Refund A-1");
    await desk.harness.ended(runId);
    expect(desk.effects).not.toEqual([]);
    expect(desk.logger.warn).not.toHaveBeenCalled();
  });

  it("counts if the host assigns it to the agent after its creation", async () => {
    await using desk = await openDesk({
      run: async (world) => {
        like(world, {}).lifecycles = world.countersign.lifecycle();
        await world.agent.run(world.message, { state: world.state });
      },
    });
    const { runId } = await desk.harness.say("Refund A-1");
    await desk.harness.ended(runId);
    expect(desk.effects).not.toEqual([]);
  });

  it("may be called by hooks of the host", async () => {
    await using desk = await openDesk({
      run: async (world) => {
        const { onStart, onResponse, onFinish } = world.countersign.lifecycle();
        const agent = like(world, {
          tools: [...world.agent.tools.values()],
          lifecycle: {
            onStart: (args) => onStart(args),
            onResponse: (args) => onResponse(args),
            onFinish: (args) => onFinish(args),
          },
        });
        await agent.run(world.message, { state: world.state });
        // Only a run shows that the agent has the hooks.
        await world.agent.run("Refund A-1");
      },
    });
    const { runId } = await desk.harness.say("Refund A-1");
    await desk.harness.decide(await desk.harness.onlyPending(), "deny");
    await desk.harness.ended(runId);
    expect(desk.effects).not.toEqual([]);
  });

  it("is missed if it got lost on the way to the agent that runs", async () => {
    await using desk = await openDesk({
      run: async (world) => {
        const lost = { lifecycles: world.countersign.lifecycle() };
        const agent = like(world, { tools: [...world.agent.tools.values()], ...lost });
        await agent.run(world.message, { state: world.state });
      },
    });
    const { runId } = await desk.harness.say("Refund A-1");
    const { output } = await desk.harness.ended(runId, "Failed");
    expect(output).toMatchObject({ message: expect.stringContaining("countersign.guard(agent)") });
    expect(desk.effects).toEqual([]);
  });
});
