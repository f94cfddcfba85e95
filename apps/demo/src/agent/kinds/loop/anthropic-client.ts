import Anthropic from "@anthropic-ai/sdk";
import { anthropicMessages, jsonSchemaOf } from "countersign";
import { supportPrompt } from "../../support-tools.js";
import type { ModelClient } from "./model-client.js";

export const anthropicClient: ModelClient = ({ apiKey, baseUrl, model }, tools, conversation) => {
  // The client adds the version to the address by itself, and Inngest retries the step of a failed request.
  const baseURL = baseUrl?.replace(/\/v1\/?$/, "");
  const client = new Anthropic({ apiKey, maxRetries: 0, ...(baseURL !== undefined && { baseURL }) });
  const messages = anthropicMessages(conversation) as Anthropic.MessageParam[];
  const offered = tools.map((tool) => ({
    name: tool.name,
    description: tool.description ?? "",
    input_schema: jsonSchemaOf(tool),
  }));
  return {
    async ask(inStep) {
      const { content } = (await inStep(() =>
        client.messages.create({ model, max_tokens: 1024, system: supportPrompt, messages, tools: offered }),
      )) as Anthropic.Message;
      messages.push({ role: "assistant", content });
      return {
        text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
        calls: content.flatMap((block) =>
          block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
        ),
      };
    },
    tell(results) {
      messages.push({
        role: "user",
        content: results.map(({ id, content, isError }) => ({
          type: "tool_result" as const,
          tool_use_id: id,
          content,
          is_error: isError,
        })),
      });
    },
  };
};
