import { maxResponses } from "../support-tools.js";
import { anthropicClient } from "./loop/anthropic-client.js";
import { openAiClient } from "./loop/openai-client.js";
import type { SupportAgent } from "./support-run.js";

/** A loop around the provider's own client: ask the model, pass its calls through the gate, tell it the results. */
export const loopAgent: SupportAgent = async ({ message, tools, model, step, openGate }) => {
  const gate = openGate();
  const client = model.format === "openai" ? openAiClient : anthropicClient;
  const conversation = client(model, tools, await gate.begin(message));
  let text = "";
  for (let response = 1; response <= maxResponses; response++) {
    const answer = await conversation.ask((work) => step.run(`model ${response}`, work));
    text = answer.text;
    if (answer.calls.length === 0) break;
    conversation.tell(await gate.calls(tools, answer.calls, { text }));
    // It is saved with its calls.
    text = "";
  }
  await gate.end(text);
};
