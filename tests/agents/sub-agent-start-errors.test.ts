import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import {
  type Agent,
  createAgent,
  createNetwork,
  createRoutingAgent,
  createTool,
  type StateData,
  type Tool,
} from "@inngest/agent-kit";
import { allow, ask, definePolicy } from "countersign";
import { createCountersign } from "countersign/agent-kit";
import { postgresStore } from "countersign/postgres";
import { Inngest } from "inngest";
import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { freshPostgres } from "../support/databases.js";
import { inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";

const commonJs: typeof import("@inngest/agent-kit") = createRequire(import.meta.url)("@inngest/agent-kit");

const policy = definePolicy({ tools: { pay: ask() } });
/** The instances on this store never reach the database. */
const store = postgresStore({ url: "postgres://nobody@127.0.0.1:1/none" });
const instance = () =>
  createCountersign({ inngest: new Inngest({ id: "start", isDev: true }), store, policy });

const tool = (name: string, parameters: z.ZodType = z.object({})) =>
  createTool({ name, parameters, handler: () => "ran" });
const agentWith = (tools: Tool.Any[], name = "desk") => createAgent<StateData>({ name, system: "s", tools });

afterEach(() => vi.restoreAllMocks());

describe("guard()", () => {
  it.each([
    ["a date", { due: z.date() }, "z.iso.datetime()"],
    ["a bigint", { due: z.bigint() }, "z.string()"],
    ["a transform", { due: z.string().transform(Number) }, "in the handler"],
  ])("refuses a tool whose parameters hold %s, naming tool, field and fix", (_what, shape, fix) => {
    const agent = agentWith([tool("pay", z.object({ amount: z.number(), ...shape }))]);
    const guard = () => instance().guard(agent);
    expect(guard).toThrow(expect.objectContaining({ code: "invalid_option" }));
    expect(guard).toThrow(/the tool "pay" .*due: /);
    expect(guard).toThrow(fix);
  });

  it("refuses a tool with a date in its parameters that is added later", () => {
    const agent = instance().guard(agentWith([]));
    expect(() => agent.tools.set("pay", tool("pay", z.object({ due: z.date() })))).toThrow(/due/);
  });

  it("refuses two MCP servers of the same name", () => {
    const agent = agentWith([]);
    agent.mcpServers = ["bank", "bank"].map((name) => ({
      name,
      transport: { type: "sse", url: "http://x" },
    }));
    expect(() => instance().guard(agent)).toThrow(/mcpServers: two MCP servers .* "bank"/);
  });

  it.each([
    ["a plain object", { name: "desk", tools: new Map(), run: () => {} }],
    ["a function", createAgent],
    ["nothing", undefined],
  ])("refuses %s", (_what, value) => {
    expect(() => instance().guard(value as never)).toThrow(
      expect.objectContaining({ code: "invalid_option", message: expect.stringContaining("createAgent()") }),
    );
  });

  it("refuses agents and networks that another instance guards", () => {
    const agent = instance().guard(agentWith([tool("pay")]));
    const network = instance().guard(createNetwork({ name: "net", agents: [agentWith([])] }));
    const other = instance();
    expect(() => other.guard(agent)).toThrow(/the agent "desk" is already guarded by another/);
    expect(() => other.guard(network)).toThrow(/the network "net" is already guarded by another/);
    expect(() => other.guard(createNetwork({ name: "both", agents: [agent] }))).toThrow(/"desk"/);
  });
});

it("guard() accepts agents and networks of another copy of AgentKit", async () => {
  const callPay = (agent: Agent<StateData>) =>
    Promise.resolve().then(() => agent.tools.get("pay")?.handler({}, {} as never));
  const agent = commonJs.createAgent<StateData>({ name: "desk", system: "s", tools: [tool("pay")] });
  const inNetwork = commonJs.createAgent<StateData>({ name: "desk", system: "s", tools: [tool("pay")] });
  const countersign = instance();
  countersign.guard(agent);
  countersign.guard(commonJs.createNetwork({ name: "net", agents: [inNetwork] }));
  for (const each of [agent, inNetwork]) {
    await expect(callPay(each)).rejects.toMatchObject({ code: "unguarded_call" });
  }
});

describe("a routing agent's own tools", () => {
  const router = (toolNames: string[]) =>
    createRoutingAgent<StateData>({
      name: "router",
      system: "You route.",
      tools: toolNames.map((name) => tool(name)),
      lifecycle: { onRoute: () => undefined },
    });
  const networkWith = (toolNames: string[]) =>
    createNetwork({ name: "net", agents: [agentWith([])], router: router(toolNames) });

  it("cause one warning each when no rule covers them", () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const countersign = instance();
    countersign.guard(networkWith(["pick", "pay"]));
    countersign.guard(networkWith(["pick", "pay"]));
    expect(warned.mock.calls).toEqual([
      [
        expect.stringContaining('No rule of the policy covers "pick"'),
        expect.objectContaining({ toolName: "pick" }),
      ],
    ]);
  });

  it("cause no warning when the default allows them", () => {
    const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
    const lenient = definePolicy({ tools: {}, default: allow() });
    const inngest = new Inngest({ id: "start", isDev: true });
    createCountersign({ inngest, store, policy: lenient }).guard(networkWith(["pick"]));
    expect(warned).not.toHaveBeenCalled();
  });
});

describe.each(["guard()", "its own lifecycle", "the run that it starts in"])(
  "an agent guarded by %s",
  (by) => {
    it("does not run with two MCP tools of the same name", async () => {
      await using database = await freshPostgres();
      const server = (name: string, toolName: string) => ({
        name,
        transport: {
          type: "stdio" as const,
          command: process.execPath,
          args: [fileURLToPath(new URL("../support/agents/mcp-server.mjs", import.meta.url))],
          env: { TOOL_NAME: toolName },
        },
      });
      const mcpServers = [server("a-b", "c"), server("a", "b-c")];
      await using harness = await openHarness({
        database,
        tools: [],
        policy: definePolicy({ tools: { "*": allow() } }),
        reply: inTurns({ toolCalls: [{ name: "a-b-c", input: { path: "x" } }] }),
        run: async ({ countersign, agent, state, message }) => {
          agent.mcpServers = mcpServers;
          if (by === "its own lifecycle") agent.lifecycles = countersign.lifecycle();
          if (by === "guard()") countersign.guard(agent);
          if (by !== "the run that it starts in") return agent.run(message, { state });
          const network = createNetwork<StateData>({ name: "net", agents: [agentWith([], "idle")] });
          return countersign.guard(network).run(message, {
            state,
            router: ({ callCount }) => (callCount === 0 ? agent : undefined),
          });
        },
      });
      const { runId } = await harness.say("Delete x");
      const { output } = await harness.ended(runId, "Failed");
      const failure = JSON.stringify(output);
      for (const name of ["a-b-c", "a-b", "c", "a", "b-c"]) expect(failure).toContain(`\\"${name}\\"`);
      expect(harness.model.requests).toEqual([]);
    });
  },
);
