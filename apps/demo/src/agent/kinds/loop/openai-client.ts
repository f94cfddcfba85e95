import { jsonSchemaOf, openAiMessages } from "countersign";
import OpenAI from "openai";
import { supportPrompt } from "../../support-tools.js";
import type { ModelClient } from "./model-client.js";

export const openAiClient: ModelClient = ({ apiKey, baseUrl, model }, tools, conversation) => {
  // Inngest retries the step of a failed request.
  const client = new OpenAI({ apiKey, maxRetries: 0, ...(baseUrl !== undefined && { baseURL: baseUrl }) });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: supportPrompt },
    ...openAiMessages(conversation),
  ];
  const offered = tools.map((tool) => ({
    type: "function" as const,
    function: { name: tool.name, description: tool.description ?? "", parameters: jsonSchemaOf(tool) },
  }));
  return {
    async ask(inStep) {
      const answer = (await inStep(() =>
        client.chat.completions.create({ model, messages, tools: offered }),
      )) as OpenAI.ChatCompletion;
      const said = answer.choices[0]?.message;
      if (said) messages.push(said);
      const calls = (said?.tool_calls ?? []).flatMap((call) =>
        call.type === "function"
          ? [{ id: call.id, name: call.function.name, input: call.function.arguments }]
          : [],
      );
      return { text: said?.content ?? "", calls };
    },
    tell(results) {
      for (const { id, content } of results) messages.push({ role: "tool", tool_call_id: id, content });
    },
  };
};
