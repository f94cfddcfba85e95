import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";
import { durableModel, fromAgentKit, guardTools, modelMessages } from "countersign/ai-sdk";
import type { ModelAddress } from "../choose-model.js";
import { maxResponses, supportPrompt } from "../support-tools.js";
import type { SupportAgent } from "./support-run.js";

/** An agent of the AI SDK, with the same tools. */
export const aiSdkAgent: SupportAgent = async ({ message, tools, model, step, openGate }) => {
  const gate = openGate();
  const own = Object.fromEntries(tools.map((tool) => [tool.name, fromAgentKit(tool)]));
  const { text, finishReason } = await generateText({
    model: durableModel(languageModel(model), step),
    system: supportPrompt,
    tools: guardTools(own, gate),
    messages: modelMessages(await gate.begin(message)),
    stopWhen: stepCountIs(maxResponses),
  });
  // A text beside calls is saved with them.
  await gate.end(finishReason === "tool-calls" ? "" : text);
};

function languageModel({ format, apiKey, baseUrl, model }: ModelAddress) {
  const settings = { apiKey, ...(baseUrl !== undefined && { baseURL: baseUrl }) };
  return format === "openai" ? createOpenAI(settings).chat(model) : createAnthropic(settings)(model);
}
