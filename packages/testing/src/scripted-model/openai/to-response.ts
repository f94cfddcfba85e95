import type { ResolvedReply } from "../reply.js";

/** A chat completion with this reply as its only choice. */
export function toResponse(model: string, promptLength: number, reply: ResolvedReply): unknown {
  const calls = reply.toolCalls.map((call) => ({
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  }));
  const prompt = Math.ceil(promptLength / 4);
  const completion = Math.ceil((reply.text.length + JSON.stringify(calls).length) / 4);
  return {
    id: `chatcmpl-${reply.fingerprint}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: reply.text === "" && calls.length > 0 ? null : reply.text,
          refusal: null,
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: calls.length > 0 ? "tool_calls" : "stop",
      },
    ],
    usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
  };
}
