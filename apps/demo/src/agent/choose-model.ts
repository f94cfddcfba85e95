import { anthropic, openai } from "@inngest/agent-kit";
import type { ModelConfig } from "../config.js";

/** Where the model answers, and in which provider's format. */
export interface ModelAddress {
  format: "openai" | "anthropic";
  apiKey: string;
  model: string;
  /** With `/v1`. Absent: the provider's own. */
  baseUrl?: string;
}

/** The address of the configured model. `scriptedUrl` is that of the scripted model in this process. */
export function chooseModel(config: ModelConfig, scriptedUrl: string): ModelAddress {
  const { format } = config;
  if (config.kind === "scripted")
    return { format, apiKey: "scripted", baseUrl: scriptedUrl, model: "scripted" };
  const { apiKey, baseUrl, model } = config;
  return { format, apiKey, model, ...(baseUrl !== undefined && { baseUrl }) };
}

/** AgentKit's model: an address and a wire format. */
export type ModelAdapter = ReturnType<typeof openai> | ReturnType<typeof anthropic>;

export function agentKitModel({ format, ...options }: ModelAddress): ModelAdapter {
  return format === "openai"
    ? openai(options)
    : anthropic({ ...options, defaultParameters: { max_tokens: 1024 } });
}
