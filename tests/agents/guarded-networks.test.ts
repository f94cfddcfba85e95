import {
  type Agent,
  createAgent,
  createNetwork,
  createRoutingAgent,
  type StateData,
} from "@inngest/agent-kit";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import type { HarnessOptions, RunWorld } from "../support/harness-options.js";

const refund = { toolCalls: [{ name: "refund", input: { id: "A-1", amount: 80 } }] };

/** Creates an unguarded agent with the desk's tools and the model of `template`. */
function agentWithTools(template: Agent<StateData>, tools: HarnessOptions["tools"]): Agent<StateData> {
  const { model } = template;
  return createAgent<StateData>({ name: "late", system: "s", tools, ...(model ? { model } : {}) });
}

/** Expects the agent's refund to wait for approval, and not to run when it is denied. */
async function expectToWait(options: (desk: ReturnType<typeof deskTools>) => Partial<HarnessOptions>) {
  await using database = await freshPostgres();
  const desk = deskTools();
  await using harness = await openHarness({
    database,
    tools: [],
    reply: inTurns(refund),
    ...options(desk),
  });
  const { runId } = await harness.say("Refund A-1");
  const approval = await harness.onlyPending();
  expect(approval).toMatchObject({ toolName: "refund", agentName: "late" });
  expect(desk.effects).toEqual([]);
  await harness.decide(approval, "deny");
  await harness.ended(runId);
  expect(desk.effects).toEqual([]);
}

describe("a guarded network", () => {
  it("guards an agent that was added to its map later and is picked by a routing agent", async () => {
    await expectToWait(({ tools }) => ({
      reply: (conversation) =>
        conversation.system.includes("route") ? { text: "late" } : inTurns(refund)(conversation),
      network: (network) => {
        const [template] = [...network.agents.values()] as [Agent<StateData>];
        network.agents.set("late", agentWithTools(template, tools));
        network.router = createRoutingAgent<StateData>({
          name: "router",
          system: "You route.",
          ...(template.model ? { model: template.model } : {}),
          lifecycle: {
            onRoute: ({ network: run }) => (run && run.state.results.length > 0 ? undefined : ["late"]),
          },
        });
        return undefined;
      },
    }));
  });

  it("guards an agent that only a router assigned later knows", async () => {
    await expectToWait(({ tools }) => ({
      network: (network) => {
        const [template] = [...network.agents.values()] as [Agent<StateData>];
        const late = agentWithTools(template, tools);
        network.router = ({ callCount }) => (callCount === 0 ? late : undefined);
        return undefined;
      },
    }));
  });

  it.each(["router", "defaultRouter"] as const)(
    "guards an agent that only the run's own %s knows",
    async (name) => {
      await expectToWait(({ tools }) => ({
        run: async ({ countersign, agent, state, message }) => {
          const late = agentWithTools(agent, tools);
          const network = countersign.guard(createNetwork<StateData>({ name: "desk", agents: [agent] }));
          await network.run(message, {
            state,
            [name]: ({ callCount }: { callCount: number }) => (callCount === 0 ? late : undefined),
          });
        },
      }));
    },
  );

  it("guards an agent from the moment it is added, also when the agent runs by itself", async () => {
    await expectToWait(({ tools }) => ({
      run: async ({ countersign, agent, state, message }: RunWorld) => {
        const network = countersign.guard(createNetwork<StateData>({ name: "desk", agents: [agent] }));
        const late = agentWithTools(agent, tools);
        network.addAgent(late);
        await late.run(message, { state });
      },
    }));
  });
});

it("a call of an agent that is guarded by its hook and by its network creates one approval", async () => {
  await using database = await freshPostgres();
  const { tools, effects } = deskTools();
  await using harness = await openHarness({
    database,
    tools,
    reply: inTurns(refund),
    run: async ({ countersign, agent, state, message }) => {
      agent.lifecycles = { ...countersign.lifecycle(), enabled: () => true };
      const network = countersign.guard(
        createNetwork<StateData>({
          name: "desk",
          agents: [agent],
          router: ({ callCount }) => (callCount < 2 ? agent : undefined),
        }),
      );
      await network.run(message, { state });
    },
  });
  const { runId, threadId } = await harness.say("Refund A-1");
  await harness.decide(await harness.onlyPending(), "approve");
  await harness.ended(runId);
  expect(effects).toHaveLength(1);
  const { body } = await harness.call("finance", `/approvals?threadId=${threadId}`);
  expect(body.items).toHaveLength(1);
  expect(harness.model.requests.map(({ status, error }) => error ?? status)).toEqual([200, 200]);
});

describe("an agent that runs without a network", () => {
  it("sends the model the result of every call, turn after turn", async () => {
    await using database = await freshPostgres();
    const { tools, effects } = deskTools();
    const calls = {
      toolCalls: [
        { name: "erase", input: { id: "C-7" } },
        { name: "lookup", input: { id: "A-1" } },
      ],
    };
    await using harness = await openHarness({
      database,
      tools,
      reply: inTurns(calls, refund),
      run: ({ countersign, agent, state, message }) =>
        countersign.guard(agent).run(message, { state, maxIter: 3 }),
    });
    const { runId } = await harness.say("Erase C-7, then refund A-1");
    await harness.decide(await harness.onlyPending(), "approve");
    await harness.ended(runId);
    expect(effects).toEqual([{ tool: "refund", input: { id: "A-1", amount: 80 } }]);
    // The scripted model refuses, as providers do, a call without its result and a result without its call.
    expect(harness.model.requests.map(({ status, error }) => error ?? status)).toEqual([200, 200, 200]);
    const second = JSON.stringify(harness.model.requests[1]?.body);
    expect(second).toContain("denied_by_policy");
    expect(second).toMatch(/total\D+80/);
  });

  it.each(["denied", "answered"])(
    "sends the model the decision when the only call of a turn was %s",
    async (how) => {
      await using database = await freshPostgres();
      const { tools, effects } = deskTools();
      const question = { toolCalls: [{ name: "request_human_input", input: { message: "Which order?" } }] };
      await using harness = await openHarness({
        database,
        tools,
        reply: inTurns(how === "denied" ? refund : question),
        run: async ({ countersign, agent, state, message }) => {
          const ask = countersign.requestHumanInput();
          agent.tools.set(ask.name, ask);
          await countersign.guard(agent).run(message, { state, maxIter: 3 });
        },
      });
      const { runId } = await harness.say("Refund my order");
      const { id, digest } = await harness.onlyPending();
      const decision =
        how === "denied"
          ? { type: "deny", reason: "It was A-2" }
          : { type: "respond", response: { action: "accept", content: { answer: "It was A-2" } } };
      const body = { digest, ...decision };
      const decided = await harness.call("finance", `/approvals/${id}/decision`, { method: "POST", body });
      expect(decided.status).toBe(200);
      await harness.ended(runId);
      expect(effects).toEqual([]);
      expect(harness.model.requests.map(({ status, error }) => error ?? status)).toEqual([200, 200]);
      expect(JSON.stringify(harness.model.requests[1]?.body)).toContain("It was A-2");
    },
  );
});
