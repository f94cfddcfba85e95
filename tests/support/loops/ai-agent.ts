import { generateText, stepCountIs, streamText, ToolLoopAgent, tool } from "ai-6";
import { MockLanguageModelV3, simulateReadableStream } from "ai-6/test";
import { allow, ask, definePolicy, type RunGate } from "countersign";
import { durableModel, guardTools } from "countersign/ai-sdk";
import { z } from "zod";
import { freshPostgres } from "../databases.js";
import { openHarness } from "../harness.js";
import type { HarnessOptions, RunWorld } from "../harness-options.js";

const policy = definePolicy({
  tools: {
    look_up: allow(),
    refund: ask({
      approvers: { roles: ["finance"] },
      decisions: ["approve", "deny", "edit", "respond"],
      editable: ["amount"],
    }),
    write: allow(),
  },
});

type Prompt = Parameters<MockLanguageModelV3["doGenerate"]>[0]["prompt"];
type Answer = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>;
type Streamed = Awaited<ReturnType<MockLanguageModelV3["doStream"]>>["stream"];
type Part = Streamed extends ReadableStream<infer P> ? P : never;
/** A call that the model makes. */
type Called = [name: string, input: object, id?: string];

const usage: Answer["usage"] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** A model that makes these calls in its first answer, and then says what it has read. */
function modelCalling(...calls: Called[]) {
  const prompts: Prompt[] = [];
  const answerTo = (prompt: Prompt): Answer => {
    prompts.push(prompt);
    if (prompt.some(({ role }) => role === "tool")) {
      return {
        content: [{ type: "text", text: "Done" }],
        finishReason: { unified: "stop", raw: undefined },
        ...{ usage, warnings: [], response: { id: "r2", timestamp: new Date(0), headers: { secret: "x" } } },
      };
    }
    return {
      content: [
        { type: "text", text: "I do it" },
        ...calls.map(([toolName, input, toolCallId], index) => ({
          ...{ type: "tool-call" as const, toolCallId: toolCallId ?? `c${index}`, toolName },
          input: JSON.stringify(input),
        })),
      ],
      finishReason: { unified: "tool-calls", raw: undefined },
      ...{ usage, warnings: [] },
    };
  };
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => answerTo(prompt),
    doStream: async ({ prompt }) => {
      const { content, finishReason } = answerTo(prompt);
      const parts = content.flatMap((part): Part[] => {
        if (part.type === "tool-call") return [part];
        if (part.type !== "text") return [];
        const deltas = [...part.text].map((delta): Part => ({ type: "text-delta", id: "t", delta }));
        return [{ type: "text-start", id: "t" }, ...deltas, { type: "text-end", id: "t" }];
      });
      const start: Part = { type: "stream-start", warnings: [] };
      const chunks: Part[] = [start, ...parts, { type: "finish", finishReason, usage }];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
  return { model, prompts };
}

/** What the model read about its calls, in its second prompt. */
export const readBy = (prompts: readonly Prompt[]) =>
  (prompts[1] ?? []).flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part) =>
          part.type === "tool-result" ? [[part.toolCallId, part.output]] : [],
        )
      : [],
  );

function desk() {
  const ran: [name: string, input: unknown][] = [];
  const tools = {
    look_up: tool({
      inputSchema: z.object({ order: z.string() }),
      execute: async ({ order }) => {
        ran.push(["look_up", { order }]);
        return { paid: 80 };
      },
    }),
    refund: tool({
      inputSchema: z.object({ order: z.string(), amount: z.number().default(1) }),
      execute: async ({ order, amount }, { toolCallId }) => {
        ran.push(["refund", { order, amount }]);
        return `${amount} for ${order} as ${toolCallId}`;
      },
    }),
    write: tool({
      inputSchema: z.object({ to: z.string() }),
      needsApproval: ({ to }) => to === "all",
      execute: async ({ to }) => {
        ran.push(["write", { to }]);
        return "sent";
      },
    }),
  };
  return { ran, tools };
}

/** What the body of an agent's function gets. */
export interface AgentWorld {
  /** The durable model, and the tools behind the gate. */
  readonly model: MockLanguageModelV3;
  readonly tools: AgentTools;
  /** The same without Countersign. */
  base: MockLanguageModelV3;
  own: AgentTools;
  gate: RunGate;
  run: RunWorld;
}

type AgentTools = ReturnType<typeof desk>["tools"];
type How = Pick<
  HarnessOptions,
  "replaying" | "checkpointing" | "onRequest" | "onEngineRequest" | "transport" | "between"
>;

/** A harness whose run is an agent of the AI SDK with a model that makes these calls. */
export async function openAgent(
  calls: Called[],
  body: (world: AgentWorld) => Promise<unknown>,
  how: How = {},
) {
  const database = await freshPostgres();
  const { ran, tools: own } = desk();
  const { model: base, prompts } = modelCalling(...calls);
  const harness = await openHarness({
    ...{ database, policy, tools: [], reply: () => ({ text: "unused" }), ...how },
    run: async (run) => {
      const { countersign, step, state } = run;
      const context = {
        requester: { id: "requester" },
        ...(state.threadId !== undefined && { threadId: state.threadId }),
      };
      const gate = countersign.gate({ step, context });
      return body({
        ...{ base, own, gate, run },
        get model() {
          return durableModel(base, step);
        },
        get tools() {
          return guardTools(own, gate);
        },
      });
    },
  });
  return {
    harness,
    ran,
    prompts,
    /** All approvals that there are. */
    asked: () => harness.store.listApprovals({ tenantId: "acme", limit: 10 }),
    async [Symbol.asyncDispose]() {
      await harness[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Each way in which the AI SDK runs an agent. */
export const kinds = {
  async generateText({ model, tools }) {
    const { text } = await generateText({ model, tools, prompt: "go", stopWhen: stepCountIs(5) });
    return text;
  },
  async streamText({ model, tools }) {
    const { text } = streamText({ model, tools, prompt: "go", stopWhen: stepCountIs(5) });
    return text;
  },
  async ToolLoopAgent({ model, tools }) {
    const { text } = await new ToolLoopAgent({ model, tools }).generate({ prompt: "go" });
    return text;
  },
} satisfies Record<string, (world: Pick<AgentWorld, "model" | "tools">) => Promise<unknown>>;
