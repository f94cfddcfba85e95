import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { AgentResult } from "@inngest/agent-kit";
import type { Refusal } from "../../approval/refusal-text.js";
import type { Message, ToolMessage, ToolResultMessage } from "../../call/message.js";

/** The original response, before the calls that must not run were removed. */
export interface WithheldCalls {
  output: Message[];
  /** The content of the tool result of each call that did not run. */
  answers: Map<ToolMessage, unknown>;
  /** Notes for the model beside the result of a call that ran with changed arguments. */
  notes: Map<ToolMessage, string>;
}

/**
 * The response without the calls that are answered already, because AgentKit runs every call that it finds. The message
 * that held them stays, even if it is empty: an agent without a network takes its next turn, in which the model reads
 * the answers, only if the response's last message asks for tools.
 */
export function withholdAnswered(output: readonly Message[], answers: WithheldCalls["answers"]): Message[] {
  return output.map((message) =>
    message.type === "tool_call"
      ? { ...message, tools: message.tools.filter((tool) => !answers.has(tool)) }
      : message,
  );
}

/**
 * Puts the withheld calls back, in place, with their answers, so that exactly one result follows every call, in the
 * order of the calls. Results carry what AgentKit produced for the calls that ran.
 */
export function restoreAnswered(result: AgentResult, withheld: WithheldCalls): void {
  const produced = [...result.toolCalls];
  const take = (tool: ToolMessage): ToolResultMessage | undefined => {
    const index = produced.findIndex((message) => message.tool.id === tool.id);
    return index < 0 ? undefined : produced.splice(index, 1)[0];
  };
  const calls = withheld.output.flatMap((message) => (message.type === "tool_call" ? message.tools : []));
  const answers = calls.flatMap((tool) => {
    const answer = withheld.answers.has(tool)
      ? toolResult(tool, withheld.answers.get(tool))
      : noted(take(tool), withheld.notes.get(tool));
    return answer ? [answer] : [];
  });
  // Messages that a user's own hook added to the response stay where the hook put them.
  const added = result.output.filter(
    (message) => message.type !== "tool_call" && !withheld.output.includes(message),
  );
  result.output = [...withheld.output, ...added];
  result.toolCalls = [...answers, ...produced];
}

function noted(
  answer: ToolResultMessage | undefined,
  note: string | undefined,
): ToolResultMessage | undefined {
  if (!answer || note === undefined) return answer;
  const content = isPlainObject(answer.content) ? answer.content : { data: answer.content };
  return { ...answer, content: { ...content, note } };
}

function toolResult(tool: ToolMessage, content: unknown): ToolResultMessage {
  return { role: "tool_result", type: "tool_result", tool, content, stop_reason: "tool" };
}

/** What the model reads about a call that did not run, in the shape in which AgentKit reports a handler's error. */
export function refusalContent(refusal: Refusal): unknown {
  return { error: { name: "CallNotRun", ...refusal } };
}
