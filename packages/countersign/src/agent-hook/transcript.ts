import type { AgentResult, Message, ToolMessage, ToolResultMessage } from "@inngest/agent-kit";
import type { Refusal } from "../approval/refusal.js";

/** What a response was before its refused calls were taken out. */
export interface WithheldCalls {
  output: Message[];
  refused: ReadonlyMap<ToolMessage, Refusal>;
}

/** The response without its refused calls: AgentKit runs every call that it finds in the output. */
export function withholdRefused(output: readonly Message[], withheld: WithheldCalls["refused"]): Message[] {
  return output.flatMap((message): Message[] => {
    if (message.type !== "tool_call") return [message];
    const tools = message.tools.filter((tool) => !withheld.has(tool));
    return tools.length > 0 ? [{ ...message, tools }] : [];
  });
}

/**
 * Puts the refused calls back, in place, and answers each, so that every call is followed by exactly one result
 * in the order of the calls. Results carry what AgentKit produced for the calls that ran.
 */
export function restoreRefused(result: AgentResult, withheld: WithheldCalls): void {
  const produced = [...result.toolCalls];
  const take = (tool: ToolMessage): ToolResultMessage | undefined => {
    const index = produced.findIndex((message) => message.tool.id === tool.id);
    return index < 0 ? undefined : produced.splice(index, 1)[0];
  };
  const calls = withheld.output.flatMap((message) => (message.type === "tool_call" ? message.tools : []));
  const answers = calls.flatMap((tool) => {
    const refusal = withheld.refused.get(tool);
    const answer = refusal ? refusalResult(tool, refusal) : take(tool);
    return answer ? [answer] : [];
  });
  // Messages that a user's own hook put into the response stay where it put them.
  const added = result.output.filter(
    (message) => message.type !== "tool_call" && !withheld.output.includes(message),
  );
  result.output = [...withheld.output, ...added];
  result.toolCalls = [...answers, ...produced];
}

/** The tool result of a call that did not run: the shape in which AgentKit reports a handler's error. */
function refusalResult(tool: ToolMessage, refusal: Refusal): ToolResultMessage {
  return {
    role: "tool_result",
    type: "tool_result",
    tool,
    content: { error: { name: "CallNotRun", ...refusal } },
    stop_reason: "tool",
  };
}
