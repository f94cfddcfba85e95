import type { ResolvedReply } from "../reply.js";

/** A message with this reply's text and calls as its content blocks. */
export function toResponse(model: string, promptLength: number, reply: ResolvedReply): unknown {
  const calls = reply.toolCalls.map((call) => ({ type: "tool_use", ...call }));
  const content = [...(reply.text === "" ? [] : [{ type: "text", text: reply.text }]), ...calls];
  return {
    id: `msg_${reply.fingerprint}`,
    type: "message",
    role: "assistant",
    model,
    content,
    stop_reason: calls.length > 0 ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: {
      input_tokens: Math.ceil(promptLength / 4),
      output_tokens: Math.ceil(JSON.stringify(content).length / 4),
    },
  };
}
