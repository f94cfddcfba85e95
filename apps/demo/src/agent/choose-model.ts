import { anthropic, openai } from "@inngest/agent-kit";
import type { ModelConfig } from "../config.js";

/** AgentKit's model: an address and a wire format. */
export type ModelAdapter = ReturnType<typeof openai> | ReturnType<typeof anthropic>;

/** The adapter for the configured model. `scriptedUrl` is the address of the scripted model in this process. */
export function chooseModel(config: ModelConfig, scriptedUrl: string): ModelAdapter {
  const { apiKey, baseUrl, model } =
    config.kind === "scripted" ? { apiKey: "scripted", baseUrl: scriptedUrl, model: "scripted" } : config;
  const options = { model, apiKey, ...(baseUrl !== undefined && { baseUrl }) };
  return config.format === "openai"
    ? openai(options)
    : anthropic({ ...options, defaultParameters: { max_tokens: 1024 } });
}
