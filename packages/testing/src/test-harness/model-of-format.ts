import { anthropic, openai } from "@inngest/agent-kit";
import type { ModelFormat, ScriptedModel } from "../scripted-model/index.js";

/** The scripted model in the form of an AgentKit model. */
export type ScriptedAdapter = ReturnType<typeof openai> | ReturnType<typeof anthropic>;

/** Nothing listens at this address: the engine hands its model calls to {@link modelFetch}. */
const baseUrl = "http://model.invalid/v1";

export function scriptedModelOf(format: ModelFormat): ScriptedAdapter {
  const at = { apiKey: "scripted", baseUrl };
  return format === "anthropic"
    ? anthropic({ ...at, model: "claude-scripted", defaultParameters: { max_tokens: 1000 } })
    : openai({ ...at, model: "gpt-scripted" });
}

/**
 * Answers the model calls of all agents, whatever address they call. So agents may keep their production models,
 * although a test does not have their keys.
 */
export function modelFetch(model: ScriptedModel): typeof fetch {
  return (input, init) => {
    const asked = new Request(input, init);
    const [path = "/unknown"] = /\/(chat\/completions|messages)$/.exec(new URL(asked.url).pathname) ?? [];
    const headers = new Headers(asked.headers);
    headers.set("authorization", "Bearer scripted");
    headers.set("x-api-key", "scripted");
    if (!headers.has("anthropic-version")) headers.set("anthropic-version", "2023-06-01");
    return model.fetch(new Request(`${baseUrl}${path}`, new Request(asked, { headers })));
  };
}
