import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import type { Tool } from "@inngest/agent-kit";
import { generateText, stepCountIs } from "ai-6";
import { anthropicMessages, jsonSchemaOf, openAiMessages, type RunGate } from "countersign";
import { durableModel, fromAgentKit, guardTools, modelMessages } from "countersign/ai-sdk";
import type { GateCall } from "countersign/types";
import type { Context } from "inngest";
import OpenAI from "openai";

/** An agent of one run that continues a thread with the same tools as an AgentKit agent has. */
export interface AgentRun {
  gate: RunGate;
  step: Context["step"];
  message: string;
  tools: readonly Tool.Any[];
  format: "openai" | "anthropic";
  /** Where the scripted model listens. */
  modelUrl: string;
}

const maxTurns = 10;
const credentials = { apiKey: "test", maxRetries: 0 };

/** The kinds of agents that are not AgentKit's. */
export type AgentKind = keyof typeof agentKinds;

/** The agents that are not AgentKit's. Each returns the model's last text. */
export const agentKinds = {
  loop: (run) => (run.format === "openai" ? openAiLoop(run) : anthropicLoop(run)),

  async "ai-sdk"({ gate, step, message, tools, format, modelUrl }) {
    const baseURL = `${modelUrl}/v1`;
    const model =
      format === "openai"
        ? createOpenAI({ apiKey: "test", baseURL }).chat("scripted")
        : createAnthropic({ apiKey: "test", baseURL })("scripted");
    const { text } = await generateText({
      model: durableModel(model, step),
      tools: guardTools(Object.fromEntries(tools.map((tool) => [tool.name, fromAgentKit(tool)])), gate),
      messages: modelMessages(await gate.begin(message)),
      stopWhen: stepCountIs(maxTurns),
    });
    await gate.end(text);
    return text;
  },
} satisfies Record<string, (run: AgentRun) => Promise<string>>;

async function openAiLoop({ gate, step, message, tools, modelUrl }: AgentRun): Promise<string> {
  const client = new OpenAI({ ...credentials, baseURL: `${modelUrl}/v1` });
  const messages: OpenAI.ChatCompletionMessageParam[] = openAiMessages(await gate.begin(message));
  const offered = tools.map((tool) => ({
    type: "function" as const,
    function: { name: tool.name, description: tool.description ?? "", parameters: jsonSchemaOf(tool) },
  }));
  for (let turn = 1; turn <= maxTurns; turn++) {
    const answer = (await step.run("model", () =>
      client.chat.completions.create({ model: "scripted", messages, tools: offered }),
    )) as OpenAI.ChatCompletion;
    const said = answer.choices[0]?.message;
    const text = said?.content ?? "";
    if (!said?.tool_calls?.length) return ended(gate, text);
    messages.push(said);
    const calls = said.tool_calls.flatMap((call): GateCall[] =>
      call.type === "function"
        ? [{ id: call.id, name: call.function.name, input: call.function.arguments }]
        : [],
    );
    for (const { id, content } of await gate.calls(tools, calls, { text })) {
      messages.push({ role: "tool", tool_call_id: id, content });
    }
  }
  return ended(gate, "");
}

async function anthropicLoop({ gate, step, message, tools, modelUrl }: AgentRun): Promise<string> {
  const client = new Anthropic({ ...credentials, baseURL: modelUrl });
  const messages = anthropicMessages(await gate.begin(message)) as Anthropic.MessageParam[];
  const offered = tools.map((tool) => ({
    ...{ name: tool.name, description: tool.description ?? "" },
    input_schema: jsonSchemaOf(tool),
  }));
  for (let turn = 1; turn <= maxTurns; turn++) {
    const { content: said } = await step.run("model", () =>
      client.messages.create({ model: "scripted", max_tokens: 1000, messages, tools: offered }),
    );
    const text = said.map((block) => (block.type === "text" ? block.text : "")).join("");
    const calls = said.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
    );
    if (calls.length === 0) return ended(gate, text);
    messages.push({ role: "assistant", content: said });
    const results = await gate.calls(tools, calls, { text });
    messages.push({
      role: "user",
      content: results.map(({ id, content, isError }) => ({
        ...{ type: "tool_result" as const, tool_use_id: id },
        ...{ content, is_error: isError },
      })),
    });
  }
  return ended(gate, "");
}

async function ended(gate: RunGate, text: string): Promise<string> {
  await gate.end(text);
  return text;
}
