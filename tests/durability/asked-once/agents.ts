import { mcpTools } from "@countersign/mcp/client";
import { createNetwork, createState, createTool, type StateData } from "@inngest/agent-kit";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { ToolCallDeniedError } from "countersign";
import { z } from "zod";
import { type AgentKind, agentKinds } from "../../chaos/processes/agents.js";
import type { HarnessOptions, RunWorld } from "../../support/harness-options.js";
import { listenOn } from "../../support/http/listen-on.js";
import { type Call, type Script, type ToolName, toolNames } from "./calls.js";

/** One start of a tool. */
export type Started = Call;

/** What an agent needs to be played. */
interface Played {
  options: Pick<HarnessOptions, "tools" | "format" | "run">;
  close?(): Promise<void>;
}

interface Agent {
  /** The tools that it can call. @default all */
  tools?: readonly ToolName[];
  /** `script` returns the responses of the run that is played. */
  open(started: Started[], script: () => Script): Played | Promise<Played>;
}

const anyInput = z.looseObject({ amount: z.number() });

/** Plain tools, which record their starts. */
const toolsOf = (started: Started[]) =>
  toolNames.map((name) => {
    const handler = (input: Call["input"]) => {
      started.push({ name, input });
      return { ok: name };
    };
    // OpenAI's strict mode takes no objects whose keys are not known.
    return Object.assign(createTool({ name, parameters: anyInput, handler }), { strict: false });
  });

const ofAgentKit = (format: "openai" | "anthropic"): Agent => ({
  open: (started) => ({ options: { tools: toolsOf(started), format } }),
});

function runAgent(kind: AgentKind, world: RunWorld, tools: HarnessOptions["tools"]): Promise<string> {
  const { countersign, step, state, message, modelUrl, format } = world;
  const context = { requester: { id: "requester" }, threadId: String(state.threadId) };
  const gate = countersign.gate({ step, context, agentName: "support" });
  return agentKinds[kind]({ gate, step, message, modelUrl, format, tools });
}

const ofKind = (kind: AgentKind, format: "openai" | "anthropic"): Agent => ({
  open(started) {
    const tools = toolsOf(started);
    return { options: { tools, format, run: (world) => runAgent(kind, world, tools) } };
  },
});

/** A value that comes from a step, as of a model that the host asks itself. */
const fromStep = ({ step }: RunWorld, call: Call): Promise<Call["input"]> =>
  step.run("ask", () => call.input) as Promise<Call["input"]>;

export const agents: Record<string, Agent> = {
  "AgentKit, OpenAI": ofAgentKit("openai"),
  "AgentKit, Anthropic": ofAgentKit("anthropic"),
  "a loop, OpenAI": ofKind("loop", "openai"),
  "a loop, Anthropic": ofKind("loop", "anthropic"),
  "the AI SDK": ofKind("ai-sdk", "openai"),

  "a network whose history inserts its thread": {
    open(started) {
      let threads = 0;
      const run = async ({ countersign, agent, message }: RunWorld) => {
        const network = createNetwork<StateData>({
          ...{ name: "desk", agents: [agent], maxIter: 12 },
          history: {
            createThread: async () => ({ threadId: `thread ${threads++}` }),
            appendUserMessage: async () => {},
            get: async () => [],
          },
          router: ({ lastResult, callCount }) =>
            callCount === 0 || lastResult?.output.some((part) => part.type === "tool_call")
              ? agent
              : undefined,
        });
        await countersign.guard(network).run(message, { state: createState<StateData>({}) });
      };
      return { options: { tools: toolsOf(started), run } };
    },
  },

  "MCP tools at a gate": {
    async open(started) {
      const handler = createMcpHandler(() => {
        const server = new McpServer({ name: "desk", version: "1.0.0" });
        for (const name of toolNames) {
          const options = { inputSchema: anyInput, annotations: { destructiveHint: false } };
          server.registerTool(name.replace("desk-", ""), options, async (input) => {
            started.push({ name, input });
            return { content: [{ type: "text", text: "done" }] };
          });
        }
        return server;
      });
      const site = await listenOn((request) => handler.fetch(request));
      const { tools, close } = await mcpTools({ servers: { desk: { url: `${site.url}/mcp` } } });
      return {
        options: { tools, format: "anthropic", run: (world) => runAgent("loop", world, tools) },
        async close() {
          await close();
          await handler.close();
          site.close();
        },
      };
    },
  },

  applyProfile: {
    open(started, script) {
      const fns = Object.fromEntries(
        toolNames.map((name) => [
          name,
          (input: Record<string, unknown>) => void started.push({ name, input }),
        ]),
      );
      const run = async (world: RunWorld) => {
        const { countersign, state } = world;
        const requester = { id: "requester" };
        const gated = countersign.applyProfile(fns, {
          ...{ profile: "script", requester, threadId: String(state.threadId) },
        });
        for (const call of script().flat()) {
          // The functions run in the function's body, where the host makes a step of what may happen only once.
          const given = await fromStep(world, call);
          await gated[call.name]?.(given).catch((error: unknown) => {
            if (!(error instanceof ToolCallDeniedError)) throw error;
          });
        }
      };
      return { options: { tools: [], run } };
    },
  },

  requireApproval: {
    tools: ["desk-approved", "desk-denied", "desk-last"],
    open(started, script) {
      const run = async (world: RunWorld) => {
        const { countersign, step, state } = world;
        for (const call of script().flat()) {
          const details = await fromStep(world, call);
          const { approved } = await countersign.requireApproval(step, {
            ...{ action: call.name, details, approvers: { roles: ["finance"] } },
            ...{ requester: { id: "requester" }, threadId: String(state.threadId) },
          });
          if (approved) await step.run("carry out", () => void started.push({ ...call, input: details }));
        }
      };
      return { options: { tools: [], run } };
    },
  },
};
