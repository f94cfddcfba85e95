import type { Message, ModelResponse, ToolMessage } from "../../call/message.js";
import { type CallEnd, keptResult } from "./call-end.js";

/** A response of an agent in the form of AgentKit's. A call that has not ended has no result. */
export function responseOf(
  agentName: string,
  text: string,
  calls: readonly { tool: ToolMessage; end: CallEnd | undefined }[] = [],
): ModelResponse {
  const stopReason = calls.length > 0 ? "tool" : "stop";
  const spoken: Message[] =
    text.trim() === "" ? [] : [{ type: "text", role: "assistant", content: text, stop_reason: stopReason }];
  const called: Message[] =
    calls.length === 0
      ? []
      : [
          {
            type: "tool_call",
            role: "assistant",
            stop_reason: "tool",
            tools: calls.map(({ tool }) => tool),
          },
        ];
  return {
    agentName,
    output: [...spoken, ...called],
    toolCalls: calls.flatMap(({ tool, end }) =>
      end
        ? [
            {
              role: "tool_result",
              type: "tool_result",
              stop_reason: "tool",
              tool,
              content: keptResult(end),
            } as const,
          ]
        : [],
    ),
  };
}
