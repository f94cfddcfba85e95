import { anthropic, openai } from "@inngest/agent-kit";
import type { ModelFormat } from "../scripted-model/index.js";

/** The model as AgentKit is told of it; nothing listens at its address. */
export function scriptedModelOf(format: ModelFormat) {
  const at = { apiKey: "scripted", baseUrl: "http://model.invalid/v1" };
  return format === "anthropic"
    ? anthropic({ ...at, model: "claude-scripted", defaultParameters: { max_tokens: 1000 } })
    : openai({ ...at, model: "gpt-scripted" });
}
